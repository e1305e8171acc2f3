/// What a command that listens is doing. The raw value is that of its events.
enum LiveState: String, Sendable {
    /// The microphone is open, the model not ready yet. What is said now is not lost.
    case gettingReady = "getting-ready"
    case listening
    /// The microphone of a memo is off.
    case paused
    /// Nothing more is heard; what was said last is being recognized.
    case finishing
    /// The memo could not be kept.
    case failed

    /// In a word, or a few.
    var text: String { self == .gettingReady ? "getting ready" : rawValue }
}
