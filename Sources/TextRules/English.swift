extension Language {
    static let english: Language = {
        var english = Language(numbers: NumberWriter(.english))
        english.marks = englishMarks
        english.markStarts = Set(englishMarks.keys.compactMap(\.first))
        english.spokenMarks = [
            "comma", "full stop", "period", "question mark", "exclamation mark", "exclamation point", "colon",
            "semicolon",
            "open parenthesis", "close parenthesis", "new line", "new paragraph",
        ]
        english.hasTimesWithColon = true
        english.wordsBeforeMarkNames = englishWordsBeforeMarkNames
        english.commands = [["scratch", "that"]: .scratch]
        english.wordsAfterCommands = [
            "a", "an", "he", "her", "his", "i", "i'd", "i'll", "i'm", "it", "it's", "its", "let's", "my", "our", "she",
            "that's", "the", "their",
            "there", "these", "they", "this", "those", "we", "we'll", "we're", "you", "your",
        ]
        english.capitalized = englishCapitals
        english.neverNames = englishNeverNames
        for month in NumberWords.englishAmbiguousMonths {
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

    private static let englishMarks: [[String]: Mark] = {
        var marks: [[String]: Mark] = [:]
        func add(_ names: [String], _ mark: Mark) {
            for name in names { marks[name.split(separator: " ").map(String.init)] = mark }
        }
        add(["comma"], Mark(text: ",", place: .closing, notBefore: ["separated", "splice", "delimited"]))
        // Several words are seldom no mark: `is that right question mark`.
        let disagreeing: Set<String> = [
            "that", "this", "these", "those", "her", "his", "its", "some", "any", "no", "which", "what", "of", "with",
            "without", "in",
            "for", "by",
        ]
        add(["full stop"], Mark(text: ".", place: .closing, endsSentence: true, disagreeing: disagreeing))
        add(
            ["period"],
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
                notBefore: ["of", "piece", "pieces", "drama", "dramas", "pain", "pains", "between", "when", "during"]))
        add(
            ["question mark"],
            Mark(
                text: "?", place: .closing, endsSentence: true, notAfter: ["big", "huge", "large", "giant"],
                disagreeing: disagreeing))
        add(
            ["exclamation mark", "exclamation point"],
            Mark(text: "!", place: .closing, endsSentence: true, disagreeing: disagreeing))
        add(
            ["colon"],
            Mark(text: ":", place: .closing, notAfter: ["semi"], notBefore: ["cancer", "cleanse", "surgery"]))
        add(["semicolon", "semi colon"], Mark(text: ";", place: .closing))
        add(["ellipsis", "dot dot dot"], Mark(text: "…", place: .closing))
        add(["hyphen"], Mark(text: "-", place: .joining))
        add(
            ["dash", "em dash"],
            Mark(text: "–", place: .apart, notAfter: ["mad", "to"], notBefore: ["to", "for", "off", "out", "through"]))
        add(
            [
                "open parenthesis", "open parentheses", "open paren", "left parenthesis", "open bracket",
                "open brackets",
            ],
            Mark(text: "(", place: .opening))
        add(
            [
                "close parenthesis", "close parentheses", "close paren", "right parenthesis", "close bracket",
                "close brackets",
            ],
            Mark(text: ")", place: .closing))
        add(["open quote", "open quotes", "begin quote"], Mark(text: "\"", place: .opening))
        add(["close quote", "close quotes", "end quote", "unquote"], Mark(text: "\"", place: .closing))
        add(["forward slash"], Mark(text: "/", place: .joining))
        add(["ampersand"], Mark(text: "&", place: .apart))
        add(["at sign"], Mark(text: "@", place: .joining))
        add(
            ["new line", "newline", "next line"],
            Mark(
                text: "\n", place: .lineBreak, endsSentence: true,
                notBefore: ["of", "manager", "managers", "character", "characters"]))
        add(["new paragraph", "next paragraph"], Mark(text: "\n\n", place: .lineBreak, endsSentence: true))
        return marks
    }()

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
        for (name, month) in NumberWords.englishMonths where !NumberWords.englishAmbiguousMonths.contains(name) {
            capitals[name] = month
        }
        return capitals
    }()
}

extension NumberWords {
    static let englishMonths: [String: String] = {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return Dictionary(uniqueKeysWithValues: names.map { ($0.lowercased(), $0) })
    }()
    static let englishAmbiguousMonths: Set<String> = ["may", "march"]

    static let english: NumberWords = {
        func numbered(_ words: String, from first: Int, by step: Int = 1) -> [String: Int] {
            Dictionary(
                uniqueKeysWithValues: words.split(separator: " ").enumerated().map { (String($1), first + step * $0) })
        }
        let tens = "twenty thirty forty fifty sixty seventy eighty ninety"
        var ordinals = numbered(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
                + "seventeenth eighteenth nineteenth", from: 1)
        ordinals.merge(
            numbered("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", from: 20, by: 10)
        ) { $1 }
        let scales = [
            "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000,
            "quadrillion": 1_000_000_000_000_000,
        ]
        var ordinalScales = Dictionary(uniqueKeysWithValues: scales.map { ($0.key + "th", $0.value) })
        ordinalScales["hundredth"] = 100
        var words = NumberWords(
            units: numbered("zero one two three four five six seven eight nine", from: 0),
            teens: numbered(
                "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", from: 10),
            tens: numbered(tens, from: 20, by: 10).merging(["fourty": 40]) { $1 },
            decades: numbered("twenties thirties forties fifties sixties seventies eighties nineties", from: 20, by: 10)
                .merging(["hundreds": 0]) { $1 },
            hundred: "hundred", scales: scales, ordinals: ordinals, ordinalScales: ordinalScales, and: "and",
            article: "a", oh: "oh",
            letterO: "o", repeaters: ["double": 2, "triple": 3], point: "point", minus: "minus",
            ordinalEnd: { number in
                switch (number % 10, number % 100) {
                case (_, 11...13): "th"
                case (1, _): "st"
                case (2, _): "nd"
                case (3, _): "rd"
                default: "th"
                }
            },
            percent: [["percent"]: "%", ["per", "cent"]: "%"],
            currencies: ["dollar": "$", "dollars": "$", "euro": "€", "euros": "€", "yen": "¥"],
            cents: ["cent", "cents"],
            countedUnits: [
                "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month",
                "months", "year",
                "years", "people", "times", "dollar", "euro", "foot", "inch", "pound", "mile",
            ],
            numbered: ["page", "room", "version", "channel", "route", "chapter", "flight", "highway", "apartment"],
            rangeWords: ["to", "or"], listWords: ["and", "or"],
            functionWords: [
                "a", "an", "the", "at", "in", "on", "and", "or", "to", "through", "until", "till", "from", "for", "by",
                "is", "was", "i",
                "we", "he", "she", "it", "they", "you", "but", "because", "so", "with", "please", "if", "when", "as",
            ],
            months: englishMonths, ambiguousMonths: englishAmbiguousMonths,
            beforeVerbs: [
                "i", "you", "he", "she", "it", "we", "they", "who", "that", "which", "this", "one", "people", "to",
                "not",
            ],
            of: "of", times: .english)
        words.starts = Set(
            [words.units.keys, words.teens.keys, words.tens.keys, words.ordinals.keys, words.repeaters.keys].joined()
        )
        .union(words.months.keys).union([words.oh, words.article, words.minus, words.times.half, words.times.quarter])
        return words
    }()
}

extension TimeWords {
    static let english = TimeWords(
        half: "half", quarter: "quarter", past: ["past", "after"], to: ["to", "till"], minutes: ["minute", "minutes"],
        halves: [
            ["a", "m"]: "AM", ["p", "m"]: "PM", ["am"]: "AM", ["pm"]: "PM", ["a.m."]: "AM", ["p.m."]: "PM",
            ["a.", "m."]: "AM",
            ["p.", "m."]: "PM",
        ],
        clock: [["o'clock"]: "o'clock", ["oclock"]: "o'clock", ["o", "clock"]: "o'clock"],
        before: ["at", "by", "until", "till", "before", "after", "around", "from", "it's", "since"],
        streets: ["street", "avenue", "road", "lane", "drive", "boulevard", "way", "place", "court"])
}
