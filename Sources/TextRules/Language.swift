/// What a language's rules need to know, as tables.
///
/// The names are spoken words in lower case; several words are an array.
public struct Language: Sendable {
    /// Nil where numbers are written as they are said.
    var numbers: NumberWords?
    /// By their words. Of marks with a common beginning the longest counts.
    var marks: [[String]: Mark] = [:]
    /// With which they begin, to find them quickly.
    var markStarts: Set<String> = []
    /// What stands before a mark's name when that is an ordinary word: `a comma`, `the third period`.
    var wordsBeforeMarkNames: Set<String> = []
    /// Utterances that are commands when nothing else is said in them.
    var commands: [[String]: Command] = [:]
    /// Words that always have capitals, such as `monday`, and how they are written.
    var capitalized: [String: String] = [:]

    /// Words that have capitals after some others only: `in may`.
    var capitalizedAfter: [String: Set<String>] = [:]

    /// Of a BCP 47 tag, such as `en-US`, or a language's code; nil when there are no tables for it.
    public static func named(_ tag: String) -> Language? {
        switch tag.lowercased().prefix(while: { $0 != "-" && $0 != "_" }) {
        case "en": .english
        default: nil
        }
    }
}

/// What a user can say to do something with what was said.
public enum Command: Hashable, Sendable {
    /// Takes the utterance before back.
    case scratch
}

/// A punctuation mark or a line break that can be spoken.
struct Mark: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        /// Without a space before it, as a comma.
        case closing
        /// Without a space after it, as an opening bracket.
        case opening
        /// Without a space on either side, as a hyphen.
        case joining
        /// With spaces, as a dash.
        case apart
        /// On lines of its own.
        case lineBreak
    }

    var text: String
    var place: Place
    /// Whether what follows begins a sentence.
    var endsSentence = false
    /// Whether the name is an ordinary word as well: then it is no mark where an utterance begins with it and goes on.
    var isOrdinaryWord = false
    /// What stands before the name when it is no mark, beside `wordsBeforeMarkNames`.
    var notAfter: Set<String> = []
    /// What stands after the name when it is no mark.
    var notBefore: Set<String> = []
}

/// The words that numbers are made of.
struct NumberWords: Sendable {
    /// With which everything begins that these rules write, to find it quickly.
    var starts: Set<String> = []
    /// 0 to 9.
    var units: [String: Int]
    /// 10 to 19.
    var teens: [String: Int]
    /// 20, 30 and so on to 90.
    var tens: [String: Int]
    /// The same, of decades: `eighties`; 0 for the first of a century, `hundreds`.
    var decades: [String: Int]
    var hundred: String
    /// From a thousand on.
    var scales: [String: Int]
    /// First to nineteenth, and the tens.
    var ordinals: [String: Int]
    /// `hundredth`, `thousandth` and so on.
    var ordinalScales: [String: Int]
    /// `and`, inside a number.
    var and: String
    /// `a`, for one, as in `a hundred and five`.
    var article: String
    /// A zero between digits: `oh`. The second only stands between two digits, since it is a letter as well.
    var oh: String
    var letterO: String
    /// `double`, `triple`.
    var repeaters: [String: Int]
    var point: String
    var minus: String
    /// The end of an ordinal in digits: `st` for 1.
    var ordinalEnd: @Sendable (Int) -> String
    /// With the sign.
    var percent: [[String]: String]
    /// Written before the amount, by the words after it.
    var currencies: [String: String]
    /// A hundredth of these.
    var cents: Set<String>
    /// What is counted, after which two numbers are not one: `ten fifteen minutes`, `two twenty dollar bills`.
    var countedUnits: Set<String>
    /// What has a number, however small, in digits: `page five`.
    var numbered: Set<String>
    /// Between two numbers of which both are in digits if one is: `five to ten`.
    var rangeWords: Set<String>
    /// Before the last of several numbers.
    var listWords: Set<String>
    /// Words after which a sentence goes on, and no thing that is counted.
    var functionWords: Set<String>
    var months: [String: String]
    /// Months that are other words as well: only with a day or a year.
    var ambiguousMonths: Set<String>
    /// After these an ambiguous month is no month: `i may second that`.
    var beforeVerbs: Set<String>
    var of: String
    var times: TimeWords
}

/// The words that times of day are made of.
struct TimeWords: Sendable {
    var half: String
    var quarter: String
    var past: Set<String>
    var to: Set<String>
    var minutes: Set<String>
    /// With how they are written: `a m` is `AM`.
    var halves: [[String]: String]
    /// `o'clock`, in all its spellings, and how it is written.
    var clock: [[String]: String]
    /// Before a time, and seldom before another number.
    var before: Set<String>
    /// After a number of a house: no time stands there.
    var streets: Set<String>
}
