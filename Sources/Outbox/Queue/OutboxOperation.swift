import Foundation
import System

/// A payload for a destination, with the record of the attempts to deliver it.
public struct OutboxOperation: Hashable, Sendable, Identifiable {
    /// The id by which receivers recognize an operation that they have got before. `UUID.timeOrdered()` makes ids that hold
    /// their time.
    public private(set) var id: UUID
    /// The name of the destination, which is that of its handler.
    public private(set) var destination: String
    /// What to deliver, in the form that the handler expects.
    public private(set) var payload: Data
    /// When the operation was created.
    public let createdAt: Date
    /// The number of attempts that have ended.
    public var attemptCount = 0
    /// When the last attempt ended.
    public var lastAttemptAt: Date?
    /// The earliest time of the next attempt; nil means at once.
    public var nextEligibleAt: Date?
    /// Why the last attempt failed, as a sentence for people that never holds what was said.
    public var lastError: String?
    /// When the first attempt failed.
    public var firstFailedAt: Date?
    /// Whether the last attempt didn't reach the receiver, so that the next one is made when the network comes back.
    public var isUnreachable = false
    /// Whether no attempt can succeed before the user has done something.
    public var waitsForUser = false
    /// Whether an attempt may have reached the receiver although its answer did not arrive. Recorded only for handlers that need it.
    public var mayHaveArrived = false
    /// The members of the file, with those that a newer version has written, in their order.
    private var fields = JSONObject()

    /// Creates an operation that has not been tried.
    ///
    /// - Parameters:
    ///   - id: the id by which receivers recognize the operation.
    ///   - destination: the name of the destination.
    ///   - payload: what to deliver.
    ///   - createdAt: when the operation was created.
    public init(id: UUID = .timeOrdered(), destination: String, payload: Data, createdAt: Date = Date()) {
        self.id = id
        self.destination = destination
        self.payload = payload
        self.createdAt = createdAt
    }
}

extension OutboxOperation {
    /// The operation for another destination, as if it had never been tried. It has the id with which its capture goes there.
    ///
    /// - Parameter notesFolder: the absolute path of the folder for the destination `notes`; nil for the usual one.
    func moved(to destination: String, notesFolder: String?) -> OutboxOperation {
        var moved = self
        // What makes the id of a capture that of an operation also takes it back.
        moved.id = id.forDestination(self.destination).forDestination(destination)
        moved.destination = destination
        if var capture = CapturedText(payload: payload), capture.notesFolder != notesFolder {
            capture.notesFolder = notesFolder
            moved.payload = capture.payload
        }
        moved.forgetAttempts()
        return moved
    }

    /// Gives the operation another payload, as if it had never been tried. It keeps its id.
    package mutating func replace(payload: Data) {
        self.payload = payload
        forgetAttempts()
    }

    private mutating func forgetAttempts() {
        var untried = OutboxOperation(id: id, destination: destination, payload: payload, createdAt: createdAt)
        untried.fields = fields
        self = untried
    }

    /// Whether this operation goes to another destination than `other`, an earlier version of it.
    func hasMoved(since other: OutboxOperation) -> Bool { destination != other.destination || payload != other.payload }
}

extension OutboxOperation {
    /// The error for bytes that are not an operation.
    struct Undecodable: Error {}

    private enum Field {
        static let id = "id"
        /// The key is of the first version, in which a destination was called a kind.
        static let destination = "kind"
        static let createdAt = "createdAt"
        static let attemptCount = "attemptCount"
        static let lastAttemptAt = "lastAttemptAt"
        static let nextEligibleAt = "nextEligibleAt"
        static let lastError = "lastError"
        static let firstFailedAt = "firstFailedAt"
        static let isUnreachable = "unreachable"
        static let waitsForUser = "waitsForUser"
        static let mayHaveArrived = "mayHaveArrived"
        static let payload = "payload"
        /// The payload in Base64 when it is not UTF-8.
        static let payloadBase64 = "payloadBase64"
    }

    /// The content of the operation's file. Only the id, destination, creation date and payload are required, in every version.
    var json: [UInt8] {
        var fields = fields
        fields[Field.id] = id.name.jsonValue
        fields[Field.destination] = destination.jsonValue
        fields[Field.createdAt] = Self.seconds(createdAt)
        fields[Field.attemptCount] = attemptCount == 0 ? nil : attemptCount.jsonValue
        fields[Field.lastAttemptAt] = lastAttemptAt.map(Self.seconds)
        fields[Field.nextEligibleAt] = nextEligibleAt.map(Self.seconds)
        fields[Field.lastError] = lastError?.jsonValue
        fields[Field.firstFailedAt] = firstFailedAt.map(Self.seconds)
        fields[Field.isUnreachable] = isUnreachable ? true.jsonValue : nil
        fields[Field.waitsForUser] = waitsForUser ? true.jsonValue : nil
        fields[Field.mayHaveArrived] = mayHaveArrived ? true.jsonValue : nil
        if let text = String(validating: payload, as: UTF8.self) {
            fields[Field.payload] = text.jsonValue
        } else {
            fields[Field.payloadBase64] = payload.base64EncodedString().jsonValue
        }
        return Array(JSONValue.object(fields).text.utf8) + [UInt8(ascii: "\n")]
    }

    init(json: [UInt8]) throws(Undecodable) {
        guard let fields = (try? JSONParser.parse(json))?.object,
            let id = fields[Field.id]?.string.flatMap(UUID.init),
            let destination = fields[Field.destination]?.string,
            let createdAt = Self.date(fields[Field.createdAt]),
            let payload = fields[Field.payload]?.string.map({ Data($0.utf8) })
                ?? fields[Field.payloadBase64]?.string.flatMap({ Data(base64Encoded: $0) })
        else { throw Undecodable() }
        self.init(id: id, destination: destination, payload: payload, createdAt: createdAt)
        // A field with an unexpected type was written on purpose, by another version: the file is put aside, not rewritten.
        func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(Undecodable) -> Value? {
            guard let value = fields[name], value != .null else { return nil }
            guard let result = read(value) else { throw Undecodable() }
            return result
        }
        attemptCount = min(max(0, try optional(Field.attemptCount) { $0.integer } ?? 0), Self.mostAttempts)
        lastAttemptAt = try optional(Field.lastAttemptAt) { Self.date($0) }
        nextEligibleAt = try optional(Field.nextEligibleAt) { Self.date($0) }
        lastError = try optional(Field.lastError) { $0.string.map(Self.withoutWords) }
        firstFailedAt = try optional(Field.firstFailedAt) { Self.date($0) }
        isUnreachable = try optional(Field.isUnreachable) { $0.bool } ?? false
        waitsForUser = try optional(Field.waitsForUser) { $0.bool } ?? false
        mayHaveArrived = try optional(Field.mayHaveArrived) { $0.bool } ?? false
        self.fields = fields
    }

    /// A reason without the program's own words, which earlier versions wrote after how the program ended.
    private static func withoutWords(_ reason: String) -> String {
        for end in [" exit status ", " by signal "] {
            guard let range = reason.range(of: end) else { continue }
            let number = reason[range.upperBound...].prefix { $0.isNumber }
            if reason[number.endIndex...].hasPrefix(": ") { return String(reason[..<number.endIndex]) }
        }
        guard let range = reason.range(of: " can't be run: ") else { return reason }
        return reason[..<range.lowerBound] + " can't be run"
    }

    /// The largest number of attempts that is read from a file, so that counting can't overflow.
    private static let mostAttempts = 1_000_000_000

    /// A date in seconds since 1970, to the microsecond.
    private static func seconds(_ date: Date) -> JSONValue {
        let microseconds = Int64(max(-9e15, min(9e15, (date.timeIntervalSince1970 * 1e6).rounded())))
        let sign = microseconds < 0 && microseconds / 1_000_000 == 0 ? "-" : ""
        return .number("\(sign)\(microseconds / 1_000_000).\(abs(microseconds % 1_000_000).digits(6))")
    }

    private static func date(_ value: JSONValue?) -> Date? {
        value?.double.map { Date(timeIntervalSince1970: max(-9e9, min(9e9, $0))) }
    }
}
