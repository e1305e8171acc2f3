/// The second pass of a transcriber.
extension TranscriptionWorker {
    func makeDesk(_ secondPass: SecondPassUse, sampleRate: Int, emit: @escaping @Sendable (Utterance) -> Void) -> DictationDesk {
        DictationDesk(
            secondPass, service: takeService(secondPass), sampleRate: sampleRate, reportsVolatile: setup.settings.reportsVolatile,
            reportsSilence: setup.settings.reportsSilence, emit: emit
        ) { [weak self, tasks] identifier, piece, outcome in
            Task(executorPreference: tasks) { await self?.take(outcome, of: identifier, piece: piece) }
        }
    }

    private func take(_ outcome: SecondPassOutcome, of identifier: UInt64, piece: Int) {
        desk?.take(outcome, of: identifier, piece: piece)
    }

    /// Waits until no more than so many utterances wait for their second pass.
    func decided(to count: Int) async {
        while let desk, desk.waitingCount > count {
            await withCheckedContinuation { continuation in
                // Once more: the actor may have done something else before it came in here.
                if desk.waitingCount > count { desk.addWaiter(continuation) } else { continuation.resume() }
            }
        }
    }

    /// A second pass leans towards phrases; the first goes on to hear everything. A worker is told them when it loads.
    func setSecondPassPhrases(_ phrases: [String]) async throws {
        guard phrases != self.phrases else { return }
        self.phrases = phrases
        guard pipeline == nil else {
            throw SpeechError(.vocabularyNotSupported, "the vocabulary of a second pass is set before the first sound")
        }
        service?.close()
        service = nil
    }

    /// Lets the worker load, while the first pass already hears.
    func startSecondPass() {
        guard let secondPass = setup.secondPass, service == nil, desk == nil else { return }
        service = secondPass.makeService(phrases)
    }

    private func takeService(_ secondPass: SecondPassUse) -> any SecondPassService {
        defer { service = nil }
        return service ?? secondPass.makeService(phrases)
    }
}
