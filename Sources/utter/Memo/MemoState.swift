/// What `utter memo` is doing.
enum MemoState: Equatable, Sendable {
    case gettingReady
    case listening
    /// The microphone is off.
    case paused
    case finishing
    /// The memo could not be kept.
    case failed

    /// The state in a word or two, for the user.
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
