import Audio

/// Keeps the utterances of a stream while they wait for their second pass, and makes them final. For the actor that
/// feeds it.
final class DictationDesk {
    /// A request to the second pass: one utterance in one or more pieces, or several utterances in one piece.
    private struct Request {
        var members: [Member]
        /// The outcomes of the pieces, nil until they arrive.
        var outcomes: [SecondPassOutcome?] = [nil]
        /// The beginnings of the pieces, in samples.
        var starts = [0]
        /// The neighbouring utterances, if this one was decoded with them and got no text, or no plausible one.
        var besides: SharedWindow.Neighbours?
    }

    private struct Member {
        /// The identifier of the utterance.
        var identifier: UInt64
        var sampleCount: Int
        /// The samples at the second pass's rate; empty if they are not needed again.
        var sound: [Int16] = []
    }

    private let secondPass: SecondPassUse
    private let service: any SecondPassService
    private let sampleRate: Int
    private let emit: (Utterance) -> Void
    /// Passes an outcome to the actor.
    private let deliver: @Sendable (_ identifier: UInt64, _ piece: Int, SecondPassOutcome) -> Void
    private var utterances: UndecidedUtterances
    private var requests: [UInt64: Request] = [:]
    private var lastRequest: UInt64 = 0
    private var lastIdentifier: UInt64 = 0
    /// The utterances to decode together, once no other fits in.
    private var window: [Member] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// The number of samples in utterances with words that wait for their second pass.
    private var waitingSamples: Int64 = 0
    /// The number of samples in utterances in which the second pass found no words.
    private var silentSamples: Int64 = 0
    private(set) var counts = DictationCounts()

    init(
        _ secondPass: SecondPassUse, service: any SecondPassService, sampleRate: Int, reportsVolatile: Bool,
        reportsSilence: Bool,
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

    /// Takes an utterance of the first pass.
    func take(_ utterance: Utterance) {
        guard utterance.isFinal else { return send(utterances.guessed(utterance)) }
        var utterance = utterance
        let samples = utterance.samples
        utterance.samples = []
        // An utterance without words in the first pass gets no second: an offline model has words for any noise.
        guard !utterance.text.isEmpty, !samples.isEmpty else {
            return send(utterances.ended(utterance, identifier: nil))
        }
        if secondPass.sharesWindows, samples.count <= SharedWindow.longest * sampleRate, let sound = sound(samples[...])
        {
            return share(utterance, sound, sampleCount: samples.count)
        }
        submitWindow(isLast: false)
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

    /// Adds an utterance to those that wait.
    private func wait(for utterance: Utterance, sampleCount: Int, sound: [Int16] = []) -> Member {
        lastIdentifier += 1
        waitingSamples += Int64(sampleCount)
        send(utterances.ended(utterance, identifier: lastIdentifier))
        return Member(identifier: lastIdentifier, sampleCount: sampleCount, sound: sound)
    }

    private func share(_ utterance: Utterance, _ sound: [Int16], sampleCount: Int) {
        let length = window.reduce(sampleCount) { $0 + $1.sampleCount }
        if length > SharedWindow.longest * sampleRate { submitWindow(isLast: false) }
        window.append(wait(for: utterance, sampleCount: sampleCount, sound: sound))
    }

    /// Submits the utterances that wait for others to be decoded with.
    ///
    /// - Parameter isLast: whether nothing follows that could be decoded beside them, as at the end of the stream.
    func submitWindow(isLast: Bool = true) {
        guard !window.isEmpty else { return }
        let members = window
        window = []
        submit(Request(members: members), [members.flatMap(\.sound)], isOnly: isLast && lastRequest == 0)
    }

    /// - Parameter isOnly: whether the stream has no other request. Windows of a longer stream are decoded side by side,
    ///   with one thread each.
    private func submit(_ request: Request, _ sounds: [[Int16]], isOnly: Bool = false) {
        lastRequest += 1
        let identifier = lastRequest
        requests[identifier] = request
        for (index, sound) in sounds.enumerated() {
            // An utterance by itself has two, wherever it comes from, and so the same text.
            service.decode(sound, hasTwoThreads: isOnly || request.members.count == 1, timeout: secondPass.timeout) {
                [deliver] outcome in
                deliver(identifier, index, outcome)
            }
        }
    }

    /// Lets the second pass begin with the samples of a possible utterance before the first pass has ended it.
    func note(_ pause: RecognitionPipeline.Pause) {
        switch pause {
        case .began(let samples):
            // A longer utterance is divided by the words of the first pass, which are not known yet.
            guard samples.count <= UtteranceCutting.longestPiece * sampleRate, let sound = sound(samples[...]) else {
                return service.endDecodingAhead()
            }
            service.decodeAhead(sound)
        case .ended: service.endDecodingAhead()
        }
    }

    /// Converts samples to the rate of the second pass; a first pass for telephones has half of it. Returns nil if
    /// there is not enough memory.
    private func sound(_ samples: ArraySlice<Int16>) -> [Int16]? {
        if sampleRate == TranscribeModel.sampleRate { return Array(samples) }
        do throws(SampleRateError) {
            let converter = try InputConverter(from: sampleRate, to: TranscribeModel.sampleRate)
            return try converter.convert(Array(samples)) + converter.finish()
        } catch {
            return nil
        }
    }

    /// Takes the outcome of a piece.
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
                first: first, second: outcome, seconds: Double(member.sampleCount) / Double(sampleRate),
                sampleRate: sampleRate,
                punctuates: secondPass.punctuates)
        }
    }

    /// Divides an outcome among the utterances that were decoded together, and makes them final. An utterance that gets
    /// no part, or no plausible one, is decoded again by itself.
    private func divide(_ outcome: SecondPassOutcome, among members: [Member]) {
        let firsts = members.compactMap { utterances.firstPass(of: $0.identifier) }
        guard firsts.count == members.count else { return }
        if [.failed(.unavailable), .failed(.cancelled), .failed(.late)].contains(outcome) {
            for member in members { decision(outcome, of: member).map { decide($0, member) } }
            return
        }
        var window: SharedWindow?
        let heard = zip(firsts, members).map { SharedWindow.Member($0, sampleCount: $1.sampleCount) }
        if case .text(let text) = outcome { window = SharedWindow(text, members: heard, sampleRate: sampleRate) }
        let parts = window?.parts
        for (index, member) in members.enumerated() {
            if let parts, let decision = decision(.text(parts[index]), of: member), case .second = decision.verdict {
                decide(decision, member)
            } else {
                let besides = parts.map { SharedWindow.Neighbours(of: index, among: heard, $0) }
                submit(Request(members: [member], besides: besides), [member.sound])
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

    /// The number of requests that may be with the workers before the reading of a file must wait.
    var mostWaiting: Int { SecondPassUse.mostWaiting(width: service.width) }
    /// The number of requests that are with the workers.
    var waitingCount: Int { requests.count }
    /// The beginning of the first utterance that is not final.
    var start: Int64? { utterances.start }

    /// Returns the first pass's ledger, in which the utterances that wait count as pending.
    func adjusted(_ ledger: SampleLedger) -> SampleLedger {
        var ledger = ledger
        ledger.transcribed -= waitingSamples + silentSamples
        ledger.silent += silentSamples
        return ledger
    }

    /// Makes the utterances that wait final with the first pass's text, and closes the service.
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

    /// Adds a waiter, which is resumed at the next decision.
    func addWaiter(_ waiter: CheckedContinuation<Void, Never>) { waiters.append(waiter) }

    private func resumeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
