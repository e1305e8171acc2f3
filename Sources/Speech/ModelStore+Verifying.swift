import Models

extension ModelStore {
    /// Checks a model's files, loads it and has it hear a spoken sentence, which takes as much memory as using it. A damaged model may crash
    /// the process, or never return: where that matters, use `verifyFiles(of:)` and load the model in another process.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` that names the files that are missing or changed, `.modelLoadFailed` if the model does not
    ///   load, or hears nothing or nonsense.
    public func verify(_ model: InstalledModel) async throws -> Verification {
        let verification = try await verifyFiles(of: model)
        let knowsEnglish = knows(model, "en")
        let text = model.pass == .second ? try await decided(by: model, knowsEnglish) : try await heard(by: model)
        if let doubt = SpokenSentence.doubt(about: text, knowsEnglish: knowsEnglish) {
            throw SpeechError(.modelLoadFailed, "the model \(model.path) loads, but \(doubt); it may be damaged")
        }
        return verification
    }

    private func decided(by model: InstalledModel, _ knowsEnglish: Bool) async throws -> String {
        let sound = try SpokenSentence.samples(sampleRate: TranscribeModel.sampleRate)
        switch try await SecondPassModel.installed(model.path).probe(sound, language: knowsEnglish ? "en" : nil) {
        case .works(_, _, let text): return text
        case .refused(let reason): throw SpeechError(.modelLoadFailed, reason)
        case .crashed, .late, .failed:
            throw SpeechError(
                .modelLoadFailed,
                "libtranscribe does not survive the model \(model.path); it may be damaged or made for another version"
            )
        }
    }

    private func heard(by model: InstalledModel) async throws -> String {
        let transcriber = SpeechTranscriber(model: ModelReference(path: model.path))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let rate = try model.sampleRate()
        let sound = AnalyzerInput(samples: try SpokenSentence.samples(sampleRate: rate), sampleRate: rate)
        async let text = transcriber.finalText
        do {
            try await analyzer.start(
                inputSequence: AsyncStream {
                    $0.yield(sound); $0.finish()
                })
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        } catch {
            await analyzer.cancelAndFinishNow()
            throw error
        }
        return try await text
    }
}

extension SpeechTranscriber {
    /// All final text, once there is no more.
    package var finalText: String {
        get async throws {
            var texts: [String] = []
            for try await result in results where result.isFinal { texts.append(String(result.text.characters)) }
            return texts.joined()
        }
    }
}
