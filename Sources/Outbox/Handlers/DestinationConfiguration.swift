import Foundation
import System

/// The destinations that a user has configured, by name. The day's note, `notes`, is one of them unless another destination
/// has that name or `"notes": false` removes it. A path that begins with `~/` is below the home folder.
///
///     {
///       "vault": {"type": "vault", "folder": "/home/me/vault", "heading": "## Memos", "line": "- {time} {text}"},
///       "mail":  {"type": "mail", "to": "me@example.org", "from": "me@example.org", "program": "msmtp -a work"},
///       "work":  {"type": "webhook", "url": "https://example.org/in", "bearer": {"file": "/home/me/.secret"}},
///       "print": {"type": "command", "command": "lp -"}
///     }
public struct DestinationConfiguration: Sendable {
    /// The handlers by the name of their destination, which is the kind of the operations that go there.
    public let handlers: [String: any OutboxHandler]
    /// The destinations of a capture for which none is named: the day's note, and then the others in the order of the file.
    public let names: [String]

    /// Creates the configuration for a user who has none: the day's note only.
    public init(localVault: MarkdownVault) {
        handlers = [Self.notes: VaultHandler(localVault, followsCaptures: true)]
        names = [Self.notes]
    }

    /// The name of the destination that exists without a configuration: the day's note.
    package static let notes = "notes"

    /// Reads the user's configuration.
    ///
    /// - Parameters:
    ///   - json: the content of the file.
    ///   - path: the file's path, for errors.
    ///   - localVault: the vault for `notes`, when no configured destination has that name.
    /// - Throws: `OutboxError` with the code `invalid` and a sentence that says what is wrong and where.
    public init(json: [UInt8], path: String, localVault: MarkdownVault) throws(OutboxError) {
        func wrong(_ sentence: String) -> OutboxError { OutboxError(.invalid, path: path, "\(path): \(sentence)") }
        let value: JSONValue
        do throws(JSONParser.Failure) { value = try JSONParser.parse(json) } catch {
            throw wrong(error.description(in: json))
        }
        guard let object = value.object else { throw wrong("it is not a JSON object of destinations by their names") }
        let keepsNotes = object[Self.notes]?.bool ?? true
        let members = object.members.filter { $0.key != Self.notes || $0.value.bool == nil }
        if members.isEmpty, !keepsNotes {
            throw wrong("it takes the day's note away and names no other destination: what is said would go nowhere")
        }
        // Operations that were queued for the notes, or are sent there by name, still arrive.
        var handlers: [String: any OutboxHandler] = [Self.notes: VaultHandler(localVault, followsCaptures: true)]
        for member in members {
            guard !member.key.isEmpty, let fields = member.value.object else {
                throw wrong("the destination '\(member.key)' is not a JSON object with a type")
            }
            do throws(OutboxError) {
                handlers[member.key] = try Self.handler(Fields(fields))
            } catch {
                throw wrong("the destination '\(member.key)': \(error.description)")
            }
        }
        self.handlers = handlers
        let named = members.map(\.key)
        // A configured vault in the same folder is the day's note already; a second one would add everything twice.
        let isThere = named.contains { name in
            name == Self.notes
                || (handlers[name] as? VaultHandler).map { Self.isSame($0.location.path, localVault.location.path) }
                    ?? false
        }
        names = (keepsNotes && !isThere ? [Self.notes] : []) + named
    }

    /// Whether two paths lead to the same folder.
    package static func isSame(_ folder: String, _ other: String) -> Bool {
        func resolved(_ path: String) -> String {
            URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
        }
        return resolved(folder) == resolved(other)
    }

    private static func handler(_ fields: Fields) throws(OutboxError) -> any OutboxHandler {
        switch try fields.required("type") {
        case "vault":
            try fields.allow(["folder", "heading", "line"])
            let template: LineTemplate =
                if let line = try fields.text("line") { try LineTemplate(line) } else { .standard }
            return VaultHandler(
                MarkdownVault(
                    .named(try fields.path(try fields.required("folder"), "folder")),
                    heading: try fields.text("heading"),
                    template: template))
        case "mail":
            try fields.allow(["to", "from", "program"])
            return try MailHandler(
                to: try fields.required("to"), from: try fields.text("from"),
                program: try fields.text("program") ?? "sendmail")
        case "webhook":
            try fields.allow(["url", "bearer", "headers"])
            var headers: [String: WebHookHandler.Secret] = [:]
            if let value = fields.object["headers"] {
                guard let object = value.object else {
                    throw OutboxError(
                        .invalid, path: "", "'headers' is not a JSON object of secrets by the names of headers")
                }
                for member in object.members { headers[member.key] = try fields.secret(member.value) }
            }
            return try WebHookHandler(
                try fields.required("url"), bearer: try fields.object["bearer"].map(fields.secret), headers: headers)
        case "command":
            try fields.allow(["command"])
            return CommandHandler(try fields.required("command"))
        case let type:
            throw OutboxError(
                .invalid, path: "", "'\(type)' is no type of destination: choose vault, mail, webhook or command")
        }
    }

    private struct Fields {
        let object: JSONObject

        init(_ object: JSONObject) { self.object = object }

        func allow(_ names: [String]) throws(OutboxError) {
            for member in object.members where member.key != "type" && !names.contains(member.key) {
                throw OutboxError(
                    .invalid, path: "", "'\(member.key)' is not known here; it takes \(names.joined(separator: ", "))")
            }
        }

        func text(_ name: String) throws(OutboxError) -> String? {
            guard let value = object[name] else { return nil }
            guard let text = value.string, text.contains(where: { !$0.isWhitespace }) else {
                throw OutboxError(.invalid, path: "", "'\(name)' is no text")
            }
            return text
        }

        func required(_ name: String) throws(OutboxError) -> String {
            guard let text = try text(name) else { throw OutboxError(.invalid, path: "", "'\(name)' is missing") }
            return text
        }

        /// An absolute path: the process that drains may have any working folder.
        ///
        /// - Throws: `OutboxError` when the path begins neither with `/` nor with `~/`.
        func path(_ text: String, _ name: String) throws(OutboxError) -> String {
            if text.hasPrefix("/") { return text }
            if text.hasPrefix("~/") { return BaseFolder.home(ProcessInfo.processInfo.environment) + text.dropFirst() }
            throw OutboxError(.invalid, path: "", "'\(name)' is not a path that begins with / or ~/")
        }

        /// Where a secret is found; the secret itself never stands in the configuration.
        func secret(_ value: JSONValue) throws(OutboxError) -> WebHookHandler.Secret {
            if let name = value.object?["environment"]?.string { return .environment(name) }
            if let path = value.object?["file"]?.string { return .file(try self.path(path, "file")) }
            throw OutboxError(
                .invalid, path: "",
                "a secret is given by its place: {\"file\": \"PATH\"} or {\"environment\": \"NAME\"}")
        }
    }
}
