import Audio
import Speech

/// Transcribes a memo's saved sound again with the models that are in use now, and writes the text as a memo does.
struct HearingAgain {
    private let choice: RecognitionChoice
    private let writing: Writing
    private let status: Status

    /// Chooses the models and the rules of writing.
    ///
    /// - Throws: when there is no such model, or the vocabulary or the replacements can't be read.
    init(_ options: RecognitionOptions, _ writing: WritingOptions, status: Status) throws {
        var choice = try RecognitionChoice(options, isLive: false, status: status)
        self.writing = try Writing(
            writing, standard: MemoOptions.standardRules, language: choice.plan.language,
            warn: { status.warn($0) })
        choice.spokenMarks = self.writing.spokenMarks
        self.choice = choice
        self.status = status
        choice.announceModel()
    }

    /// The text that is spoken in a WAV file; empty when nothing is heard.
    func text(of path: String) async throws -> String {
        let transcriber = choice.recordedTranscriber(reportsSilences: false, report: { [status] in status.warn($0) })
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let said = Task { try await text(of: transcriber) }
        do {
            if let warning = try await choice.setVocabulary(of: analyzer, transcriber) { status.warn(warning) }
            try await analyzer.start(inputAudioFile: AudioFile(path: path))
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        } catch {
            await analyzer.cancelAndFinishNow()
            if let error = error as? WAVError { throw CommandError("\(path): \(error)", .dataError) }
            throw error
        }
        return try await said.value
    }

    private func text(of transcriber: any ChosenTranscriber) async throws -> String {
        var memo = MemoText()
        for try await result in transcriber.results where result.isFinal && !result.text.characters.isEmpty {
            for words in writing.divided(result.text.spoken, of: result.pass) {
                if let written = await writing.written(words, of: result.pass) {
                    memo.acceptWritten(written)
                } else {
                    memo.acceptFinal(words)
                }
            }
        }
        return MemoText.kept(memo.text)
    }
}
