import Foundation
import Outbox
import System

/// A text that is to be typed: the payload of an operation in the queue of `utter type`.
struct TypedText: Equatable, Sendable {
    var text: String
    /// The dictation that the text belongs to. If one of its texts has to wait, so do all after it.
    var dictation: String
    /// The window that the text is meant for; nil where the session does not tell windows apart.
    var window: String?

    var payload: Data {
        var members = JSONObject([
            .init(key: "text", value: .string(text)), .init(key: "dictation", value: .string(dictation)),
        ])
        members["window"] = window.map { .string($0) }
        return Data(JSONValue.object(members).text.utf8)
    }
}

extension TypedText {
    /// Reads the payload of an operation.
    ///
    /// - Returns: nil when the payload is no such text.
    init?(payload: Data) {
        guard let members = (try? JSONParser.parse(Array(payload)))?.object, let text = members["text"]?.string,
            let dictation = members["dictation"]?.string
        else { return nil }
        self.init(text: text, dictation: dictation, window: members["window"]?.string)
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
    func add(_ text: TypedText) throws(OutboxError) {
        try store.enqueue(OutboxOperation(destination: Self.destination, payload: text.payload))
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
