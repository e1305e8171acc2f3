import Foundation
import Outbox
import System

/// A text that is to be typed: the payload of an operation in the queue of `utter type`.
struct TypedText: Equatable, Sendable {
    var text: String
    /// The dictation that the text belongs to. If one of its texts has to wait, so do all after it.
    var dictation: String
    /// The place that the text is meant for.
    var place: WindowPlace

    var payload: Data {
        let members: [JSONObject.Member] = [
            .init(key: "text", value: .string(text)), .init(key: "dictation", value: .string(dictation)),
            .init(key: "place", value: place.json),
        ]
        return Data(JSONValue.object(JSONObject(members)).text.utf8)
    }
}

extension TypedText {
    /// Reads the payload of an operation.
    ///
    /// - Returns: nil when the payload is no such text.
    init?(payload: Data) {
        guard let members = (try? JSONParser.parse(Array(payload)))?.object, let text = members["text"]?.string,
            let dictation = members["dictation"]?.string, let place = members["place"].flatMap(WindowPlace.init)
        else { return nil }
        self.init(text: text, dictation: dictation, place: place)
    }
}

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

/// The queue of `utter type`. It is not the outbox, for only the process that serves can reach the windows.
struct TypingQueue: Sendable {
    static let destination = "window"
    let store: OutboxStore

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        store = OutboxStore(folder: BaseFolder.state.utter(environment) + "/typing")
    }

    /// Adds a text. When this returns, it is on the disk.
    ///
    /// - Returns: the text's id in the queue.
    @discardableResult
    func add(_ text: TypedText) throws(OutboxError) -> UUID {
        let operation = OutboxOperation(destination: Self.destination, payload: text.payload)
        try store.enqueue(operation)
        return operation.id
    }

    /// Makes this process the only one that types what is in the queue, as long as the lock exists. Waits five seconds for one that ends.
    func lock() throws(OutboxError) -> HeldLock {
        do throws(OutboxError) {
            return try HeldLock.waiting(for: ".serving", in: OpenFolder(store.folder, .own))
        } catch {
            if error.code != .busy { throw error }
            throw OutboxError(.busy, path: store.folder, "another process serves utter type")
        }
    }

    /// What has not been typed, the oldest first.
    func operations() throws(OutboxError) -> [(operation: OutboxOperation, text: TypedText)] {
        var found: [(OutboxOperation, TypedText)] = []
        for id in try store.index().ids {
            guard let operation = try store.operation(id), let text = TypedText(payload: operation.payload) else {
                continue
            }
            found.append((operation, text))
        }
        return found
    }
}
