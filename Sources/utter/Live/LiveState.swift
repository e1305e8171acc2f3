/// What a command that listens is doing. The raw value is that of its events.
enum LiveState: String, Sendable {
    /// The microphone is open, the model not ready yet. What is said now is not lost.
    case gettingReady = "getting-ready"
    case listening
    /// Nothing more is heard; what was said last is being recognized.
    case finishing

    /// In a word, or a few.
    var text: String {
        switch self {
        case .gettingReady: "getting ready"
        case .listening: "listening"
        case .finishing: "finishing"
        }
    }
}
