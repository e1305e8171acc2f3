import Audio

/// Where the utterances of one stream wait for their second pass, and become final. It belongs to the actor that feeds it.
final class DictationDesk {
    private struct Request {
        /// The outcomes of the pieces, as far as they have come.
        var outcomes: [SecondPassOutcome?]
        /// Where the pieces begin, in samples.
        var starts: [Int]
        var sampleCount: Int
    }

    private let secondPass: SecondPassUse
    private let service: any SecondPassService
    private let sampleRate: Int
    private let emit: (Utterance) -> Void
    /// Brings an outcome back to the actor.
    private let deliver: @Sendable (_ identifier: UInt64, _ piece: Int, SecondPassOutcome) -> Void
    private var utterances: UndecidedUtterances
    private var requests: [UInt64: Request] = [:]
    private var lastIdentifier: UInt64 = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// Samples under words of the first pass that are not final.
    private var waitingSamples: Int64 = 0
    /// Samples under words of the first pass that were none.
    private var silentSamples: Int64 = 0
    private(set) var counts = DictationCounts()

    init(
        _ secondPass: SecondPassUse, service: any SecondPassService, sampleRate: Int, reportsVolatile: Bool, reportsSilence: Bool,
        emit: @escaping (Utterance) -> Void, deliver: @escaping @Sendable (UInt64, Int, SecondPassOutcome) -> Void
    ) {
        self.secondPass = secondPass
        self.sampleRate = sampleRate
        self.emit = emit
        self.deliver = deliver
        self.service = service
        utterances = UndecidedUtterances(reportsVolatile: reportsVolatile, reportsSilence: reportsSilence)
    }

    deinit { service.close() }

    /// Takes what the first pass has heard.
    func take(_ utterance: Utterance) {
        guard utterance.isFinal else { return send(utterances.guessed(utterance)) }
        var utterance = utterance
        let samples = utterance.samples
        utterance.samples = []
        // What the first pass has not heard nobody has said: an offline model has words for any noise.
        guard !utterance.text.isEmpty, !samples.isEmpty else {
            return send(utterances.ended(utterance, identifier: nil))
        }
        let words = utterance.alternatives[0].words.map { word in
            Int(word.range.lowerBound - utterance.range.lowerBound)..<Int(word.range.upperBound - utterance.range.lowerBound)
        }
        let pieces = UtteranceCutting.pieces(
            of: samples, limit: UtteranceCutting.longestPiece * sampleRate, words: words, sampleRate: sampleRate)
        let sounds = pieces.compactMap { sound(samples[$0]) }
        guard sounds.count == pieces.count else {
            counts.first += 1
            return send(utterances.ended(utterance, identifier: nil))
        }
        lastIdentifier += 1
        let identifier = lastIdentifier
        requests[identifier] = Request(
            outcomes: pieces.map { _ in nil }, starts: pieces.map(\.lowerBound), sampleCount: samples.count)
        waitingSamples += Int64(samples.count)
        send(utterances.ended(utterance, identifier: identifier))
        for (index, sound) in sounds.enumerated() {
            service.decode(sound, timeout: secondPass.timeout) { [deliver] outcome in
                deliver(identifier, index, outcome)
            }
        }
    }

    /// Lets the second pass begin with what may be a whole utterance, before the first is sure that it has ended.
    func note(_ pause: RecognitionPipeline.Pause) {
        switch pause {
        case .began(let samples):
            // A longer one is cut by what the first pass makes of it.
            guard samples.count <= UtteranceCutting.longestPiece * sampleRate, let sound = sound(samples[...]) else {
                return service.endDecodingAhead()
            }
            service.decodeAhead(sound)
        case .ended: service.endDecodingAhead()
        }
    }

    /// Samples at the rate that the second pass takes: a first pass for telephones has half of it. Nil when they can't be converted, for want
    /// of memory.
    private func sound(_ samples: ArraySlice<Int16>) -> [Int16]? {
        if sampleRate == TranscribeModel.sampleRate { return Array(samples) }
        do throws(SampleRateError) {
            let converter = try InputConverter(from: sampleRate, to: TranscribeModel.sampleRate)
            return try converter.convert(Array(samples)) + converter.finish()
        } catch {
            return nil
        }
    }

    /// Takes what the second pass has said of a piece.
    func take(_ outcome: SecondPassOutcome, of identifier: UInt64, piece: Int) {
        guard var request = requests[identifier] else { return }
        request.outcomes[piece] = outcome
        requests[identifier] = request
        let outcomes = request.outcomes.compactMap(\.self)
        guard outcomes.count == request.outcomes.count else { return }
        requests[identifier] = nil
        guard let first = utterances.firstPass(of: identifier) else { return }
        let decision = DictationDecision(
            first: first, second: .joining(outcomes, startingAt: request.starts, sampleRate: sampleRate),
            seconds: Double(request.sampleCount) / Double(sampleRate), sampleRate: sampleRate, punctuates: secondPass.punctuates)
        waitingSamples -= Int64(request.sampleCount)
        if decision.utterance.text.isEmpty { silentSamples += Int64(request.sampleCount) }
        counts.add(decision.verdict)
        if case .first(.noSecond(.late)) = decision.verdict, counts.late == 1 {
            secondPass.report("the second pass came too late for an utterance, which has the first pass's text")
        }
        send(utterances.decided(identifier, as: decision.utterance))
        resumeWaiters()
    }

    /// How many utterances may wait before no more of a file is read.
    var mostWaiting: Int { SecondPassUse.mostWaiting(width: service.width) }
    /// How many utterances wait.
    var waitingCount: Int { utterances.waitingCount }
    /// Where the first begins that is not final.
    var start: Int64? { utterances.start }

    /// The first pass's ledger, with what waits as pending.
    func adjusted(_ ledger: SampleLedger) -> SampleLedger {
        var ledger = ledger
        ledger.transcribed -= waitingSamples + silentSamples
        ledger.silent += silentSamples
        return ledger
    }

    /// What waits is not waited for any more: the first pass's text is final.
    func settle() {
        counts.first += requests.count
        requests = [:]
        waitingSamples = 0
        send(utterances.settleAll())
        service.close()
        resumeWaiters()
    }

    private func send(_ utterances: [Utterance]) { for utterance in utterances { emit(utterance) } }

    /// Whoever waits is resumed when one more is decided.
    func addWaiter(_ waiter: CheckedContinuation<Void, Never>) { waiters.append(waiter) }

    private func resumeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
