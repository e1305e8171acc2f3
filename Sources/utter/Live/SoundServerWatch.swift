import Foundation
import Glibc
import System

/// Sees which sources of PulseAudio or PipeWire this process hears.
///
/// When a source goes, the server moves its listeners to another one, without a word: the microphone would pass for what others say. And when
/// sound is played elsewhere, what listened to `monitor` stays with the old output. What pactl(1) says; where it is missing, nothing is seen.
enum SoundServerWatch {
    /// Has an element when a listener may have been moved, or the standard output has changed, until its reader is cancelled.
    static func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let started = try? ChildProcess(
            "pactl", ["subscribe"], errors: .nothing, survivesInterrupt: true, environment: ["LC_ALL": "C"])
        guard let child = started else {
            continuation.finish()
            return changes
        }
        // A thread of its own, which ends with the child; that is killed when its last reference goes.
        let output = child.output
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = read(output, &bytes, bytes.count), count > 0 {
                let text = String(decoding: bytes[..<count], as: UTF8.self)
                if text.contains("source-output") || text.contains("server") { continuation.yield() }
            }
            close(output)
            continuation.finish()
        }
        continuation.onTermination = { _ in withExtendedLifetime(child) {} }
        return changes
    }

    /// What the server says now.
    struct Present: Equatable {
        /// The names of the sources that a process hears.
        var heard: Set<String>
        /// The name of the monitor of the standard output; nil where that is not known.
        var monitor: String?

        /// Whether a device with this ALSA name is heard; true where that can't be known.
        func hears(_ device: String) -> Bool {
            guard let name = device.split(separator: ":", maxSplits: 1).last.map(String.init),
                device.hasPrefix("pulse:")
            else { return true }
            if device == CaptureOptions.device(CaptureOptions.monitor) { return monitor.map(heard.contains) ?? true }
            // Another name with an @ stands for what the server chooses.
            return heard.isEmpty || name.hasPrefix("@") || heard.contains(name)
        }
    }

    /// Asks the server; nil when it does not answer.
    static func present() async -> Present? {
        guard let outputs = await answer("--format=json", "list", "source-outputs"),
            let sources = await answer("--format=json", "list", "sources"),
            let sink = await answer("get-default-sink")
        else { return nil }
        return present(outputs: outputs, sources: sources, sink: sink, process: getpid())
    }

    /// - Parameters:
    ///   - outputs: the listeners, as pactl says it in JSON.
    ///   - sources: the sources, as pactl says it in JSON.
    ///   - sink: the name of the standard output.
    ///   - process: the process whose listeners count.
    static func present(outputs: Data, sources: Data, sink: Data, process: pid_t) -> Present {
        let names = objects(sources).reduce(into: [Int: String]()) { names, source in
            if let index = source["index"] as? Int { names[index] = source["name"] as? String }
        }
        let own = objects(outputs).filter { output in
            (output["properties"] as? [String: Any])?["application.process.id"] as? String == String(process)
        }
        let name = String(decoding: sink, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let monitor = objects(sources).first { $0["monitor_source"] as? String == name }?["name"] as? String
        let heard = own.compactMap { ($0["source"] as? Int).flatMap { names[$0] } }
        return Present(
            heard: Set(heard), monitor: heard.isEmpty ? nil : monitor ?? (name.isEmpty ? nil : name + ".monitor"))
    }

    private static func objects(_ json: Data) -> [[String: Any]] {
        (try? JSONSerialization.jsonObject(with: json)) as? [[String: Any]] ?? []
    }

    private static func answer(_ words: String...) async -> Data? {
        let finished = await BoundedProgram("pactl", words, environment: ["LC_ALL": "C"], timeLimit: .seconds(2)).run()
        return finished.end == .exited(0) && !finished.isOutputCut ? Data(finished.output) : nil
    }
}
