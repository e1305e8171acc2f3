import Foundation
import Glibc
import Outbox
import System

enum Destinations {
    /// The path of the file: `$XDG_CONFIG_HOME/utter/destinations.json`.
    static func path(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.configuration.utter(environment) + "/destinations.json"
    }

    /// Reads the destinations from the file. Without a file there is one destination, the notes.
    ///
    /// - Throws: `OutboxError` when the file can't be read or is invalid.
    static func load(
        notes: MarkdownVault.Location, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OutboxError) -> DestinationConfiguration {
        let path = path(environment)
        switch SmallFile.read(path) {
        case .content(let data):
            return try DestinationConfiguration(json: Array(data), path: path, localVault: .plain(notes, environment))
        case .missing: return DestinationConfiguration(localVault: .plain(notes, environment))
        case .notAFile:
            throw OutboxError(.inTheWay, path: path, "can't read the destinations \(path): it is not a file")
        case .unreadable(let code):
            throw OutboxError(
                OutboxError("read", path: path, errno: code).code, path: path, errno: code,
                "can't read the destinations \(path): \(String(cString: strerror(code)))")
        }
    }

    /// Reads the destinations for a command that needs them.
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
    /// A vault that is not a configured destination, with the heading and the line template of the settings. Where the settings can't
    /// be read, which every command reports, it has the standard ones.
    static func plain(_ location: Location, _ environment: [String: String]) -> MarkdownVault {
        let values = Settings.readable(environment).values
        let template = values["line"].flatMap { try? LineTemplate($0.text) } ?? .standard
        return MarkdownVault(location, heading: values["heading"]?.text, template: template)
    }
}
