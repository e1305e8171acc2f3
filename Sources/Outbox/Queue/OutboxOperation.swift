import Foundation

/// One thing that is to be brought somewhere, once, sooner or later.
public struct OutboxOperation: Hashable, Sendable, Identifiable {
    /// What receivers know it by: the same id is the same thing. Made by `UUID.timeOrdered()`, it says when.
    public let id: UUID
    /// Which destination it goes to: the name of a handler.
    public private(set) var kind: String
    /// What is to be brought, for the handler to understand.
    public private(set) var payload: Data
    public let createdAt: Date
    /// How often it was tried.
    public var attemptCount = 0
    /// When it was last tried.
    public var lastAttemptAt: Date?
    /// Not to be tried before; nil means at once.
    public var nextEligibleAt: Date?
    /// Why the last attempt failed, for people. Never what was said.
    public var lastError: String?
    /// When it first failed.
    public var firstFailedAt: Date?
    /// The last attempt didn't reach the receiver; the next need not wait when the network comes back.
    public var isUnreachable = false
    /// Trying again makes no sense before the user has done something.
    public var waitsForUser = false
    /// An attempt has begun whose request may have reached the receiver, and whose answer has not reached us. Known only where the
    /// handler needs it.
    public var mayHaveArrived = false
    /// What a newer version has written, and any order of members.
    private var fields = JSONObject()

    public init(id: UUID = .timeOrdered(), kind: String, payload: Data, createdAt: Date = Date()) {
        self.id = id
        self.kind = kind
        self.payload = payload
        self.createdAt = createdAt
    }
}

extension OutboxOperation {
    /// Gives it another destination, as if it had never been tried. It keeps its id, so that nobody takes it for two.
    ///
    /// - Parameter notesFolder: the folder that notes without a configuration are to go to; nil for the usual one.
    public mutating func move(to destination: String, notesFolder: String?) {
        kind = destination
        if var capture = Capture(payload: payload), capture.notesFolder != notesFolder {
            capture.notesFolder = notesFolder
            payload = capture.payload
        }
        attemptCount = 0
        lastAttemptAt = nil
        nextEligibleAt = nil
        lastError = nil
        firstFailedAt = nil
        isUnreachable = false
        waitsForUser = false
        mayHaveArrived = false
    }

    /// Whether it goes to another place than `other`, which has the same id.
    func hasMoved(since other: OutboxOperation) -> Bool { kind != other.kind || payload != other.payload }
}

extension OutboxOperation {
    /// Why bytes are no operation.
    struct Undecodable: Error {}

    private enum Field {
        static let id = "id"
        static let kind = "kind"
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
        /// For a payload that isn't text.
        static let payloadBase64 = "payloadBase64"
    }

    /// The JSON in an operation's file. Every field but the first four may be missing, in every version for ever.
    var json: [UInt8] {
        var fields = fields
        fields[Field.id] = .string(id.name)
        fields[Field.kind] = .string(kind)
        fields[Field.createdAt] = Self.seconds(createdAt)
        fields[Field.attemptCount] = attemptCount == 0 ? nil : .number(String(attemptCount))
        fields[Field.lastAttemptAt] = lastAttemptAt.map(Self.seconds)
        fields[Field.nextEligibleAt] = nextEligibleAt.map(Self.seconds)
        fields[Field.lastError] = lastError.map { .string($0) }
        fields[Field.firstFailedAt] = firstFailedAt.map(Self.seconds)
        fields[Field.isUnreachable] = isUnreachable ? .bool(true) : nil
        fields[Field.waitsForUser] = waitsForUser ? .bool(true) : nil
        fields[Field.mayHaveArrived] = mayHaveArrived ? .bool(true) : nil
        if let text = String(validating: payload, as: UTF8.self) {
            fields[Field.payload] = .string(text)
        } else {
            fields[Field.payloadBase64] = .string(payload.base64EncodedString())
        }
        return Array(JSONValue.object(fields).text.utf8) + [UInt8(ascii: "\n")]
    }

    init(json: [UInt8]) throws(Undecodable) {
        guard let fields = (try? JSONParser.parse(json))?.object,
            let id = fields[Field.id]?.string.flatMap(UUID.init),
            let kind = fields[Field.kind]?.string,
            let createdAt = Self.date(fields[Field.createdAt]),
            let payload = fields[Field.payload]?.string.map({ Data($0.utf8) })
                ?? fields[Field.payloadBase64]?.string.flatMap({ Data(base64Encoded: $0) })
        else { throw Undecodable() }
        self.init(id: id, kind: kind, payload: payload, createdAt: createdAt)
        // A field that is there with another type than ours was written by somebody who means something by it.
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

    /// A reason without what a program had said, which earlier versions wrote behind how it ended.
    private static func withoutWords(_ reason: String) -> String {
        for end in [" exit status ", " by signal "] {
            guard let range = reason.range(of: end) else { continue }
            let number = reason[range.upperBound...].prefix { $0.isNumber }
            if reason[number.endIndex...].hasPrefix(": ") { return String(reason[..<number.endIndex]) }
        }
        guard let range = reason.range(of: " can't be run: ") else { return reason }
        return reason[..<range.lowerBound] + " can't be run"
    }

    /// What a file says beyond that counts as that, so that counting on can't overflow.
    private static let mostAttempts = 1_000_000_000

    /// In seconds since 1970, to the microsecond.
    private static func seconds(_ date: Date) -> JSONValue {
        let microseconds = Int64(max(-9e15, min(9e15, (date.timeIntervalSince1970 * 1e6).rounded())))
        let fraction = String(abs(microseconds % 1_000_000))
        let sign = microseconds < 0 && microseconds / 1_000_000 == 0 ? "-" : ""
        let digits = String(repeating: "0", count: 6 - fraction.count) + fraction
        return .number("\(sign)\(microseconds / 1_000_000).\(digits)")
    }

    private static func date(_ value: JSONValue?) -> Date? {
        value?.double.map { Date(timeIntervalSince1970: max(-9e9, min(9e9, $0))) }
    }
}
