import Foundation

/// A time and the zone it was told in, which together are what a clock on the wall says.
struct Moment: Equatable, Sendable {
    var date: Date
    /// Without another, that of the machine.
    var timeZone = TimeZone.current

    /// `2025-03-01`
    var day: String { date.formatted(Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day()) }

    /// What the machine says now.
    static var now: Moment { Moment(date: Date()) }
}
