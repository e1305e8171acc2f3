import Foundation

/// Something that was said or typed: the payload of an operation whose destination is for text.
public struct Capture: Hashable, Sendable {
    public var text: String
    public var capturedAt: Date
    public var timeZone: TimeZone
    /// The folder that notes without a configuration are to go to, from the root on. Whoever drains may have set another; where nothing
    /// is said, that one counts.
    public var notesFolder: String?

    /// So far from 1970 a time makes sense, in milliseconds.
    private static let latest: Int64 = 9_000_000_000_000

    public init(text: String, capturedAt: Date = Date(), timeZone: TimeZone = .current, notesFolder: String? = nil) {
        self.text = text
        self.capturedAt = capturedAt
        self.timeZone = timeZone
        self.notesFolder = notesFolder
    }

    /// As JSON.
    public var payload: Data {
        let milliseconds = max(-Self.latest, min(Self.latest, capturedAt.milliseconds))
        var members: [JSONObject.Member] = [
            .init(key: "text", value: .string(text)),
            .init(key: "capturedAt", value: .number("\(milliseconds)e-3")),
            .init(key: "timeZone", value: .string(timeZone.identifier)),
            .init(key: "secondsFromGMT", value: .number(String(timeZone.secondsFromGMT(for: capturedAt)))),
        ]
        if let notesFolder { members.append(.init(key: "notesFolder", value: .string(notesFolder))) }
        return Data(JSONValue.object(JSONObject(members)).text.utf8)
    }

    /// - Returns: nil when the payload is something else.
    public init?(payload: Data) {
        guard let fields = (try? JSONParser.parse(Array(payload)))?.object, let text = fields["text"]?.string,
            let seconds = fields["capturedAt"]?.double, abs(seconds * 1000) <= Double(Self.latest)
        else { return nil }
        let zone = fields["timeZone"]?.string.flatMap { TimeZone(identifier: $0) }
        let offset = fields["secondsFromGMT"]?.integer.flatMap { TimeZone(untrustedSecondsFromGMT: $0) }
        self.init(
            text: text, capturedAt: Date(timeIntervalSince1970: seconds), timeZone: zone ?? offset ?? .gmt,
            notesFolder: fields["notesFolder"]?.string)
    }

    /// `2025-03-08T14:22:00+01:00`
    package var timestamp: String {
        let offset = timeZone.secondsFromGMT(for: capturedAt) / 60
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let moment = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: capturedAt)
        let date = [digits(moment.year, 4), digits(moment.month), digits(moment.day)].joined(separator: "-")
        let time = [digits(moment.hour), digits(moment.minute), digits(moment.second)].joined(separator: ":")
        let zone = "\(offset < 0 ? "-" : "+")\(digits(abs(offset) / 60)):\(digits(abs(offset) % 60))"
        return "\(date)T\(time)\(zone)"
    }
}

extension OutboxOperation {
    /// An operation that brings a capture to a destination.
    ///
    /// - Parameters:
    ///   - captureID: the capture's own id: handed over again, it makes no second operation.
    ///   - destination: the name by which it is configured, which is the operation's kind.
    public init(_ capture: Capture, id captureID: UUID, to destination: String) {
        self.init(
            id: captureID.forDestination(destination), kind: destination, payload: capture.payload,
            createdAt: capture.capturedAt)
    }
}

extension TimeZone {
    /// The zone of an offset that stood in a file. Foundation's own initializer traps at an integer that has no magnitude.
    ///
    /// - Returns: nil when it is no offset.
    package init?(untrustedSecondsFromGMT seconds: Int) {
        guard seconds.magnitude < 86_400 else { return nil }
        self.init(secondsFromGMT: seconds)
    }
}

/// A number with at least so many digits.
func digits(_ number: Int?, _ count: Int = 2) -> String {
    let digits = String(number ?? 0)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
}
