import Speech

/// Which model makes the second pass.
enum SecondPassChoice {
    static let option = OptionSpecification.value(
        "second-pass", "MODEL", .model(.second),
        help: "The model that hears each utterance again when it has ended, and writes the final text with capitals and punctuation: the "
            + "path of a GGUF file, the name of one that is there, or none. Without it that of UTTER_SECOND_PASS or the configuration, or, "
            + "of the installed ones that know the language, the one with the fewest errors (see utter help models). It leans towards the "
            + "words of --phrase and --vocabulary where its kind can, as Whisper's does, and forbids no others.")

    /// - Parameters:
    ///   - reference: as the user gave it; nil takes what is there.
    ///   - first: the first pass's model, which says the language.
    /// - Throws: when what was asked for is not there.
    static func model(_ reference: String?, besides first: InstalledModel) throws(SpeechError) -> SecondPassModel? {
        if reference == "none" { return nil }
        let files = SecondPassFiles.ofUser()
        if let reference { return try .installed(reference, in: files) }
        // Nobody has asked for one: where nothing says what is spoken, none is known to know it.
        guard let language = first.languageAndRegion?.language else { return nil }
        return try? .installed(for: language, in: files)
    }
}
