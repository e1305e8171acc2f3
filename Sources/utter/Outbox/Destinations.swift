import Foundation
import Glibc
import Outbox
import System

/// The destinations of the user's configuration.
enum Destinations {
    /// `$XDG_CONFIG_HOME/utter/destinations.json`
    static func path(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.configuration.utter(environment) + "/destinations.json"
    }

    /// Reads them; where there is no file, there is one destination, the notes.
    ///
    /// - Throws: `OutboxError` when the file can't be read, or makes no sense.
    static func load(
        notes: MarkdownVault.Location, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OutboxError) -> DestinationConfiguration {
        let path = path(environment)
        switch SmallFile.read(path) {
        case .content(let data): return try DestinationConfiguration(json: Array(data), path: path, localVault: .plain(notes, environment))
        case .missing: return DestinationConfiguration(localVault: .plain(notes, environment))
        case .notAFile:
            throw OutboxError(.inTheWay, path: path, "can't read the destinations \(path): it is not a file")
        case .unreadable(let code):
            throw OutboxError(
                OutboxError("read", path: path, errno: code).code, path: path, errno: code,
                "can't read the destinations \(path): \(String(cString: strerror(code)))")
        }
    }

    /// Loads the destinations for a command that can't do without them.
    static func required(
        notes: MarkdownVault.Location, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandError) -> DestinationConfiguration {
        do throws(OutboxError) {
            return try load(notes: notes, environment)
        } catch {
            throw CommandError(error.description, .configuration)
        }
    }
}

extension MarkdownVault {
    /// Notes that are no configured destination, written as the settings have it. Where those can't be read, which every command says, the
    /// lines are as usual.
    static func plain(_ location: Location, _ environment: [String: String], calls: FileCalls = .system) -> MarkdownVault {
        let values = (try? Settings.load(environment))?.values
        let template = values?["line"].flatMap { try? LineTemplate($0.text) } ?? .standard
        return MarkdownVault(location, heading: values?["heading"]?.text, template: template, calls: calls)
    }
}
