import Audio

/// Where the utterances of one stream wait for their second pass, and become final. It belongs to the actor that feeds it.
final class DictationDesk {
    /// One utterance in one or more pieces, or several in one piece.
    private struct Request {
        var members: [Member]
        /// The outcomes of the pieces, as far as they have come.
        var outcomes: [SecondPassOutcome?] = [nil]
        /// Where the pieces begin, in samples.
        var starts = [0]
        /// What was made of the utterances beside it, where they were decoded with it and nothing was left for it.
        var besides: SharedWindow.Neighbours?
    }

    private struct Member {
        /// Of the utterance.
        var identifier: UInt64
        var sampleCount: Int
        /// At the second pass's rate; empty where it will not be needed again.
        var sound: [Int16] = []
    }

    private let secondPass: SecondPassUse
    private let service: any SecondPassService
    private let sampleRate: Int
    private let emit: (Utterance) -> Void
    /// Brings an outcome back to the actor.
    private let deliver: @Sendable (_ identifier: UInt64, _ piece: Int, SecondPassOutcome) -> Void
    private var utterances: UndecidedUtterances
    private var requests: [UInt64: Request] = [:]
    private var lastRequest: UInt64 = 0
    private var lastIdentifier: UInt64 = 0
    /// Utterances that will be decoded at once, when no more has room beside them.
    private var window: [Member] = []
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
        if secondPass.sharesWindows, samples.count <= SharedWindow.longest * sampleRate, let sound = sound(samples[...]) {
            return share(utterance, sound, sampleCount: samples.count)
        }
        submitWindow()
        let words = utterance.wordsFromItsStart.map { Int($0.range.lowerBound)..<Int($0.range.upperBound) }
        let pieces = UtteranceCutting.pieces(
            of: samples, limit: UtteranceCutting.longestPiece * sampleRate, words: words, sampleRate: sampleRate)
        let sounds = pieces.compactMap { sound(samples[$0]) }
        guard sounds.count == pieces.count else {
            counts.first += 1
            return send(utterances.ended(utterance, identifier: nil))
        }
        let member = wait(for: utterance, sampleCount: samples.count)
        submit(Request(members: [member], outcomes: pieces.map { _ in nil }, starts: pieces.map(\.lowerBound)), sounds)
    }

    /// The utterance waits from now on.
    private func wait(for utterance: Utterance, sampleCount: Int, sound: [Int16] = []) -> Member {
        lastIdentifier += 1
        waitingSamples += Int64(sampleCount)
        send(utterances.ended(utterance, identifier: lastIdentifier))
        return Member(identifier: lastIdentifier, sampleCount: sampleCount, sound: sound)
    }

    private func share(_ utterance: Utterance, _ sound: [Int16], sampleCount: Int) {
        let length = window.reduce(sampleCount) { $0 + $1.sampleCount }
        if length > SharedWindow.longest * sampleRate { submitWindow() }
        window.append(wait(for: utterance, sampleCount: sampleCount, sound: sound))
    }

    /// What waits for others to be decoded with waits for them no longer.
    func submitWindow() {
        guard !window.isEmpty else { return }
        let members = window
        window = []
        submit(Request(members: members), [members.flatMap(\.sound)])
    }

    private func submit(_ request: Request, _ sounds: [[Int16]]) {
        lastRequest += 1
        let identifier = lastRequest
        requests[identifier] = request
        for (index, sound) in sounds.enumerated() {
            service.decode(sound, findsSegments: request.members.count > 1, timeout: secondPass.timeout) { [deliver] outcome in
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
        if request.members.count > 1 {
            divide(outcome, among: request.members)
        } else {
            let joined = SecondPassOutcome.joining(outcomes, startingAt: request.starts, sampleRate: sampleRate)
            guard var decision = decision(joined, of: request.members[0]) else { return }
            if let besides = request.besides, besides.contain(decision.utterance.text) { decision.beNothing() }
            decide(decision, request.members[0])
        }
        resumeWaiters()
    }

    private func decision(_ outcome: SecondPassOutcome, of member: Member) -> DictationDecision? {
        utterances.firstPass(of: member.identifier).map { first in
            DictationDecision(
                first: first, second: outcome, seconds: Double(member.sampleCount) / Double(sampleRate), sampleRate: sampleRate,
                punctuates: secondPass.punctuates)
        }
    }

    /// What was decoded at once becomes final utterance by utterance. Where the text can't be divided, or is not believed of one, that one
    /// is decoded by itself.
    private func divide(_ outcome: SecondPassOutcome, among members: [Member]) {
        let firsts = members.compactMap { utterances.firstPass(of: $0.identifier) }
        guard firsts.count == members.count else { return }
        if outcome == .failed(.unavailable) || outcome == .failed(.cancelled) {
            for member in members { decision(outcome, of: member).map { decide($0, member) } }
            return
        }
        var window: SharedWindow?
        if case .text(let text) = outcome {
            window = SharedWindow(
                text, members: zip(firsts, members).map { SharedWindow.Member($0, sampleCount: $1.sampleCount) }, sampleRate: sampleRate)
        }
        let parts = window?.parts
        for (index, member) in members.enumerated() {
            if let parts, let decision = decision(.text(parts[index]), of: member), case .second = decision.verdict {
                decide(decision, member)
            } else {
                submit(
                    Request(members: [member], besides: parts.map { SharedWindow.Neighbours(of: index, in: $0) }), [member.sound])
            }
        }
    }

    private func decide(_ decision: DictationDecision, _ member: Member) {
        waitingSamples -= Int64(member.sampleCount)
        if decision.utterance.text.isEmpty { silentSamples += Int64(member.sampleCount) }
        counts.add(decision.verdict)
        if case .first(.noSecond(.late)) = decision.verdict, counts.late == 1 {
            secondPass.report("the second pass came too late for an utterance, which has the first pass's text")
        }
        send(utterances.decided(member.identifier, as: decision.utterance))
    }

    /// How many stretches of sound may be with the workers before no more of a file is read.
    var mostWaiting: Int { SecondPassUse.mostWaiting(width: service.width) }
    /// How many stretches of sound are with the workers.
    var waitingCount: Int { requests.count }
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
        counts.first += utterances.waitingCount
        requests = [:]
        window = []
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
