extension Character {
    /// The space that keeps a unit, a mark or three digits on the line of what is before them.
    ///
    /// The "Lexique des règles typographiques en usage à l'Imprimerie nationale" has one in French before `?`, `!`, `:`
    /// and `;`, inside of `« »`, in numbers and before units. Some of these are thin there. Word processors write the
    /// usual one for all, and so do these rules.
    static let noBreakSpace: Character = "\u{A0}"
}

extension Language {
    static let french: Language = {
        var french = Language(
            NumberWriter(.french), marks: frenchMarks,
            scratch: ["efface ça", "effacer ça", "effacez ça", "supprime ça", "supprimer ça"])
        french.spokenMarks = [
            "virgule", "point", "point d'interrogation", "point d'exclamation", "deux points", "point virgule",
            "à la ligne",
            "nouveau paragraphe",
        ]
        french.wordsBeforeMarkNames = Set(
            """
            un une le la les l' des du de d' au aux à ce cet cette ces chaque quel quelle mon ma ton ta son sa notre
            votre sans avec en sur par aucun aucune mot signe
            """.words)
        french.neverNames = Set(
            """
            alors après au aussi avant avec c'est ce cela ces cette comme comment dans de des donc du elle elles en
            est et il ils j'ai je la le les leur mais même mon ne nous on ou où par parce pas peut-être plus pour
            pourquoi puis qu'il quand que qui quoi sa sans se si son sur ta tes ton tout très tu un une vers voici voilà
            vous à ça était
            """.words)
        return french
    }()

    private static let space = Character.noBreakSpace

    private static let frenchMarks: [(names: String, mark: Mark)] = [
        ("virgule", Mark(text: ",", place: .closing, notAfter: ["point"])),
        (
            "point",
            Mark(
                text: ".", place: .closing, endsSentence: true, isOrdinaryWord: true,
                notAfter: Set(
                    """
                    ne n'est n'a n'ai n'as n'avons n'avez n'ont n'avait n'y est fais faire mise rond mauvais premier
                    deuxième troisième dernier certain
                    """.words),
                notBefore: Set(
                    """
                    de d' du des d'appui d'honneur d'ancrage d'eau d'entrée d'accès d'accord d'orgue final fort faible
                    commun mort mousse noir zéro important essentiel précis où
                    """.words))
        ),
        ("point final", Mark(text: ".", place: .closing, endsSentence: true)),
        (
            "point d'interrogation,point d' interrogation",
            Mark(text: "\(space)?", place: .closing, endsSentence: true)
        ),
        ("point d'exclamation,point d' exclamation", Mark(text: "\(space)!", place: .closing, endsSentence: true)),
        (
            "deux points",
            Mark(
                text: "\(space):", place: .closing,
                notAfter: Set(
                    "a ai as ont avons avez j'ai avait marqué marque marquer gagné perdu les ces vaut entre".words),
                notBefore: ["de", "d'avance", "importants", "en", "à"])
        ),
        ("point virgule,point-virgule", Mark(text: "\(space);", place: .closing)),
        ("points de suspension,trois petits points", Mark(text: "…", place: .closing)),
        ("trait d'union,trait d' union,tiret du six", Mark(text: "-", place: .joining)),
        ("tiret bas", Mark(text: "_", place: .joining)),
        ("tiret,tiret cadratin", Mark(text: "–", place: .apart)),
        (
            "ouvrir la parenthèse,ouvrez la parenthèse,parenthèse ouvrante,ouvrir parenthèse,ouvre parenthèse",
            Mark(text: "(", place: .opening)
        ),
        (
            "fermer la parenthèse,fermez la parenthèse,parenthèse fermante,fermer parenthèse,ferme parenthèse",
            Mark(text: ")", place: .closing)
        ),
        (
            "ouvrir les guillemets,ouvrez les guillemets,ouvrir guillemets,ouvrez guillemets,guillemets ouvrants",
            Mark(text: "«\(space)", place: .opening)
        ),
        (
            "fermer les guillemets,fermez les guillemets,fermer guillemets,fermez guillemets,guillemets fermants",
            Mark(text: "\(space)»", place: .closing)
        ),
        ("barre oblique", Mark(text: "/", place: .joining)),
        ("arobase", Mark(text: "@", place: .joining)),
        ("esperluette", Mark(text: "&", place: .apart)),
        (
            "à la ligne,nouvelle ligne",
            Mark(
                text: "\n", place: .lineBreak, endsSentence: true,
                notAfter: Set("pêche pêcher pêchent aller va vont passer revenir".words),
                notBefore: ["de", "d'arrivée", "directe", "éditoriale"])
        ),
        (
            "point à la ligne",
            Mark(
                text: ".", place: .closing, endsSentence: true,
                rest: [Mark(text: "\n", place: .lineBreak, endsSentence: true)])
        ),
        ("nouveau paragraphe", Mark(text: "\n\n", place: .lineBreak, endsSentence: true)),
    ]
}

extension NumberTable {
    static let french: NumberTable = {
        var numerals = series(
            "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", from: 0)
        numerals.merge(series("vingt trente quarante cinquante soixante septante huitante nonante", from: 20, by: 10)) {
            $1
        }
        for (word, value) in [
            ("une", 1), ("octante", 80), ("dix sept", 17), ("dix huit", 18), ("dix neuf", 19), ("quatre vingt", 80),
            ("quatre vingts", 80),
        ] {
            numerals[word.words] = Numeral(value: value)
        }
        func addOrdinals(_ words: String, from first: Int, by step: Int = 1, after tens: String = "") {
            for (index, word) in words.words.enumerated() {
                numerals[(tens + " " + word).words] = Numeral(value: first + index * step, ending: "e")
            }
        }
        addOrdinals(
            """
            unième deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième
            treizième quatorzième quinzième seizième
            """, from: 1)
        addOrdinals(
            "vingtième trentième quarantième cinquantième soixantième septantième huitantième nonantième", from: 20,
            by: 10)
        addOrdinals("septième huitième neuvième", from: 17, after: "dix")
        addOrdinals("vingtième", from: 80, after: "quatre")
        numerals[["premier"]] = Numeral(value: 1, ending: "er")
        let rounds = [
            "million": 1_000_000, "milliard": 1_000_000_000, "billion": 1_000_000_000_000,
            "billiard": 1_000_000_000_000_000,
        ]
        var scales = [
            "cent": Numeral(value: 100), "cents": Numeral(value: 100), "mille": Numeral(value: 1000),
            "mil": Numeral(value: 1000), "centième": Numeral(value: 100, ending: "e"),
            "millième": Numeral(value: 1000, ending: "e"),
        ]
        var roundScales: [String: String] = [:]
        for (word, value) in rounds {
            for name in [word, word + "s"] {
                scales[name] = Numeral(value: value)
                roundScales[name] = name
            }
        }
        let months = """
            janvier février mars avril mai juin juillet août septembre octobre novembre décembre
            """.words
        return NumberTable(
            numerals: numerals, scales: scales, roundScales: roundScales, and: "et",
            joins: { first, hasAnd, second in
                guard first % 10 == 0, (20...90).contains(first), (1...19).contains(second) else { return false }
                if second >= 10 {
                    return hasAnd ? first == 60 && second == 11 : first == 60 || first == 80
                }
                return first == 80 && second == 1 || hasAnd == (second == 1)
            },
            closed: ["zéro"], articles: ["un", "une"], onlyArticles: ["une"], idle: ["mille", "mil"],
            separator: "\(Character.noBreakSpace)", unitSpace: "\(Character.noBreakSpace)", points: ["virgule": ","],
            numberedPoints: ["point": "."], minus: "moins",
            notNegativeAfter: Set("au du plus ou le de à encore beaucoup bien non en".words),
            degrees: ["degré", "degrés"], percent: [["pour", "cent"], ["pourcent"], ["pour", "cents"]],
            currencies: [
                "euro": "€", "euros": "€", "dollar": "$", "dollars": "$", "yen": "¥", "yens": "¥", "livres": "£",
            ],
            centJoiners: ["et"], cents: ["cent", "cents", "centime", "centimes"],
            numbered: Set("page chapitre chambre numéro version chaîne ligne article paragraphe quai voie".words),
            rangeWords: ["à", "ou"],
            functionWords: Set(
                """
                et ou mais à au aux en dans de du des pour par avec le la les un une est sont c'est ce je tu il elle on
                nous vous ils elles parce que qui si quand demain ce s'il précises point virgule
                """.words),
            months: Dictionary(uniqueKeysWithValues: months.map { ($0, $0) }),
            dayJoiners: [["et"], ["au"], ["et", "le"], ["à"], ["et", "du"]], day: { $0 == 1 ? "1er" : String($0) },
            clock: ClockTable(
                hours: ["heure", "heures"],
                before: Set("à vers dès jusqu'à avant est il'est depuis".words),
                notBefore: ["de", "d'", "des", "par"], rangeWords: ["à"], hasFullHours: true,
                phrases: [
                    ["et", "quart"]: 15, ["et", "demie"]: 30, ["et", "demi"]: 30, ["moins", "le", "quart"]: -15,
                    ["moins", "quart"]: -15,
                ],
                minus: ["moins"], minutes: ["minute", "minutes"],
                written: { _, hour, minute in
                    let space = Character.noBreakSpace
                    return "\(hour)\(space)h" + (minute.map { "\(space)\(ClockTable.twoDigits($0))" } ?? "")
                }))
    }()
}
