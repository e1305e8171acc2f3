extension Language {
    static let spanish: Language = {
        var spanish = Language(
            NumberWriter(.spanish), marks: spanishMarks,
            scratch: ["borra eso", "borrar eso", "borre eso", "elimina eso"])
        spanish.spokenMarks = [
            "coma", "punto", "signo de interrogación", "signo de exclamación", "dos puntos", "punto y coma",
            "nueva línea", "nuevo párrafo",
        ]
        spanish.wordsBeforeMarkNames = Set(
            """
            un una el la los las lo del de al a en este esta ese esa estos estas aquel cada qué cualquier algún ningún
            mi tu su nuestro sin con por sobre hasta palabra signo
            """.words)
        spanish.neverNames = Set(
            """
            a además ahora al algo allí aquí aunque año bien bueno cada como con cuando cómo cuándo de del desde después
            donde dónde el ella ellos en entonces entre era eran es esa ese eso esta estaba estas este esto está estoy
            fue ha hace hacia hasta hay he la las le les lo los luego me mi mientras muy más ni no nos nosotros nuestra
            nuestro o para pero por porque que quien quizás qué se según ser si siempre sin sobre son su sus sí también
            tan tiene todo todos tu tus un una usted vamos y ya yo él
            """.words)
        return spanish
    }()

    private static let paragraph = Mark(text: "\n\n", place: .lineBreak, endsSentence: true)

    private static let spanishMarks: [(names: String, mark: Mark)] = [
        (
            "coma",
            Mark(
                text: ",", place: .closing, isOrdinaryWord: true,
                notAfter: Set("que se me te le nos quien quiero quiere alguien cuando ella él usted y o".words),
                notBefore: Set("algo nada eso esto tanto bien mucho poco más menos usted profundo inducido".words))
        ),
        (
            "punto",
            Mark(
                text: ".", place: .closing, endsSentence: true, isOrdinaryWord: true,
                notAfter: Set("cierto buen gran primer segundo tercer próximo otro mismísimo".words),
                notBefore: Set("de del débil fuerte clave muerto medio álgido crítico final importante".words))
        ),
        ("punto final,punto y seguido", Mark(text: ".", place: .closing, endsSentence: true)),
        ("punto y aparte", Mark(text: ".", place: .closing, endsSentence: true, rest: [paragraph])),
        (
            """
            signo de interrogación,cerrar interrogación,cierra interrogación,cerrar signo de interrogación,\
            interrogación final
            """, Mark(text: "?", place: .closing, endsSentence: true)
        ),
        (
            """
            signo de exclamación,cerrar exclamación,cierra exclamación,cerrar signo de exclamación,\
            signo de admiración,cerrar admiración
            """, Mark(text: "!", place: .closing, endsSentence: true)
        ),
        (
            "abrir interrogación,abre interrogación,abrir signo de interrogación", Mark(text: "¿", place: .opening)
        ),
        (
            "abrir exclamación,abre exclamación,abrir signo de exclamación,abrir admiración",
            Mark(text: "¡", place: .opening)
        ),
        (
            "dos puntos",
            Mark(
                text: ":", place: .closing,
                notAfter: Set(
                    "tiene tienen tengo ganó otros hay son esos unos sus faltan marcó sumó perdió saca entre hizo anotó"
                        .words),
                notBefore: ["de", "más", "menos", "en", "importantes", "porcentuales", "del", "básicos"])
        ),
        ("punto y coma", Mark(text: ";", place: .closing)),
        ("puntos suspensivos", Mark(text: "…", place: .closing)),
        ("guión bajo,guion bajo", Mark(text: "_", place: .joining)),
        ("guión,guion", Mark(text: "-", place: .joining, notBefore: ["de", "del", "original"])),
        ("raya", Mark(text: "–", place: .apart, isOrdinaryWord: true, notBefore: ["de", "del"])),
        (
            "abrir paréntesis,abre paréntesis,paréntesis izquierdo", Mark(text: "(", place: .opening)
        ),
        (
            "cerrar paréntesis,cierra paréntesis,paréntesis derecho", Mark(text: ")", place: .closing)
        ),
        ("abrir comillas,abre comillas", Mark(text: "«", place: .opening)),
        ("cerrar comillas,cierra comillas", Mark(text: "»", place: .closing)),
        ("barra oblicua,barra diagonal", Mark(text: "/", place: .joining)),
        ("arroba", Mark(text: "@", place: .joining, isOrdinaryWord: true)),
        (
            "nueva línea,siguiente línea",
            Mark(
                text: "\n", place: .lineBreak, endsSentence: true,
                notBefore: ["de", "del", "roja", "aérea", "telefónica"])
        ),
        ("nuevo párrafo,siguiente párrafo", paragraph),
    ]
}

extension NumberTable {
    static let spanish: NumberTable = {
        var numerals = series(
            """
            cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
            diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis
            veintisiete veintiocho veintinueve
            """, from: 0)
        numerals.merge(series("treinta cuarenta cincuenta sesenta setenta ochenta noventa", from: 30, by: 10)) { $1 }
        let hundreds = "dosc tresc cuatroc quin seisc setec ochoc novec".words
        for (index, stem) in hundreds.enumerated() {
            for ending in ["ientos", "ientas"] { numerals[[stem + ending]] = Numeral(value: 200 + index * 100) }
        }
        for (word, value) in [
            ("un", 1), ("una", 1), ("dieciseis", 16), ("veintiún", 21), ("veintiun", 21), ("veintiuna", 21),
            ("veintidos", 22), ("veintitres", 23), ("veintiseis", 26), ("cien", 100), ("ciento", 100),
        ] {
            numerals[[word]] = Numeral(value: value)
        }
        addSpanishOrdinals(to: &numerals)
        var scales = ["mil": Numeral(value: 1000)]
        var roundScales: [String: String] = [:]
        for (names, value) in [
            ("millón millon millones", 1_000_000), ("millardo millardos", 1_000_000_000),
            ("billón billon billones", 1_000_000_000_000),
        ] {
            for name in names.words {
                scales[name] = Numeral(value: value)
                roundScales[name] = name
            }
        }
        let months = """
            enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
            """.words
        return NumberTable(
            numerals: numerals, scales: scales, roundScales: roundScales, and: "y",
            joins: { first, hasAnd, second in
                if first > 0, first % 100 == 0 { return !hasAnd && (1...99).contains(second) }
                let tens = first % 100
                return hasAnd && tens % 10 == 0 && (30...90).contains(tens) && (1...9).contains(second)
            },
            closed: ["cero", "cien"], articles: ["un", "una", "uno"], onlyArticles: ["una"], idle: ["mil", "ciento"],
            separator: ".",
            points: ["coma": ",", "punto": "."], minus: "menos",
            notNegativeAfter: Set("al lo o a de por mucho poco nada ni no y cuando".words),
            degrees: ["grado", "grados"], percent: [["por", "ciento"], ["porciento"], ["por", "cien"]],
            currencies: [
                "euro": "€", "euros": "€", "dólar": "$", "dólares": "$", "dolares": "$", "yen": "¥", "yenes": "¥",
            ],
            centJoiners: ["y", "con"], cents: ["céntimo", "céntimos", "centavo", "centavos"],
            numbered: Set("página capítulo habitación número versión canal línea artículo párrafo andén vía".words),
            neverAfter: ["siglo"], rangeWords: ["a", "o"],
            functionWords: Set(
                """
                y o pero a al en de del para por con el la los las un una es son está yo tú él ella que porque si cuando
                mañana hoy punto coma nos me te se
                """.words),
            months: Dictionary(uniqueKeysWithValues: months.map { ($0, $0) }), of: ["de", "del"],
            dayJoiners: [["y"], ["al"], ["a"], ["y", "el"], ["y", "del"]], day: { String($0) },
            clock: ClockTable(
                before: ["la", "las"], beforeBefore: ["a", "desde", "hasta", "son", "es", "sobre"],
                phrases: [["y", "media"]: 30, ["y", "cuarto"]: 15, ["menos", "cuarto"]: -15],
                plus: ["y"], minus: ["menos"], minutes: ["minuto", "minutos"],
                written: { article, hour, minute in
                    // `Las dos menos diez` would be `la 1:50`, and the article is written already.
                    guard let minute, (article == "la") == (hour == 1) else { return nil }
                    return "\(hour):\(ClockTable.twoDigits(minute))"
                }))
    }()

    /// Adds the ordinals to 99, as in `vigésimo primero` and `décima`.
    private static func addSpanishOrdinals(to numerals: inout [[String]: Numeral]) {
        let units = "primer segund tercer cuart quint sext séptim octav noven".words
        let tens = "décim vigésim trigésim cuadragésim quincuagésim sexagésim septuagésim octogésim nonagésim".words
        for (end, sign) in [("o", ".º"), ("a", ".ª")] {
            numerals[["primer" + end]] = Numeral(value: 1, ending: sign)
            numerals[["undécim" + end]] = Numeral(value: 11, ending: sign)
            numerals[["duodécim" + end]] = Numeral(value: 12, ending: sign)
            for (index, ten) in tens.enumerated() {
                let value = 10 * (index + 1)
                numerals[[ten + end]] = Numeral(value: value, ending: sign)
                for (unit, stem) in units.enumerated() {
                    numerals[[ten + end, stem + end]] = Numeral(value: value + unit + 1, ending: sign)
                }
            }
        }
    }
}
