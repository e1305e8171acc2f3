import Foundation
import System

/// A text that was said or typed: the payload of an operation whose destination takes text.
public struct CapturedText: Hashable, Sendable {
    public var text: String
    /// When the text was said or typed.
    public var capturedAt: Date
    /// The time zone in which the text was said or typed.
    public var timeZone: TimeZone
    /// The absolute path of the folder for the destination `notes`; nil for the folder of the process that drains.
    public var notesFolder: String?

    /// The farthest time from 1970 that is written, in milliseconds.
    private static let latest: Int64 = 9_000_000_000_000

    /// Creates a capture.
    ///
    /// - Parameters:
    ///   - text: what was said or typed.
    ///   - capturedAt: when that was.
    ///   - timeZone: the time zone that it was in.
    ///   - notesFolder: the absolute path of the folder for the destination `notes`; nil for that of the process that drains.
    public init(text: String, capturedAt: Date = Date(), timeZone: TimeZone = .current, notesFolder: String? = nil) {
        self.text = text
        self.capturedAt = capturedAt
        self.timeZone = timeZone
        self.notesFolder = notesFolder
    }

    /// The capture as JSON, for `OutboxOperation.payload`.
    public var payload: Data {
        let milliseconds = max(-Self.latest, min(Self.latest, capturedAt.milliseconds))
        let object = JSONValue.object([
            "text": text, "capturedAt": JSONValue.number("\(milliseconds)e-3"), "timeZone": timeZone.identifier,
            "secondsFromGMT": timeZone.secondsFromGMT(for: capturedAt), "notesFolder": notesFolder,
        ])
        return Data(object.text.utf8)
    }

    /// Reads the payload of an operation.
    ///
    /// - Returns: nil when the payload is not a capture.
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

    /// When the text was said or typed, in its time zone: `2025-03-08T14:22:00+01:00`.
    package var timestamp: String {
        let offset = timeZone.secondsFromGMT(for: capturedAt) / 60
        let moment = Calendar(identifier: .gregorian).dateComponents(in: timeZone, from: capturedAt)
        let date = [digits(moment.year, 4), digits(moment.month), digits(moment.day)].joined(separator: "-")
        let time = [digits(moment.hour), digits(moment.minute), digits(moment.second)].joined(separator: ":")
        let zone = "\(offset < 0 ? "-" : "+")\(digits(abs(offset) / 60)):\(digits(abs(offset) % 60))"
        return "\(date)T\(time)\(zone)"
    }
}

extension OutboxOperation {
    /// Creates an operation that delivers a capture to a destination.
    ///
    /// - Parameters:
    ///   - capture: the capture.
    ///   - captureID: the capture's own id. The same id and destination always make the same operation.
    ///   - destination: the configured name of the destination, which becomes the operation's destination.
    public init(_ capture: CapturedText, id captureID: UUID, to destination: String) {
        self.init(
            id: captureID.forDestination(destination), destination: destination, payload: capture.payload,
            createdAt: capture.capturedAt)
    }
}

extension TimeZone {
    /// Creates the time zone of an offset, in seconds, from a file. Foundation's own initializer traps at `Int.min`.
    ///
    /// - Returns: nil when the offset is a day or more.
    package init?(untrustedSecondsFromGMT seconds: Int) {
        guard seconds.magnitude < 86_400 else { return nil }
        self.init(secondsFromGMT: seconds)
    }
}

/// A number with at least `count` digits; nil counts as 0.
func digits(_ number: Int?, _ count: Int = 2) -> String { (number ?? 0).digits(count) }
