import Foundation

/// A time and its time zone, which together give the local time.
struct Moment: Equatable, Sendable {
    var date: Date
    /// The time zone; by default that of the system.
    var timeZone = TimeZone.current

    /// The local date, such as `2025-03-01`.
    var day: String { date.formatted(Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day()) }

    /// The local time in a format of `DateFormatter`, such as `HH:mm`.
    func text(_ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = timeZone
        formatter.dateFormat = format
        return formatter.string(from: date)
    }

    static var now: Moment { Moment(date: Date()) }
}
