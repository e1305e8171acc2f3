import Foundation

/// A time and its time zone, which together give the local time.
struct Moment: Equatable, Sendable {
    var date: Date
    /// The time zone; by default that of the system.
    var timeZone = TimeZone.current

    /// The local date, such as `2025-03-01`.
    var day: String { date.formatted(Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day()) }

    /// The present time, in the time zone of the system.
    static var now: Moment { Moment(date: Date()) }
}
