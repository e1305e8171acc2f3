import Foundation
import System

/// The format of the messages between a session and its worker: the length of the rest in four bytes, little-endian, and
/// JSON with the version and the message. It is pure, and input is checked as if it were hostile.
enum WorkerProtocol {
    /// The version of the messages. Both sides are the same program, but an update may come between.
    static let version = 10
    /// The longest message in bytes: half an hour of samples, or more text than anyone says at once.
    static let longestMessage = 128 << 20

    static func bytes(of message: some WorkerMessage) -> [UInt8] {
        guard let content = try? Envelope(message: message).json(), content.count <= longestMessage else {
            preconditionFailure("a message fits into the protocol")
        }
        return withUnsafeBytes(of: UInt32(content.count).littleEndian) { Array($0) } + content
    }

    fileprivate struct Envelope<Message: WorkerMessage>: Codable {
        var version = WorkerProtocol.version
        var message: Message
    }
}

/// A message that can be written to the stream and read from it.
protocol WorkerMessage: Codable, Sendable {
    /// Whether its values are in their bounds.
    var isInBounds: Bool { get }
}

struct MalformedMessage: Error {}

/// The messages of a stream that arrives in pieces.
struct WorkerMessages<Message: WorkerMessage> {
    private var bytes: [UInt8] = []
    /// The beginning of the next message in `bytes`.
    private var start = 0

    mutating func append(_ piece: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += piece
    }

    /// Returns the next message, or nil if it is not complete yet.
    ///
    /// - Throws: `MalformedMessage` if it is invalid. The rest of the stream can't be read then.
    mutating func next() throws(MalformedMessage) -> Message? {
        guard bytes.count - start >= 4 else { return nil }
        let length = bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= WorkerProtocol.longestMessage else { throw MalformedMessage() }
        guard bytes.count - start - 4 >= length else { return nil }
        start += 4 + length
        guard let envelope = WorkerProtocol.Envelope<Message>(json: bytes[start - length..<start]),
            envelope.version == WorkerProtocol.version, envelope.message.isInBounds
        else { throw MalformedMessage() }
        return envelope.message
    }

    /// Whether there is no part of a message left.
    var isEmpty: Bool { start == bytes.count }
}
