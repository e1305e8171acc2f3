extension Language {
    static let english: Language = {
        var english = Language(NumberWriter(), marks: englishMarks, scratch: ["scratch that"])
        english.hasNumbersFirst = false
        english.spokenMarks = [
            "comma", "full stop", "period", "question mark", "exclamation mark", "exclamation point", "colon",
            "semicolon",
            "open parenthesis", "close parenthesis", "new line", "new paragraph",
        ]
        english.hasTimesWithColon = true
        english.wordsBeforeMarkNames = englishWordsBeforeMarkNames
        english.wordsAfterCommands = [
            "a", "an", "he", "her", "his", "i", "i'd", "i'll", "i'm", "it", "it's", "its", "let's", "my", "our", "she",
            "that's", "the", "their",
            "there", "these", "they", "this", "those", "we", "we'll", "we're", "you", "your",
        ]
        english.capitalized = englishCapitals
        english.neverNames = englishNeverNames
        for month in English.ambiguousMonths {
            english.capitalizedAfter[month] = ["in", "of", "since", "until", "last", "next", "early", "late"]
        }
        return english
    }()

    private static let englishNeverNames: Set<String> = [
        "a", "about", "after", "all", "also", "although", "an", "and", "are", "as", "at", "because", "before", "but",
        "by", "can", "could",
        "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "here", "his", "how", "if", "in", "into",
        "is", "it", "it's",
        "its", "just", "maybe", "my", "no", "not", "now", "of", "on", "or", "our", "perhaps", "she", "should", "since",
        "so", "some",
        "that", "that's", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "until",
        "very", "was", "we",
        "were", "what", "when", "where", "which", "while", "who", "why", "with", "would", "yes", "you", "your",
    ]

    /// The words before the name of a mark of several words, which is seldom no mark: `is that right question mark`.
    private static let disagreeing: Set<String> = [
        "that", "this", "these", "those", "her", "his", "its", "some", "any", "no", "which", "what", "of", "with",
        "without", "in", "for", "by",
    ]

    private static let englishMarks: [(names: String, mark: Mark)] = [
        ("comma", Mark(text: ",", place: .closing, notBefore: ["separated", "splice", "delimited"])),
        ("full stop", Mark(text: ".", place: .closing, endsSentence: true, disagreeing: disagreeing)),
        (
            "period",
            Mark(
                text: ".", place: .closing, endsSentence: true, isOrdinaryWord: true,
                notAfter: [
                    "time", "trial", "grace", "waiting", "rest", "brief", "long", "longer", "short", "whole", "same",
                    "class", "cooling",
                    "probation", "notice", "training", "test", "transition", "exam", "study", "free", "lunch",
                    "colonial", "victorian",
                    "first", "second", "third", "fourth", "last", "next", "incubation", "blue", "extended", "limited",
                    "ice", "off", "peak",
                ],
                notBefore: ["of", "piece", "pieces", "drama", "dramas", "pain", "pains", "between", "when", "during"])
        ),
        (
            "question mark",
            Mark(
                text: "?", place: .closing, endsSentence: true, notAfter: ["big", "huge", "large", "giant"],
                disagreeing: disagreeing)
        ),
        (
            "exclamation mark,exclamation point",
            Mark(text: "!", place: .closing, endsSentence: true, disagreeing: disagreeing)
        ),
        ("colon", Mark(text: ":", place: .closing, notAfter: ["semi"], notBefore: ["cancer", "cleanse", "surgery"])),
        ("semicolon,semi colon", Mark(text: ";", place: .closing)),
        ("ellipsis,dot dot dot", Mark(text: "…", place: .closing)),
        ("hyphen", Mark(text: "-", place: .joining)),
        (
            "dash,em dash",
            Mark(text: "–", place: .apart, notAfter: ["mad", "to"], notBefore: ["to", "for", "off", "out", "through"])
        ),
        (
            "open parenthesis,open parentheses,open paren,left parenthesis,open bracket,open brackets",
            Mark(text: "(", place: .opening)
        ),
        (
            "close parenthesis,close parentheses,close paren,right parenthesis,close bracket,close brackets",
            Mark(text: ")", place: .closing)
        ),
        ("open quote,open quotes,begin quote", Mark(text: "\"", place: .opening)),
        ("close quote,close quotes,end quote,unquote", Mark(text: "\"", place: .closing)),
        ("forward slash", Mark(text: "/", place: .joining)),
        ("ampersand", Mark(text: "&", place: .apart)),
        ("at sign", Mark(text: "@", place: .joining)),
        (
            "new line,newline,next line",
            Mark(
                text: "\n", place: .lineBreak, endsSentence: true,
                notBefore: ["of", "manager", "managers", "character", "characters"])
        ),
        ("new paragraph,next paragraph", Mark(text: "\n\n", place: .lineBreak, endsSentence: true)),
    ]

    private static let englishWordsBeforeMarkNames: Set<String> = [
        "a", "an", "the", "this", "that", "these", "those", "each", "every", "any", "some", "no", "another", "my",
        "your", "his",
        "her", "its", "our", "their", "of", "with", "without", "in", "for", "by", "which", "what", "oxford",
        "serial", "inverted", "missing", "extra", "word", "called",
    ]

    private static let englishCapitals: [String: String] = {
        var capitals = [
            "i": "I", "i'm": "I'm", "i'll": "I'll", "i've": "I've", "i'd": "I'd", "english": "English",
            "french": "French",
            "german": "German", "spanish": "Spanish", "italian": "Italian", "christmas": "Christmas",
            "easter": "Easter",
        ]
        for day in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] {
            capitals[day.lowercased()] = day
            capitals[day.lowercased() + "s"] = day + "s"
            capitals[day.lowercased() + "'s"] = day + "'s"
        }
        for (name, month) in English.months where !English.ambiguousMonths.contains(name) {
            capitals[name] = month
        }
        return capitals
    }()
}

/// The words of which English numbers and times of day consist.
enum English {
    /// The first words of everything that the rules of numbers write, for a quick test.
    static let starts = Set([units.keys, teens.keys, tens.keys, ordinals.keys, repeaters.keys].joined())
        .union(months.keys).union(["oh", "a", "minus", "half", "quarter"])

    static let units = series("zero one two three four five six seven eight nine", from: 0)
    static let teens = series(
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", from: 10)
    static let tens = series("twenty thirty forty fifty sixty seventy eighty ninety", from: 20, by: 10)
        .merging(["fourty": 40]) { $1 }
    /// `eighties` is 80, and `hundreds`, the first decade of a century, is 0.
    static let decades = series(
        "twenties thirties forties fifties sixties seventies eighties nineties", from: 20, by: 10
    ).merging(["hundreds": 0]) { $1 }
    static let scales = [
        "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000,
        "quadrillion": 1_000_000_000_000_000,
    ]
    static let ordinals = series(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
            + "seventeenth eighteenth nineteenth", from: 1
    ).merging(
        series("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", from: 20, by: 10)
    ) { $1 }
    static let ordinalScales = Dictionary(uniqueKeysWithValues: scales.map { ($0.key + "th", $0.value) })
        .merging(["hundredth": 100]) { $1 }
    /// The words for repeated digits.
    static let repeaters = ["double": 2, "triple": 3]

    private static func series(_ words: String, from first: Int, by step: Int = 1) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: words.words.enumerated().map { ($1, first + step * $0) })
    }

    static func digits(_ number: Int) -> String { NumberWriter.digits(number, separator: ",") }

    /// Returns the ending of an ordinal in digits: `st` for 1.
    static func ordinalEnd(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "th"
        case (1, _): "st"
        case (2, _): "nd"
        case (3, _): "rd"
        default: "th"
        }
    }

    static let percent = [["percent"]: "%", ["per", "cent"]: "%"]
    static let currencies = ["dollar": "$", "dollars": "$", "euro": "€", "euros": "€", "yen": "¥"]
    static let cents: Set = ["cent", "cents"]
    /// The counted units before which two numbers are not one: `ten fifteen minutes`, `two twenty dollar bills`.
    static let countedUnits: Set = [
        "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month",
        "months", "year",
        "years", "people", "times", "dollar", "euro", "foot", "inch", "pound", "mile",
    ]
    /// The words after which every number is written in digits.
    static let numbered: Set = [
        "page", "room", "version", "channel", "route", "chapter", "flight", "highway", "apartment",
    ]
    /// The words between two numbers that are both written in digits if one is: `five to ten`.
    static let rangeWords: Set = ["to", "or"]
    /// The words before the last number of a list.
    static let listWords: Set = ["and", "or"]
    /// The words that are not counted units, with which a sentence may continue after a number.
    static let functionWords: Set = [
        "a", "an", "the", "at", "in", "on", "and", "or", "to", "through", "until", "till", "from", "for", "by",
        "is", "was", "i",
        "we", "he", "she", "it", "they", "you", "but", "because", "so", "with", "please", "if", "when", "as",
    ]

    static let months: [String: String] = {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return Dictionary(uniqueKeysWithValues: names.map { ($0.lowercased(), $0) })
    }()
    /// The months that are also other words, which need a day or a year.
    static let ambiguousMonths: Set = ["may", "march"]
    /// The words after which an ambiguous month is a verb: `i may second that`.
    static let beforeVerbs: Set = [
        "i", "you", "he", "she", "it", "we", "they", "who", "that", "which", "this", "one", "people", "to", "not",
    ]

    static let past: Set = ["past", "after"]
    static let to: Set = ["to", "till"]
    static let minutes: Set = ["minute", "minutes"]
    /// The halves of the day, with their spelling.
    static let halves = [
        ["a", "m"]: "AM", ["p", "m"]: "PM", ["am"]: "AM", ["pm"]: "PM", ["a.m."]: "AM", ["p.m."]: "PM",
        ["a.", "m."]: "AM",
        ["p.", "m."]: "PM",
    ]
    static let clocks = [["o'clock"]: "o'clock", ["oclock"]: "o'clock", ["o", "clock"]: "o'clock"]
    /// The words that often come before a time, and seldom before another number.
    static let beforeTimes: Set = ["at", "by", "until", "till", "before", "after", "around", "from", "it's", "since"]
    /// The words after the number of a house, which is not a time.
    static let streets: Set = ["street", "avenue", "road", "lane", "drive", "boulevard", "way", "place", "court"]
}
