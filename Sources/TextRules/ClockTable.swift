/// The words of times of day.
struct ClockTable: Sendable {
    /// The words after the hour; empty if there are none.
    var hours: Set<String> = []
    /// The words before an hour; empty if any will do.
    var before: Set<String> = []
    /// The words before those, which make a time of an hour and minutes.
    var beforeBefore: Set<String> = []
    /// The words after which an hour was a length of time: `à deux heures de paris`.
    var notBefore: Set<String> = []
    /// The words between minutes and an hour, which both stay words: `zehn vor acht`.
    var relative: Set<String> = []
    /// The words between two times: `de huit heures à dix heures`.
    var rangeWords: Set<String> = []
    /// The words that are no hours, though they are numbers: `eine uhr`.
    var notHours: Set<String> = []
    /// Whether an hour without minutes is written in digits.
    var hasFullHours = false
    /// The phrases for minutes after the hour, or before it if they are negative.
    var phrases: [[String]: Int] = [:]
    /// The words before minutes that are added, and those that are taken away.
    var plus: Set<String> = []
    var minus: Set<String> = []
    /// The words for minutes, after which a time is a length.
    var minutes: Set<String>
    /// Returns a time as it is written after a word; nil if it doesn't agree with that.
    var written: @Sendable (_ before: String, _ hour: Int, _ minute: Int?) -> String?

    static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
