import Outbox

/// A window of a session, or any window of it.
struct WindowPlace: Equatable, Sendable {
    var session: WindowSession
    /// The window; nil where the session does not tell windows apart.
    var window: String?

    var json: JSONValue {
        let variables = session.environment.sorted { $0.key < $1.key }
        var members = JSONObject([
            .init(
                key: "session",
                value: .object(JSONObject(variables.map { .init(key: $0.key, value: .string($0.value)) })))
        ])
        members["window"] = window.map { .string($0) }
        return .object(members)
    }

    init(session: WindowSession, window: String?) { (self.session, self.window) = (session, window) }

    /// Reads a place from its JSON; nil when it is none.
    init?(_ json: JSONValue) {
        guard let members = json.object, let variables = members["session"]?.object else { return nil }
        let named = variables.members.compactMap { member in member.value.string.map { (member.key, $0) } }
        session = WindowSession(Dictionary(named, uniquingKeysWith: { first, _ in first }))
        window = members["window"]?.string
    }
}
