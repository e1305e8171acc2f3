import Foundation

/// The destinations that a user has configured, by their names.
///
///     {
///       "notes": {"type": "vault", "folder": "/home/me/vault", "heading": "## Memos", "line": "- {time} {text}"},
///       "mail":  {"type": "mail", "to": "me@example.org", "from": "me@example.org", "program": "msmtp -a work"},
///       "work":  {"type": "webhook", "url": "https://example.org/in", "bearer": {"file": "/home/me/.secret"}},
///       "print": {"type": "command", "command": "lp -"}
///     }
public struct DestinationConfiguration: Sendable {
    /// By name, which is the kind of the operations that go there.
    public let handlers: [String: any OutboxHandler]
    /// In the order of the file.
    public let names: [String]

    /// Only the local vault: what holds when nothing is configured.
    public init(localVault: MarkdownVault) {
        handlers = [Self.notes: VaultHandler(localVault, followsCaptures: true)]
        names = [Self.notes]
    }

    /// The destination that is there without being configured.
    private static let notes = "notes"

    /// - Parameter localVault: where what goes to `notes` belongs, when no destination has that name.
    /// - Throws: `OutboxError` with the code `invalid` and a sentence about what is wrong and where.
    public init(json: [UInt8], path: String, localVault: MarkdownVault) throws(OutboxError) {
        func wrong(_ sentence: String) -> OutboxError { OutboxError(.invalid, path: path, "\(path): \(sentence)") }
        guard let object = (try? JSONParser.parse(json))?.object else { throw wrong("it is not a JSON object of destinations") }
        // What was queued before anything was configured still arrives.
        var handlers: [String: any OutboxHandler] = [Self.notes: VaultHandler(localVault, followsCaptures: true)]
        for member in object.members {
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
        names = object.members.isEmpty ? [Self.notes] : object.members.map(\.key)
    }

    private static func handler(_ fields: Fields) throws(OutboxError) -> any OutboxHandler {
        switch try fields.required("type") {
        case "vault":
            try fields.allow(["folder", "heading", "line"])
            let template: LineTemplate =
                if let line = try fields.text("line") { try LineTemplate(line) } else { .standard }
            return VaultHandler(
                MarkdownVault(.named(try fields.required("folder")), heading: try fields.text("heading"), template: template))
        case "mail":
            try fields.allow(["to", "from", "program"])
            return try MailHandler(
                to: try fields.required("to"), from: try fields.text("from"), program: try fields.text("program") ?? "sendmail")
        case "webhook":
            try fields.allow(["url", "bearer", "headers"])
            var headers: [String: WebHookHandler.Secret] = [:]
            for member in fields.object["headers"]?.object?.members ?? [] { headers[member.key] = try fields.secret(member.value) }
            return try WebHookHandler(
                try fields.required("url"), bearer: try fields.object["bearer"].map(fields.secret), headers: headers)
        case "command":
            try fields.allow(["command"])
            return CommandHandler(try fields.required("command"))
        case let type:
            throw OutboxError(.invalid, path: "", "'\(type)' is no type of destination: choose vault, mail, webhook or command")
        }
    }

    private struct Fields {
        let object: JSONObject

        init(_ object: JSONObject) { self.object = object }

        func allow(_ names: [String]) throws(OutboxError) {
            for member in object.members where member.key != "type" && !names.contains(member.key) {
                throw OutboxError(.invalid, path: "", "'\(member.key)' is not known here; it takes \(names.joined(separator: ", "))")
            }
        }

        func text(_ name: String) throws(OutboxError) -> String? {
            guard let value = object[name] else { return nil }
            guard let text = value.string, !text.isEmpty else { throw OutboxError(.invalid, path: "", "'\(name)' is no text") }
            return text
        }

        func required(_ name: String) throws(OutboxError) -> String {
            guard let text = try text(name) else { throw OutboxError(.invalid, path: "", "'\(name)' is missing") }
            return text
        }

        /// A secret itself never stands in the file.
        func secret(_ value: JSONValue) throws(OutboxError) -> WebHookHandler.Secret {
            if let name = value.object?["environment"]?.string { return .environment(name) }
            if let path = value.object?["file"]?.string { return .file(path) }
            throw OutboxError(
                .invalid, path: "", "a secret is given by its place: {\"file\": \"PATH\"} or {\"environment\": \"NAME\"}")
        }
    }
}
