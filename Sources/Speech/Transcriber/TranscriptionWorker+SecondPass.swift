import Models

/// The second pass of a transcriber.
extension TranscriptionWorker {
    func makeDesk(_ secondPass: SecondPassUse, sampleRate: Int, emit: @escaping @Sendable (Utterance) -> Void)
        -> DictationDesk
    {
        let desk = DictationDesk(
            secondPass, service: takeService(secondPass), sampleRate: sampleRate,
            reportsVolatile: setup.settings.reportsVolatile,
            reportsSilence: setup.settings.reportsSilence, emit: emit
        ) { [weak self, tasks] identifier, piece, outcome in
            Task(executorPreference: tasks) { await self?.take(outcome, of: identifier, piece: piece) }
        }
        if secondPassHasEnded { desk.settle() }
        return desk
    }

    private func take(_ outcome: SecondPassOutcome, of identifier: UInt64, piece: Int) {
        desk?.take(outcome, of: identifier, piece: piece)
    }

    /// Waits until at most `count` requests are with the second pass.
    func decided(to count: Int) async { await waitForDesk { $0.waitingCount <= count } }

    /// Waits until everything is final that the first pass has finalized by now.
    func waitUntilDecided() async {
        guard let end = pipeline?.volatileRange.lowerBound else { return }
        desk?.submitWindow()
        await waitForDesk { ($0.start ?? end) >= end }
    }

    private func waitForDesk(_ isDone: (DictationDesk) -> Bool) async {
        while let desk, !isDone(desk) {
            await withCheckedContinuation { continuation in
                // Check again: the actor may have done other work before this closure ran.
                if isDone(desk) { continuation.resume() } else { desk.addWaiter(continuation) }
            }
        }
    }

    func endSecondPass() {
        secondPassHasEnded = true
        service?.close()
        desk?.settle()
    }

    /// Sets the phrases that the second pass prefers. The first pass still recognizes everything. A worker gets them
    /// when it loads.
    func setSecondPassPhrases(_ phrases: [String]) async throws {
        guard phrases != self.phrases else { return }
        guard pipeline == nil else {
            throw SpeechError(
                .vocabularyNotSupported,
                "the vocabulary of a second pass is set before the recognizer is prepared, and before the first sound")
        }
        self.phrases = phrases
        service?.close()
        service = nil
    }

    /// Starts the worker, which loads its model while the first pass begins.
    func startSecondPass() {
        guard let secondPass = setup.secondPass, service == nil, desk == nil, !secondPassHasEnded else { return }
        service = secondPass.makeService(phrases)
    }

    private func takeService(_ secondPass: SecondPassUse) -> any SecondPassService {
        defer { service = nil }
        return service ?? secondPass.makeService(phrases)
    }
}
