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
    /// Whether what was typed last is erased, and no text typed.
    var takesBack = false
    /// When it came into the queue. What it takes back was there before.
    var queuedAt = Date.distantFuture

    var payload: Data { Data(jsonLine.utf8) }
}

extension TypedText: Codable {
    private enum CodingKeys: CodingKey { case text, dictation, place, takesBack }

    /// Reads the payload of an operation; nil when it is no such text.
    init?(_ operation: OutboxOperation) {
        self.init(json: operation.payload)
        queuedAt = operation.createdAt
    }
}
