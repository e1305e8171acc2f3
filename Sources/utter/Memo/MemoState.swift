/// What `utter memo` is doing.
enum MemoState: Equatable, Sendable {
    case gettingReady
    case listening
    /// The microphone is off.
    case paused
    case finishing
    /// It could not be kept.
    case failed

    /// In a word, or a few.
    var text: String {
        switch self {
        case .gettingReady: LiveState.gettingReady.text
        case .listening: LiveState.listening.text
        case .paused: "paused"
        case .finishing: LiveState.finishing.text
        case .failed: "failed"
        }
    }
}
