import Foundation

/// The day of a note, as a user names it.
enum NoteDay {
    /// The words for days, which depend on the present day.
    static let words = ["today", "yesterday"]

    /// The day as a note is named after it, such as `2026-11-23`; nil when the text names none.
    static func named(_ text: String, now: Moment = .now) -> String? {
        switch text {
        case "today": return now.day
        case "yesterday":
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = now.timeZone
            return calendar.date(byAdding: .day, value: -1, to: now.date).map {
                Moment(date: $0, timeZone: now.timeZone).day
            }
        default:
            // A date that is not in the calendar, such as 2026-02-30, is read as another.
            let utc = TimeZone.gmt
            let style = Date.ISO8601FormatStyle(timeZone: utc).year().month().day()
            guard let date = try? Date(text, strategy: style), Moment(date: date, timeZone: utc).day == text else {
                return nil
            }
            return text
        }
    }
}
