/// How long a model stays loaded for the next transcriber.
public enum ModelRetention: Hashable, Sendable {
    /// As long as a transcriber uses it.
    case whileInUse
    /// For a minute longer.
    case lingering
    /// Until the process ends or `SpeechModels.endRetention()` is called.
    case processLifetime
}

/// The models that this process holds.
public enum SpeechModels {
    /// Lets go of every model that no transcriber uses any more.
    public static func endRetention() async {
        ModelCache.shared.endRetention()
    }
}
