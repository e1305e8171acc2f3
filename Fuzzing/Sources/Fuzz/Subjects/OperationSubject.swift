import Foundation

@testable import Outbox

/// The outbox's files: JSON and operations are the same after they are written and read again.
enum OperationSubject {
    static func check(_ bytes: [UInt8]) {
        guard let value = try? JSONParser.parse(bytes) else {
            require((try? OutboxOperation(json: bytes)) == nil, "what isn't JSON is no operation")
            return
        }
        let again = require(try? JSONParser.parse(Array(value.text.utf8)), "JSON that was written can be read")
        require(isSame(again.text, value.text) && again == value, "JSON comes out of a rewrite as it was")
        require(!value.text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "JSON is one line without control characters")

        guard var operation = try? OutboxOperation(json: bytes) else { return }
        check(operation, fields: require(value.object, "an operation is an object"))
        CaptureSubject.check(Array(operation.payload))

        // The steps of the drainer.
        let now = Date(timeIntervalSince1970: 1.8e9)
        for isAtOnce in [false, true] {
            if case .wait(let seconds) = operation.readiness(now: now, isAtOnce: isAtOnce, knowsDestination: true) {
                require(seconds > 0 && seconds <= Backoff.longestPause * (1 + Backoff.jitter), "it waits a day at most")
            }
        }
        let before = operation.attemptCount
        operation.waitForUser("why", at: now)
        require(operation.attemptCount == before + 1, "attempts are counted")
        check(operation, fields: nil)
    }

    private static func check(_ operation: OutboxOperation, fields: JSONObject?) {
        let json = operation.json
        let again = require(try? OutboxOperation(json: json), "an operation that was written can be read")
        require(again.id == operation.id && again.payload == operation.payload, "the same operation")
        require(
            isSame(again.destination, operation.destination) && isSame(again.lastError, operation.lastError),
            "the same words")
        require((0...operation.attemptCount).contains(again.attemptCount), "a count that is no greater")
        require(again.attemptCount == operation.attemptCount || again.attemptCount >= 1_000_000_000, "the same count")
        require(
            again.isUnreachable == operation.isUnreachable && again.waitsForUser == operation.waitsForUser,
            "the same state")
        for date in [\OutboxOperation.lastAttemptAt, \.nextEligibleAt, \.firstFailedAt] {
            require(isClose(again[keyPath: date], operation[keyPath: date]), "the same time")
        }
        require(isClose(again.createdAt, operation.createdAt), "made at the same time")
        require(json.last == 0x0A && !json.dropLast().contains(0x0A), "a line")

        guard let fields else { return }
        let written = require((try? JSONParser.parse(json))?.object, "an object")
        for member in fields.members where !ownFields.contains(member.key) {
            require(
                isSame(written[member.key]?.text, member.value.text), "a field of a newer version stays: \(member.key)")
        }
    }

    private static let ownFields: Set<String> = [
        "id", "kind", "createdAt", "attemptCount", "lastAttemptAt", "nextEligibleAt", "lastError", "firstFailedAt",
        "unreachable",
        "waitsForUser", "payload", "payloadBase64",
    ]

    /// Whether two dates are the same to the microsecond, the precision of the file, or to that of a `Double` in far centuries.
    private static func isClose(_ one: Date?, _ other: Date?) -> Bool {
        switch (one, other) {
        case (let one?, let other?): abs(one.timeIntervalSince(other)) < 4e-6
        case (nil, nil): true
        default: false
        }
    }
}
