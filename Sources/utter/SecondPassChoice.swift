import Models
import Speech

/// The model of the second pass.
enum SecondPassChoice {
    /// The option `--second-pass`.
    static let option = Option<String>(
        "second-pass", "MODEL", .model(.second),
        help:
            "The model that hears each utterance again when it has ended, and writes the final text with capitals and punctuation: the "
            + "path of a GGUF file, the name of one that is there, or none. Without it that of UTTER_SECOND_PASS or the configuration; else, "
            + "of the installed ones that know the language, the one that utter models use has chosen, or the one with the fewest errors "
            + "(see utter help models). It leans towards the "
            + "words of --phrase and --vocabulary where its kind can, as Whisper's does, and forbids no others.")

    /// Finds the model.
    ///
    /// - Parameters:
    ///   - reference: a path, a name or `none`; nil for the installed model that knows the language.
    ///   - first: the first pass's model, which decides the language.
    /// - Returns: nil when there is no second pass.
    /// - Throws: `SpeechError` when the user names a model that is not installed.
    static func model(_ reference: String?, besides first: InstalledModel) throws(SpeechError) -> SecondPassModel? {
        if reference == "none" { return nil }
        let files = SecondPassFiles.ofUser()
        if let reference { return try .installed(reference, in: files) }
        // Without a known language, no model is known to fit.
        guard let language = first.languageAndRegion?.language else { return nil }
        return try? .installed(for: language, in: files)
    }
}
