import Models

/// The options about the model that decides.
enum SecondPassChoice {
    /// The name that stands for no such model.
    static let none = "none"

    static let option = Option<String>(
        "second-pass", "MODEL", .model(.second),
        help:
            "The model that decides on the text, with capitals and punctuation, in a process of its own: the "
            + "path of a GGUF file, the name of one that is there, or none, for libvosk alone. Without it that of UTTER_SECOND_PASS or the "
            + "configuration; else, of the installed ones that know the language, the one that utter models use has chosen, or the one with the fewest errors "
            + "(see utter help models).")

    static let guess = Option<RecognitionPlan.Guess>(
        "guess", "WHO",
        help:
            "What guesses while you speak, before the text is final: first (libvosk's model, and the deciding one at pauses), second "
            + "(the deciding model, again and again), pauses (the deciding model, at pauses only, which takes less of the processor) or "
            + "none. Without it the deciding model, and libvosk's where a good one for the language is installed.")
    static let guessLoad = Option<Int>(
        "guess-load", "PERCENT", 5...100,
        help:
            "The share of the time in which the deciding model may be guessing while you speak; 36 unless given. It takes up to "
            + "two threads.")
}
