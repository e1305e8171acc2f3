import Models

extension ModelStore {
    /// Checks a model's files, loads it and has it hear a spoken sentence, which takes as much memory as using it.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` that names the files that are missing or changed, `.modelLoadFailed` if the model does not
    ///   load, or hears nothing or nonsense.
    public func verify(_ model: InstalledModel) async throws -> Verification {
        let verification = try await verifyFiles(of: model)
        let knowsEnglish = knows(model, "en")
        let text =
            model.pass == .second ? try await decided(by: model, knowsEnglish) : try await model.hearSentence().text
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
}

extension InstalledModel {
    /// Loads a model of libvosk's as a memo does, and has it hear a spoken sentence.
    ///
    /// - Returns: how long it took to load and to decode, and the text.
    package func hearSentence(
        endpointing: Endpointing = Endpointing()
    ) async throws -> (loading: Duration, decoding: Duration, text: String) {
        let transcriber = SpeechTranscriber(
            model: ModelReference(path: path), reportingOptions: [.volatileResults, .fastResults],
            endpointing: endpointing)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let rate = try sampleRate()
        let sound = AnalyzerInput(samples: try SpokenSentence.samples(sampleRate: rate), sampleRate: rate)
        let clock = ContinuousClock()
        let loading = try await clock.measure { try await analyzer.prepareToAnalyze() }
        async let text = transcriber.finalText
        do {
            let decoding = try await clock.measure {
                try await analyzer.start(
                    inputSequence: AsyncStream {
                        $0.yield(sound)
                        $0.finish()
                    })
                try await analyzer.finalizeAndFinishThroughEndOfInput()
            }
            return (loading, decoding, try await text)
        } catch {
            // Ends the results, for which this would wait.
            await analyzer.cancelAndFinishNow()
            throw error
        }
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
