import Foundation
import Outbox

/// A text that is to be typed: the payload of an operation in the queue of `utter type`.
struct TypedText: Equatable, Sendable {
    var text: String
    /// The dictation that the text belongs to. If one of its texts has to wait, so do all after it.
    var dictation: String
    /// The place that the text is meant for.
    var place: WindowPlace
    /// Whether what was typed last is erased, and no text typed.
    var takesBack = false
    /// When it came into the queue. What it takes back was there before.
    var queuedAt = Date.distantFuture

    var payload: Data {
        var members = JSONObject([
            .init(key: "text", value: .string(text)), .init(key: "dictation", value: .string(dictation)),
            .init(key: "place", value: place.json),
        ])
        members["takesBack"] = takesBack ? .bool(true) : nil
        return Data(JSONValue.object(members).text.utf8)
    }
}

extension TypedText {
    /// Reads the payload of an operation.
    ///
    /// - Returns: nil when the payload is no such text.
    init?(_ operation: OutboxOperation) {
        guard let members = (try? JSONParser.parse(Array(operation.payload)))?.object,
            let text = members["text"]?.string,
            let dictation = members["dictation"]?.string, let place = members["place"].flatMap(WindowPlace.init)
        else { return nil }
        self.init(
            text: text, dictation: dictation, place: place, takesBack: members["takesBack"]?.bool ?? false,
            queuedAt: operation.createdAt)
    }
}
