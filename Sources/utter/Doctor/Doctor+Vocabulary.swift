extension Doctor {
    /// Whether the vocabulary that the user has set can be read.
    func vocabulary() -> Finding {
        let (subject, recognition) = ("vocabulary", options.recognition)
        guard let path = recognition.vocabularyFile else { return .fine(subject, "none") }
        do {
            let count = try RecognitionChoice.phrases(recognition).count - recognition.phrases.count
            return .fine(subject, "\(count == 1 ? "1 phrase" : "\(count) phrases") in \(path)")
        } catch {
            let error = CommandError(error)
            let mend: Finding.Step =
                error.exitCode == .dataError
                ? Surroundings.edit(path) : .act("make the file readable, or name another with --vocabulary")
            return .broken(subject, error.message, [mend])
        }
    }
}
