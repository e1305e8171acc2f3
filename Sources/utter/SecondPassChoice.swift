import Speech

/// Which model makes the second pass.
enum SecondPassChoice {
    static let option = OptionSpecification.value(
        "second-pass", "MODEL", .text,
        help: "The model that hears each utterance again when it has ended, and writes the final text with capitals and punctuation: the "
            + "path of a GGUF file, the name of one that is there, or none. Without it that of the configuration, or the one that "
            + "Scripts/setup has made. It leans towards the words of --phrase and --vocabulary where its kind can, as Whisper's does, and "
            + "forbids no others.")

    /// - Parameters:
    ///   - reference: as the user gave it; nil takes what is there.
    ///   - first: the first pass's model, which says the language.
    /// - Throws: when what was asked for is not there.
    static func model(_ reference: String?, besides first: InstalledModel) throws(SpeechError) -> SecondPassModel? {
        if reference == "none" { return nil }
        if let reference { return try .installed(reference) }
        guard let model = try? SecondPassModel.installed() else { return nil }
        // Nobody has asked for it, and it would say that it knows English only.
        let language = first.languageAndRegion?.language ?? "en"
        return model.isEnglishOnly && language != "en" ? nil : model
    }
}
