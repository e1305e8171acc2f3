import protocol Foundation.LocalizedError

/// A user's replacements for spoken words.
///
///     # heard = written
///     data type = data-type
///     linux = Linux
///     um =
public struct Replacements: Equatable, Sendable {
    /// An error in a line of the replacements.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible, LocalizedError {
        /// The number of the line, counted from 1.
        public var line: Int
        /// The end of a sentence that begins with the line.
        public var complaint: String

        /// The sentence, as "line 3 does not say which words to replace".
        public var description: String { "line \(line) \(complaint)" }

        /// The description, for Foundation.
        public var errorDescription: String? { description }
    }

    /// The replacements, by the spoken words in lower case.
    private var written: [[String]: String] = [:]
    /// The number of words in the longest key.
    private var longest = 0

    /// Creates an empty set of replacements.
    public init() {}

    /// The number of replacements.
    public var count: Int { written.count }

    /// Whether there are no replacements.
    public var isEmpty: Bool { written.isEmpty }

    /// Reads lines of the form `heard = written`, or with a tab instead of the equals sign. Lines that begin with `#`
    /// are comments. The left side is one or more words in any case; the right side may be empty.
    ///
    /// - Throws: `Failure` at the first line that has another form or contradicts an earlier line.
    public init(_ text: String) throws(Failure) {
        let text = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.first == "#" { continue }
            guard let separator = line.firstIndex(of: "\t") ?? line.firstIndex(of: "=") else {
                throw Failure(
                    line: index + 1,
                    complaint: "has neither an equals sign nor a tab; write: heard words = what to write")
            }
            let heard = line[..<separator].split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
            if heard.isEmpty { throw Failure(line: index + 1, complaint: "does not say which words to replace") }
            let new = String(line[line.index(after: separator)...].trimmed)
            if let old = written[heard], old != new {
                throw Failure(line: index + 1, complaint: "replaces words that an earlier line replaces differently")
            }
            written[heard] = new
            longest = max(longest, heard.count)
        }
    }

    /// Applies the replacements to words, from the left; of several that match, the longest is used.
    func applied(to words: [String]) -> [Piece] {
        var pieces: [Piece] = []
        var index = 0
        // Whether the next word takes the capital of a sentence's first one, in whose place nothing is written.
        var takesCapital = false
        while index < words.count {
            var piece = Piece(text: words[index], heard: index..<index + 1, kind: .word)
            var isNothing = false
            if let found = replacement(at: index, in: words) {
                piece = Piece(text: found.text, heard: index..<found.end, kind: .replacement)
                isNothing = found.isNothing
            }
            // Beside a quote or a bracket the punctuation stays.
            if isNothing, piece.text.allSatisfy((Self.ends + Self.pauses).contains) {
                if Self.leaveOut(&piece, of: words[index], behind: &pieces) { takesCapital = true }
            } else if takesCapital {
                piece.text = cased(piece.text, as: "A")
                takesCapital = false
            }
            pieces.append(piece)
            index = piece.heard.upperBound
        }
        return pieces
    }

    /// What ends a sentence, and what ends a part of one.
    private static let (ends, pauses) = (".?!…。？！", ",;:–—、，；：")

    /// Leaves out the punctuation of a word in whose place nothing is written; the end of a sentence goes to the word before.
    ///
    /// - Returns: whether the next word begins the sentence.
    private static func leaveOut(_ piece: inout Piece, of word: String, behind pieces: inout [Piece]) -> Bool {
        let mark = piece.text
        piece.text = ""
        guard let last = pieces.lastIndex(where: { !$0.text.isEmpty }),
            pieces[last].text.last.map(ends.contains) != true
        else {
            return word.first(where: \.isLetter)?.isUppercase == true
        }
        if mark.contains(where: ends.contains) {
            while pieces[last].text.last.map(pauses.contains) == true { pieces[last].text.removeLast() }
            pieces[last].text += mark
        }
        return false
    }

    private func replacement(at start: Int, in words: [String]) -> (text: String, end: Int, isNothing: Bool)? {
        if isEmpty { return nil }
        for count in stride(from: min(longest, words.count - start), to: 0, by: -1) {
            let heard = Array(words[start..<start + count])
            if let new = written[heard.map { $0.lowercased() }] {
                return (cased(new, as: heard[0][...]), start + count, new.isEmpty)
            }
            // The word has punctuation around it, which is kept.
            let (before, first) = heard[0].splitBefore
            var inner = heard
            inner[0] = String(first)
            let (last, after) = inner[count - 1].splitAfter
            inner[count - 1] = String(last)
            guard !(before.isEmpty && after.isEmpty), let new = written[inner.map { $0.lowercased() }] else { continue }
            return (before + cased(new, as: inner[0][...]) + after, start + count, new.isEmpty)
        }
        return nil
    }

    /// Capitalizes the replacement if the spoken word has a capital. A first word with capitals of its own is not changed.
    private func cased(_ new: String, as heard: Substring) -> String {
        guard heard.first?.isUppercase == true, let first = new.first, !new.firstWord.contains(where: \.isUppercase)
        else {
            return new
        }
        return first.uppercased() + new.dropFirst()
    }
}

extension StringProtocol {
    /// The text up to the first white space.
    var firstWord: SubSequence { prefix { !$0.isWhitespace } }
}

extension StringProtocol {
    fileprivate var trimmed: SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else {
            return self[endIndex...]
        }
        return self[first...last]
    }

    /// The punctuation before the first letter, and the rest.
    fileprivate var splitBefore: (SubSequence, SubSequence) {
        let place = firstIndex { $0.isLetter || $0.isNumber } ?? endIndex
        return (self[..<place], self[place...])
    }

    /// The text up to the last letter, and the punctuation after it.
    fileprivate var splitAfter: (SubSequence, SubSequence) {
        let place = lastIndex { $0.isLetter || $0.isNumber }.map { index(after: $0) } ?? startIndex
        return (self[..<place], self[place...])
    }
}
