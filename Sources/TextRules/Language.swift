/// The tables of a language that the rules use.
///
/// The keys are spoken words in lower case; several words are an array.
public struct Language: Sendable {
    /// What writes numbers.
    let numbers: NumberWriter
    /// Whether numbers are found before marks, since the name of a mark is also the decimal point: `drei komma fünf`.
    var hasNumbersFirst = true
    /// The marks by their names. If several names begin in the same way, the longest is used.
    var marks: [[String]: Mark] = [:]
    /// The names under which people know the usual marks, as one writes them within a sentence, for a recognizer that has to expect them.
    public internal(set) var spokenMarks: [String] = []
    /// The first words of all marks' names, for a quick test.
    var markStarts: Set<String> = []
    /// The words after which a mark's name is an ordinary word: `a comma`, `the third period`.
    var wordsBeforeMarkNames: Set<String> = []
    /// Whether people write times of day with a colon, and stronger models, which write `6.45`, need help.
    var hasTimesWithColon = false
    /// The commands, each of which is said alone in an utterance.
    var commands: [[String]: Command] = [:]
    /// The words that may follow a command, and never the same words that are none: `scratch that the`.
    var wordsAfterCommands: Set<String> = []
    /// The words that always have capitals, such as `monday`, with their spelling.
    var capitalized: [String: String] = [:]

    /// The words that have capitals only after certain words: `in may`.
    var capitalizedAfter: [String: Set<String>] = [:]

    /// Frequent words that are no names and have a capital only where they begin a sentence.
    var neverNames: Set<String> = []

    /// Returns the language of a BCP 47 tag such as `en-US`, or of a language's code; nil if it has no tables.
    public static func named(_ tag: String) -> Language? {
        switch tag.lowercased().prefix(while: { $0 != "-" && $0 != "_" }) {
        case "en": .english
        case "de": .german
        case "fr": .french
        case "es": .spanish
        default: nil
        }
    }
}

extension Language {
    /// Creates a language.
    ///
    /// - Parameters:
    ///   - numbers: what writes numbers.
    ///   - marks: the marks by their names, with commas between several.
    ///   - scratch: the commands that take back the last utterance.
    init(_ numbers: NumberWriter, marks: [(names: String, mark: Mark)], scratch: [String]) {
        self.numbers = numbers
        for (names, mark) in marks {
            for name in names.split(separator: ",") { self.marks[String(name).words] = mark }
        }
        markStarts = Set(self.marks.keys.compactMap(\.first))
        for command in scratch { commands[command.words] = .scratch }
    }
}

/// A spoken command about the text so far.
public enum Command: Hashable, Sendable {
    /// Takes back the previous utterance.
    case scratch
}

/// A punctuation mark or a line break that can be spoken.
struct Mark: Hashable, Sendable {
    /// The spacing of a mark.
    enum Place: Hashable, Sendable {
        /// No space before the mark, as for a comma.
        case closing
        /// No space after the mark, as for an opening bracket.
        case opening
        /// No space on either side, as for a hyphen.
        case joining
        /// A space on both sides, as for a dash.
        case apart
        case lineBreak
    }

    var text: String
    var place: Place
    /// Whether a sentence begins after the mark.
    var endsSentence = false
    /// Whether the name is also an ordinary word. It is then not a mark if an utterance begins with it and continues.
    var isOrdinaryWord = false
    /// Further words after which the name is not a mark, beside `wordsBeforeMarkNames`.
    var notAfter: Set<String> = []
    /// The words before which the name is not a mark.
    var notBefore: Set<String> = []
    /// The words before which it is not a mark after a certain word: `ist punkt acht`, but not `was ist punkt`.
    var notBetween: [String: Set<String>] = [:]
    /// Those of `wordsBeforeMarkNames` that do not agree with the name, and so are other words: `ich will das punkt`.
    var disagreeing: Set<String> = []
    /// A mark for the words of the name after the first: the new paragraph of `punto y aparte`.
    var rest: [Mark] = []
}
