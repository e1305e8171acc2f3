@testable import Models
@testable import Speech

extension SecondPassRig {
    /// Runs a whole session of dictation.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for an utterance; nil waits as long as it takes.
    ///   - reports: receives the reports of the second pass.
    static func dictate(
        _ blocks: [[Int16]], _ secondPass: SecondPassModel, timeout: Duration? = nil, sharesWindows: Bool = false,
        reports: Reports
    ) async throws -> Outcome {
        let transcriber = DictationTranscriber(
            model: ModelReference(path: Fixture.modelPath), secondPass: secondPass, reportingOptions: [.silences],
            attributeOptions: [.audioTimeRange], timeout: timeout, sharesWindows: sharesWindows, report: reports.add)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        async let results = transcriber.results.all()
        _ = try await analyzer.analyzeSequence(Inputs(blocks.map { AnalyzerInput(samples: $0, sampleRate: 16_000) }))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        return Outcome(results: try await results, ledger: await transcriber.ledger)
    }
}
