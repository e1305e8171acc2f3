import Audio
import Speech

/// A source of sound of `utter listen`: the microphone, or one of several sources, which have names.
struct ListenSource: Sendable {
    enum Event: Sendable {
        /// The one microphone has ended, with the error if it failed.
        case ended((any Error)?)
        /// The device of a source with this name has gone, or is there again.
        case changed(String, SourceCapture.Event)
    }

    /// Counted from 0.
    let index: Int
    /// Nil for the one microphone. Untrusted.
    let name: String?
    let capture: any LiveCapture

    /// Whether nothing is wrong when it is silent for long: nobody may play anything.
    var mayBeSilent: Bool { CaptureOptions.isMonitor(capture.configuration.device) }

    func named(_ sentence: String) -> String { name.map { "\($0): \(sentence)" } ?? sentence }

    func naming(_ error: any Error) -> any Error {
        guard name != nil else { return error }
        var error = CommandError(error)
        error.message = named(error.message)
        return error
    }

    /// Makes the sources that the options name. What happens to the devices is reported on any thread.
    static func all(
        _ options: ListenOptions, saver: AudioSaver?, report: @escaping @Sendable (Event) -> Void
    ) -> [ListenSource] {
        if options.sources.isEmpty { return [microphone(options, saver, report)] }
        let clock = SharedClock()
        return options.sources.enumerated().map { index, source in
            var configuration = options.capture.configuration
            configuration.device = CaptureOptions.device(source.device)
            let capture = SourceCapture(
                configuration, clock: clock,
                save: { saver?.write($0.samples, at: $0.position ?? 0, channel: index) },
                report: { report(.changed(source.name, $0)) })
            return ListenSource(index: index, name: source.name, capture: capture)
        }
    }

    private static func microphone(
        _ options: ListenOptions, _ saver: AudioSaver?, _ report: @escaping @Sendable (Event) -> Void
    ) -> ListenSource {
        var configuration = options.capture.configuration
        configuration.sampleLimit = options.duration.map { Int64(($0 * Double(configuration.sampleRate)).rounded()) }
        let input = LiveInput(captureEnded: { report(.ended($0)) })
        return ListenSource(index: 0, name: nil, capture: Microphone(configuration, input: input, saver: saver))
    }
}
