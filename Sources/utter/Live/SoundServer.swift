import Foundation
import System

/// What PulseAudio or PipeWire says of itself: pactl(1), run for an answer.
enum SoundServer {
    /// Its sources, as `objects` reads them.
    static let sources = ["--format=json", "list", "sources"]

    /// Asks the server; nil where pactl is missing, or the server does not answer.
    static func answer(_ words: [String]) async -> Data? {
        let finished = await BoundedProgram("pactl", words, environment: ["LC_ALL": "C"], timeLimit: .seconds(2)).run()
        return finished.end == .exited(0) && !finished.isOutputCut ? Data(finished.output) : nil
    }

    /// The objects of an answer in JSON; none where it is something else.
    static func objects(_ json: Data) -> [[String: Any]] {
        (try? JSONSerialization.jsonObject(with: json)) as? [[String: Any]] ?? []
    }
}
