import Models

/// A module that passes its work to a `TranscriptionWorker`.
protocol WorkerModule: AnalyzerModule {
    var worker: TranscriptionWorker { get }
}

extension WorkerModule {
    var executor: any TaskExecutor { worker.tasks }
    func attach() throws(SpeechError) { try worker.attach() }
    func prepare(_ extent: Preparation) async throws { try await worker.prepare(extent) }
    func setContext(_ context: AnalysisContext) async throws { try await worker.setPhrases(context.phrases) }
    func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange { try await worker.consume(input) }
    // Inlined, this crashes the optimizer of Swift 6.3.1.
    @inline(never)
    func finalize() async throws { try await worker.finalize() }
    func waitUntilDecided() async { await worker.waitUntilDecided() }
    var volatileRange: AudioTimeRange { get async { await worker.volatileRange } }
    func finish() async throws { try await worker.finish() }
    func cancel() { worker.cancel() }
    func abandon() { worker.abandon() }
    func waitUntilCancelled() async { await worker.release() }
}
