/// Checks whether the vocabulary that the user has set can be read.
struct VocabularyCheck {
    private static let subject = "vocabulary"
    private let recognition: RecognitionOptions

    init(_ recognition: RecognitionOptions) { self.recognition = recognition }

    func finding() -> Finding {
        guard let path = recognition.vocabularyFile else { return .fine(Self.subject, "none") }
        do {
            let count = try RecognitionChoice.phrases(recognition).count - recognition.phrases.count
            return .fine(Self.subject, "\(count == 1 ? "1 phrase" : "\(count) phrases") in \(path)")
        } catch {
            let error = CommandError(error)
            let mend: Finding.Step =
                error.exitCode == .dataError
                ? Surroundings.edit(path) : .act("make the file readable, or name another with --vocabulary")
            return .broken(Self.subject, error.message, [mend])
        }
    }
}
