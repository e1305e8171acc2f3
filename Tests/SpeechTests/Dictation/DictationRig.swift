import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// Sessions of dictation for tests.
struct DictationRig {
    /// The model of `Scripts/setup`.
    static let real = SecondPassRig.setup.map {
        SecondPassModel(path: $0.model, library: $0.library, program: SecondPassRig.program)
    }
    static let silence = [Int16](repeating: 0, count: 16_000)

    /// A session's outcome.
    struct Session: Sendable {
        var outcome: Outcome
        var counts: DictationCounts
        /// The code of the error that the finish has thrown.
        var code: SpeechError.Code?
    }

    /// The options of a session.
    var model: SecondPassModel
    var isLive = false
    var guesses = DictationTranscriber.Guesses.none
    var guessing: ModelReference?
    var punctuates = true
    var width: Int?
    var reporting: Set<DictationTranscriber.ReportingOption> = [.silences]

    func transcriber() -> DictationTranscriber {
        DictationTranscriber(
            model: model, languages: ["en"], guessing: guessing, transcriptionOptions: punctuates ? [.punctuation] : [],
            reportingOptions: reporting, attributeOptions: [.audioTimeRange], isLive: isLive, guesses: guesses,
            guessShare: 1, width: width)
    }

    /// Runs a whole session.
    func run(_ blocks: [[Int16]]) async throws -> Session { try await run(blocks.inputs) }

    func run(_ inputs: [AnalyzerInput]) async throws -> Session {
        let transcriber = transcriber()
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        async let results = transcriber.results.all()
        _ = try await analyzer.analyzeSequence(Inputs(inputs, isLeisurely: isLive))
        let code = await analyzer.finishCode()
        return Session(
            outcome: Outcome(results: try await results, ledger: await transcriber.ledger),
            counts: await transcriber.counts, code: code)
    }

    /// Checks that the finals cover the whole stream, and that the ledger counts each sample.
    static func expectWhole(_ session: Session, _ count: Int, missing: Int = 0) {
        let (finals, ledger) = (session.outcome.finals, session.outcome.ledger)
        #expect(ledger.delivered == Int64(count) && ledger.pending == 0 && ledger.missing == missing, "\(ledger)")
        var end: Int64 = 0
        var covered: Int64 = 0
        for final in finals {
            let (start, upper) = (final.range.lowerBound.sampleCount, final.range.upperBound.sampleCount)
            #expect(missing == 0 ? start == end : start >= end, "finals follow each other")
            (end, covered) = (upper, covered + upper - start)
            var word = final.range.lowerBound
            for range in final.words.map(\.range) {
                #expect(range.lowerBound >= word && range.upperBound <= final.range.upperBound, "words are inside")
                word = range.upperBound
            }
        }
        #expect(count == 0 || end == Int64(count + missing))
        if missing == 0 { #expect(covered == Int64(count)) }
    }

    /// Checks that each volatile result is replaced or withdrawn, and that nothing comes before what is final.
    static func expectReplaced(_ session: Session) {
        var finalized = AudioTime.zero
        var isOpen = false
        for result in session.outcome.results {
            #expect(result.range.lowerBound >= finalized, "what is final is not guessed at any more")
            if result.isFinal { finalized = result.range.upperBound }
            isOpen = !result.isFinal && !result.text.characters.isEmpty
        }
        #expect(!isOpen, "the last guess is replaced")
    }

    /// What a scripted worker answers: a sentence.
    private static let sentence = #"result(i, f"Sentence of {n} samples.")"#

    /// A worker that answers with a sentence, and dies of every sound with a sample of 30000.
    ///
    /// - Parameter answer: what it answers, as a Python expression of a message with the identifier `i` for `n` samples.
    static func scripted<Value>(
        _ answer: String = sentence, _ body: (SecondPassModel) async throws -> Value
    ) async throws -> Value {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        return try await body(scripted(answer, in: folder))
    }

    /// A worker as `scripted(_:_:)` has it, whose files are in a folder.
    static func scripted(_ answer: String = sentence, in folder: TemporaryFolder) throws -> SecondPassModel {
        let path = folder.file("worker.py")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: SecondPassRig.script)
        folder.put(answer, in: "worker.py.answer")
        return SecondPassModel(path: path, library: "", program: path)
    }
}

extension TranscriptionWorker {
    /// The number of stretches that wait for their text.
    var waitingCount: Int { dictation?.waitingCount ?? 0 }
}
