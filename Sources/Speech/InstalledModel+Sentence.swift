import Models

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
