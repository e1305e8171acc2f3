enum ArgumentDecoder {
    /// Decodes an argument as UTF-8.
    ///
    /// - Throws: `UsageError` when it is not UTF-8, since repaired text would name another file.
    static func decode(_ bytes: [UInt8]) throws(UsageError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw UsageError(
            message: "the argument \(TerminalText.visible(bytes: bytes)) is not UTF-8; "
                + "if it is a file, rename it or give it on standard input",
            helpCommand: "utter --help")
    }
}
