/// What of a guess stands in a window, and the keys that make the next guess or the final text of it. Pure.
struct WindowGuess: Equatable, Sendable {
    /// Keys that are pressed at once.
    enum Step: Equatable, Sendable {
        /// Backspaces for this end of the text.
        case erase(String)
        case type(String)
    }

    /// The longest step, in characters: between two steps it is known what is in the window.
    static let longestStep = 40

    /// What stands in the window.
    private(set) var text = ""

    /// As much of a guess as may stand in a window before it is final: no Return, which sends in many windows, no Tab, which leaves a text
    /// field, and no character of several parts, of which some programs erase one part at a time.
    static func part(of guess: String) -> String {
        String(guess.prefix { !$0.isNewline && $0 != "\t" && $0.unicodeScalars.count == 1 })
    }

    /// The next step towards another text; nil when that stands there.
    func step(to other: String) -> Step? {
        let common = common(with: other)
        if common.count < text.count { return .erase(String(text.dropFirst(common.count).suffix(Self.longestStep))) }
        let missing = other.dropFirst(common.count).prefix(Self.longestStep)
        return missing.isEmpty ? nil : .type(String(missing))
    }

    /// Notes that the keys of a step were pressed.
    mutating func take(_ step: Step) {
        switch step {
        case .erase(let end): text.removeLast(end.count)
        case .type(let end): text += end
        }
    }

    /// The beginning that the text in the window has in common with another.
    func common(with other: String) -> String {
        String(zip(text, other).prefix { $0 == $1 }.map(\.0))
    }

    /// Notes that a final text stands where its guess stood: what is behind it is a guess at what follows.
    ///
    /// - Returns: false when the window does not begin with the final text.
    mutating func end(with final: String) -> Bool {
        guard text.starts(with: final) else { return false }
        text.removeFirst(final.count)
        return true
    }
}
