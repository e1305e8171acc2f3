/// How long a model stays loaded for later transcribers.
public enum ModelRetention: Hashable, Sendable {
    /// While a transcriber uses the model.
    case whileInUse
    /// While a transcriber uses the model, and for one minute after the last use began.
    case lingering
    /// Until the process ends or `SpeechModels.endRetention()` is called.
    case processLifetime
}

/// The loaded models of this process.
public enum SpeechModels {
    /// Releases every model that no transcriber uses any more.
    public static func endRetention() async {
        ModelCache.shared.endRetention()
        EngineHosts.endRetention()
    }
}
