import Audio

/// A microphone, or another source of sound, that a command listens to.
protocol LiveCapture: Sendable {
    var configuration: CaptureConfiguration { get }
    var input: LiveInput { get }
    /// The format of the device; nil before the start.
    var deviceFormat: AudioFormat? { get }
    /// The statistics until now; nil before the start.
    var statistics: CaptureStatistics? { get }
    /// How much sound there is until now, with what is missing, in seconds.
    var duration: Double { get }
    /// How much faster the device's clock is than ours, in parts in a million; nil where it is not measured.
    var partsPerMillion: Double? { get }
    /// Starts to listen. Throws `CaptureError` when the device can't be opened.
    func start() async throws(CaptureError)
    /// Stops listening. When this returns, the input has all samples so far.
    func pause() async
    /// Stops listening for good, and ends the input.
    func stop() async
}

extension Microphone: LiveCapture {
    var duration: Double {
        statistics.map { Double($0.samplesCaptured + $0.samplesMissing) / Double(configuration.sampleRate) } ?? 0
    }

    var partsPerMillion: Double? { nil }
}
