extension Language {
    static let german: Language = {
        var german = Language(
            NumberWriter(.german), marks: germanMarks, scratch: ["streich das", "streiche das", "das streichen"])
        german.spokenMarks = [
            "Komma", "Punkt", "Fragezeichen", "Ausrufezeichen", "Doppelpunkt", "Semikolon", "neue Zeile",
            "neuer Absatz",
        ]
        german.wordsBeforeMarkNames = Set(
            """
            ein eine einen einem einer kein keine keinen keinem keiner der die das den dem des dieser diese dieses
            diesen diesem jener jede jeder jedes jeden jedem welche welcher welchen welchem mein meinen meinem dein
            deinen ihren unser unsere unseren am im vom zum beim ins zur ohne per nächste nächsten letzte letzten erste
            ersten zweite zweiten dritte dritten wichtige wichtigen wichtiger ganze wort zeichen namens
            """.words)
        for name in NumberTable.german.months.values { german.capitalized[name.lowercased()] = name }
        for name in """
        Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag Januar Jänner Uhr Prozent Euro Dollar
        Million Millionen Milliarde Milliarden Billion Billionen Weihnachten Ostern Pfingsten
        """.words {
            german.capitalized[name.lowercased()] = name
        }
        // `sie`, `ihr` and `ihnen` have a capital too where they mean `you`.
        german.neverNames = Set(
            """
            aber alle als also am an auch auf aus bei bis da dann das dass dein dem den der des die dies diese dieser
            dieses doch dort du durch ein eine einem einen einer er es etwas für gegen hat hier ich im in ist ja jetzt
            kann kein keine man mein meine mit nach nein nicht noch nun nur ob oder ohne schon sehr sein seine seit sich
            sind so um und uns unser unter viel vielleicht vom von vor wann war warum was weil wenn wer wie wieder wir
            wird wo zu zum zur über
            """.words)
        return german
    }()

    private static let notMasculine = Set("die das eine keine diese dieses jede jedes".words)
    private static let notNeuter = Set("der die den einen keinen keine diesen diese jeden jede".words)

    /// The words before `punkt acht`.
    private static let beforeHours: [String: Set<String>] = {
        let hours = Set("eins ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf null".words)
        return Dictionary(uniqueKeysWithValues: "ab auf ist vor nach".words.map { ($0, hours) })
    }()

    private static let germanMarks: [(names: String, mark: Mark)] = [
        ("komma", Mark(text: ",", place: .closing, notBefore: ["nichts"], disagreeing: notNeuter)),
        (
            "punkt",
            Mark(
                text: ".", place: .closing, endsSentence: true, isOrdinaryWord: true,
                notAfter: Set(
                    """
                    um gegen seit bis für springende springender wunde wunder strittige strittiger wichtigste
                    wichtigster entscheidende entscheidender zweiter dritter
                    """.words),
                notBefore: ["mitternacht", "mittag", "für", "um", "der", "des", "ist", "war", "wäre"],
                notBetween: beforeHours, disagreeing: notMasculine)
        ),
        ("fragezeichen", Mark(text: "?", place: .closing, endsSentence: true)),
        ("ausrufezeichen,ausrufungszeichen", Mark(text: "!", place: .closing, endsSentence: true)),
        ("doppelpunkt", Mark(text: ":", place: .closing, disagreeing: notMasculine)),
        ("semikolon", Mark(text: ";", place: .closing, disagreeing: notNeuter)),
        ("strichpunkt", Mark(text: ";", place: .closing, disagreeing: notMasculine)),
        ("auslassungspunkte,punkt punkt punkt", Mark(text: "…", place: .closing)),
        ("unterstrich", Mark(text: "_", place: .joining)),
        ("bindestrich", Mark(text: "-", place: .joining)),
        ("gedankenstrich", Mark(text: "–", place: .apart)),
        ("klammer auf,öffnende klammer,runde klammer auf", Mark(text: "(", place: .opening)),
        ("klammer zu,schließende klammer,runde klammer zu", Mark(text: ")", place: .closing)),
        (
            "anführungszeichen auf,anführungszeichen unten,anführungsstriche unten,öffnendes anführungszeichen",
            Mark(text: "\"", place: .opening)
        ),
        (
            "anführungszeichen zu,anführungszeichen oben,anführungsstriche oben,schließendes anführungszeichen",
            Mark(text: "\"", place: .closing)
        ),
        ("schrägstrich", Mark(text: "/", place: .joining)),
        ("klammeraffe,at zeichen", Mark(text: "@", place: .joining)),
        ("und zeichen,kaufmännisches und", Mark(text: "&", place: .apart)),
        ("neue zeile,nächste zeile", Mark(text: "\n", place: .lineBreak, endsSentence: true)),
        ("neuer absatz,nächster absatz", Mark(text: "\n\n", place: .lineBreak, endsSentence: true)),
    ]
}

extension NumberTable {
    static let german: NumberTable = {
        let endings = ["e", "en", "er", "es", "em"]
        var numerals = series("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", from: 0)
        numerals.merge(
            series("dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn", from: 13).merging(
                series("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", from: 20, by: 10)
            ) { $1 }
        ) { $1 }
        for (word, value) in [("ein", 1), ("eine", 1), ("zwo", 2), ("dreissig", 30)] {
            numerals[[word]] = Numeral(value: value)
        }
        func addOrdinals(_ stems: String, from first: Int, by step: Int = 1) {
            for (index, stem) in stems.words.enumerated() {
                for ending in endings {
                    numerals[[stem + ending]] = Numeral(value: first + index * step, ending: ".")
                }
            }
        }
        addOrdinals("erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft", from: 1)
        addOrdinals(
            "dreizehnt vierzehnt fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst", from: 13)
        addOrdinals("dreißigst vierzigst fünfzigst sechzigst siebzigst achtzigst neunzigst", from: 30, by: 10)
        var scales = [
            "hundert": Numeral(value: 100), "tausend": Numeral(value: 1000), "million": Numeral(value: 1_000_000),
            "milliarde": Numeral(value: 1_000_000_000), "billion": Numeral(value: 1_000_000_000_000),
            "billiarde": Numeral(value: 1_000_000_000_000_000),
        ]
        var roundScales: [String: String] = [:]
        for (word, scale) in scales where scale.value >= 1_000_000 {
            let plural = word + (word.last == "e" ? "n" : "en")
            scales[plural] = scale
            for name in [word, plural] { roundScales[name] = name.prefix(1).uppercased() + name.dropFirst() }
        }
        for ending in endings {
            scales["hundertst" + ending] = Numeral(value: 100, ending: ".")
            scales["tausendst" + ending] = Numeral(value: 1000, ending: ".")
        }
        let months = """
            Januar Februar März April Mai Juni Juli August September Oktober November Dezember
            """.words
        return NumberTable(
            numerals: numerals, scales: scales, roundScales: roundScales, and: "und",
            joins: { first, hasAnd, second in
                hasAnd && (1...9).contains(first) && second % 10 == 0 && (20...90).contains(second)
            },
            closed: ["eins", "eine", "null"], neverLast: ["ein", "eine"], countsOne: true, articles: ["ein", "eine"],
            onlyArticles: ["eine"],
            idle: ["hundert", "tausend"], separator: ".", points: ["komma": ","], numberedPoints: ["punkt": "."],
            saysFractionDigits: true,
            minus: "minus", degrees: ["grad"], percent: [["prozent"]],
            currencies: ["euro": "€", "dollar": "$", "pfund": "£", "yen": "¥"], centJoiners: ["und"],
            cents: ["cent", "cents", "pence"],
            numbered: Set(
                "seite kapitel zimmer raum nummer version kanal linie gleis hausnummer artikel paragraf absatz".words),
            rangeWords: ["bis", "oder"],
            functionWords: Set(
                """
                und oder aber bis ab um am im in an auf für von vom mit zu zum nach vor bei aus ist sind war kostet
                kosten der die das den dem ein eine einen ich du er sie es wir ihr weil dass wenn als bitte morgen heute
                punkt komma fragezeichen ausrufezeichen neue neuer
                """.words),
            months: Dictionary(
                uniqueKeysWithValues: (months + ["Jänner"]).map { ($0.lowercased(), $0) }),
            hasOrdinalDays: true, dayJoiners: [["und"], ["bis"], ["bis", "zum"], ["und", "dem"]], day: { "\($0)." },
            clock: ClockTable(
                hours: ["uhr"], relative: ["vor", "nach"], notHours: ["eine"], hasFullHours: true,
                minutes: ["minute", "minuten"],
                written: { _, hour, minute in
                    minute.map { "\(hour):\(ClockTable.twoDigits($0)) Uhr" } ?? "\(hour) Uhr"
                }))
    }()
}
