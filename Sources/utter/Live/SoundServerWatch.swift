import Foundation
import Glibc
import System

/// Sees which sources of PulseAudio or PipeWire this process hears.
///
/// When a source goes, or another one becomes the standard one, the server moves its listeners, without a word: the microphone would pass
/// for what others say. And when sound is played elsewhere, what listened to `monitor` stays with the old output. What pactl(1) says; where
/// it is missing, nothing is seen.
///
/// Who is heard elsewhere is opened again. To move the stream back would be no quicker, and the server would remember it: from then on all
/// that names no device would hear that source.
enum SoundServerWatch {
    /// Whether the programs are there that it takes.
    static var isPossible: Bool { BoundedProgram.isThere("pactl") && BoundedProgram.isThere("setpriv") }

    /// Sees to it that each device of a sound server is heard itself, and not another one in its place, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - devices: the ALSA names of the devices that this process hears.
    ///   - replaced: gets the place among them of a device that is not heard any more.
    /// - Returns: nil where none is the server's, or nothing can be seen.
    static func watch(_ devices: [String], replaced: @escaping @Sendable (Int) -> Void) -> Task<Void, Never>? {
        guard devices.contains(where: isWatched), isPossible else { return nil }
        return Task {
            while !Task.isCancelled {
                for await _ in changes() {
                    for index in await present()?.unheard(devices) ?? [] { replaced(index) }
                }
                // The server has ended, and may come back.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Whether a device is one that a server may replace by another, which may hear what is not meant for it. The server may choose any that has
    /// no name, but for a monitor.
    static func isWatched(_ device: String) -> Bool { isStandardMonitor(device) || namedSource(device) != nil }

    private static func isStandardMonitor(_ device: String) -> Bool {
        device == CaptureOptions.device(CaptureOptions.monitor)
    }

    /// The name of the source that a device is; nil where that is none of the server's, or where the server chooses it, or has a number for it.
    static func namedSource(_ device: String) -> String? {
        let name = device.dropFirst("pulse:".count)
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
        return device.hasPrefix("pulse:") && isPlain && Int(name) == nil && !name.isEmpty ? String(name) : nil
    }

    /// Whether a source of the server is there; true for what is none of them, or where nobody knows.
    static func isThere(_ device: String) async -> Bool {
        guard let name = namedSource(device), let sources = await SoundServer.answer(SoundServer.sources) else {
            return true
        }
        return SoundServer.objects(sources).contains { $0["name"] as? String == name }
    }

    /// Has an element when a listener may have been moved, or the standard output has changed, until its reader is cancelled.
    private static func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let cancellation = ChildCancellation()
        continuation.onTermination = { _ in cancellation.stop() }
        // A thread of its own, for the child ends with the thread that has started it, however this process ends.
        Thread.detachNewThread {
            try? watch(cancellation) { continuation.yield() }
            continuation.finish()
        }
        return changes
    }

    /// Reads what pactl says of events, until it ends or is ended.
    private static func watch(_ cancellation: ChildCancellation, changed: () -> Void) throws {
        let child = try ChildProcess(
            "setpriv", ["--pdeathsig", "KILL", "pactl", "subscribe"], errors: .nothing, survivesInterrupt: true,
            environment: ["LC_ALL": "C"])
        defer { close(child.output) }
        try cancellation.hold(child)
        // What changed before is not told.
        changed()
        var bytes = [UInt8](repeating: 0, count: 4096)
        while case let count = read(child.output, &bytes, bytes.count), count > 0 {
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            if text.contains("source-output") || text.contains("server") { changed() }
        }
    }

    /// What the server says now.
    struct Present: Equatable {
        /// The names of the sources that a process hears, one for each time that it does.
        var heard: [String]
        /// The name of the monitor of the standard output; nil where that is not known.
        var monitor: String?

        /// Which of the devices, by their ALSA names, are not heard; none where that can't be known.
        func unheard(_ devices: [String]) -> [Int] {
            if heard.isEmpty { return [] }
            var left = heard
            // A name is sure, and the standard output changes.
            let order =
                devices.indices.filter { !isStandardMonitor(devices[$0]) }
                + devices.indices.filter { isStandardMonitor(devices[$0]) }
            return order.filter { index in
                guard let name = isStandardMonitor(devices[index]) ? monitor : namedSource(devices[index]) else {
                    return false
                }
                guard let place = left.firstIndex(of: name) else { return true }
                left.remove(at: place)
                return false
            }
        }
    }

    /// Asks the server; nil when it does not answer.
    static func present() async -> Present? {
        guard let outputs = await SoundServer.answer(["--format=json", "list", "source-outputs"]),
            let sources = await SoundServer.answer(SoundServer.sources),
            let sink = await SoundServer.answer(["get-default-sink"])
        else { return nil }
        return present(outputs: outputs, sources: sources, sink: sink, process: getpid())
    }

    /// - Parameters:
    ///   - outputs: the listeners, as pactl says it in JSON.
    ///   - sources: the sources, as pactl says it in JSON.
    ///   - sink: the name of the standard output.
    ///   - process: the process whose listeners count.
    static func present(outputs: Data, sources: Data, sink: Data, process: pid_t) -> Present {
        let sources = SoundServer.objects(sources)
        let names = sources.reduce(into: [Int: String]()) { names, source in
            if let index = source["index"] as? Int { names[index] = source["name"] as? String }
        }
        let own = SoundServer.objects(outputs).filter { output in
            (output["properties"] as? [String: Any])?["application.process.id"] as? String == String(process)
        }
        let name = String(decoding: sink, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let monitor = name.isEmpty ? nil : sources.first { $0["monitor_source"] as? String == name }
        let heard = own.compactMap { ($0["source"] as? Int).flatMap { names[$0] } }
        return Present(
            heard: heard, monitor: name.isEmpty ? nil : monitor?["name"] as? String ?? name + ".monitor")
    }
}
