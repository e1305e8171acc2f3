extension DictationDesk {
    struct Settings: Sendable {
        /// When the open window is decoded.
        var guesses = DictationTranscriber.Guesses.none
        /// The pause that closes a window, in seconds: who is silent for so long begins something else, and who writes into a pipe waits
        /// for the text.
        var closingPause = 4.0
        /// The pause that closes a window whose text ends with a sentence, in seconds; nil for `closingPause`. Where the model is
        /// unsure of it, the full stop may be wrong as well: it does not count.
        var sentencePause: Double?
        /// Whether sentences become final before their window closes. Otherwise the text is that of whole windows, as that of a file is,
        /// and does not depend on the time that decoding takes.
        var finalizesFrequently = false
        /// Whether several languages may be spoken, of which the model detects one for each window.
        var hasLanguages = false
        /// The pause within which windows in one language are decoded once more as one, in seconds; nil where none are.
        var joinPause: Double?
        /// The share of the time in which guesses are decoded while someone speaks, without those at pauses.
        var share = 0.36

        /// The settings for speech that someone waits for.
        static func live(
            _ guesses: DictationTranscriber.Guesses, finalizesFrequently: Bool = true, closingPause: Double? = nil,
            hasLanguages: Bool = false
        ) -> Settings {
            // Who sets a pause wants no sentence to end before: a model ends what it hears with a full stop.
            let endsAtSentences = finalizesFrequently && guesses != .none && closingPause == nil
            // Where nobody waits for each sentence, one with a pause in it is heard as one.
            let usual = finalizesFrequently ? 1.3 : 2
            return Settings(
                guesses: guesses, closingPause: closingPause ?? usual, sentencePause: endsAtSentences ? 0.95 : nil,
                finalizesFrequently: finalizesFrequently, hasLanguages: hasLanguages)
        }

        /// The settings for a file.
        ///
        /// - Parameter hasLanguages: whether several languages may be spoken. A model hears a window in one of them, and leaves out or
        ///   translates speech in another, so a window is what one speaker says in a turn. Turns in one language are then decoded as one,
        ///   for it recognizes speech better beside other speech.
        static func file(hasLanguages: Bool) -> Settings {
            hasLanguages ? Settings(closingPause: 0.7, hasLanguages: true, joinPause: 2) : Settings()
        }
    }
}
