/// Each case has what is heard, what must be written, and the case's source, separated by bars; `\n` is a line break. The
/// words are from these sources; what is written for them is this project's decision, and often differs from the source's:
///
/// - NeMo: `tests/nemo_text_processing/de/data_inverse_text_normalization` of github.com/NVIDIA/NeMo-text-processing
/// - text2num: `tests/test_text_to_num_de.py` of github.com/allo-media/text2num
/// - Apple, Microsoft, Dragon: the lists of dictation commands in their manuals
/// - utter: sentences made up for a rule, most of them to see it leave alone what it must
enum GermanCases {
    static let numbers = """
        ein hundert | 100 | NeMo cardinal
        einhundert | 100 | NeMo cardinal
        einhundertzwei | 102 | NeMo cardinal
        ein hundert zwanzig | 120 | NeMo cardinal
        ein tausend | 1000 | NeMo cardinal
        eintausendzwanzig | 1020 | NeMo cardinal
        neun billionen sieben hundert neun und achtzig milliarden drei hundert zwei und achtzig millionen fünf hundert sechs und dreißig tausend ein hundert dreißig | 9.789.382.536.130 | NeMo cardinal
        zwei hundert vier und fünfzig | 254 | NeMo cardinal
        ein hundert sieben und vierzig tausend vier hundert ein und fünfzig | 147.451 | NeMo cardinal
        eine million ein hundert sechs und fünfzig tausend ein hundert drei und siebzig | 1.156.173 | NeMo cardinal
        eine milliarde fünf hundert drei und neunzig millionen zwei und siebzig tausend neun hundert ein und sechzig | 1.593.072.961 | NeMo cardinal
        zehn billiarden zehn billionen zehn millionen einhunderttausendzehn | 10.010.000.010.100.010 | NeMo cardinal
        minus fünfundzwanzigtausendsiebenunddreißig | -25.037 | NeMo cardinal
        minus fünf und zwanzig tausend sieben und dreißig | -25.037 | NeMo cardinal
        minus sechzig | -60 | NeMo cardinal
        sechs und vierzig tausend sechs hundert vier und sechzig | 46.664 | NeMo cardinal
        null | null | NeMo cardinal
        eins | eins | NeMo cardinal
        einer | einer | NeMo cardinal
        neun | neun | NeMo cardinal
        zwölf | 12 | NeMo cardinal
        dreizehn | 13 | NeMo cardinal
        neunzig | 90 | NeMo cardinal
        zwei millionen drei | 2.000.003 | NeMo cardinal
        ein tausend eins | 1001 | NeMo cardinal
        ein tausend ein hundert sechs und zwanzig | 1126 | NeMo cardinal
        achtzehn millionen neun hundert vierzig tausend sieben hundert zwei und zwanzig | 18.940.722 | NeMo cardinal
        dreiundfünfzig milliarden zweihundertdreiundvierzigtausendsiebenhundertvierundzwanzig | 53.000.243.724 | text2num
        einundfünfzig millionen fünfhundertachtundsiebzigtausenddreihundertzwei | 51.578.302 | text2num
        fünfundachtzig | 85 | text2num
        zwei und vierzig | 42 | text2num
        hundert fünfzehn | 115 | text2num
        hundertfünfzehn | 115 | text2num
        fünfundsiebzigtausend | 75.000 | text2num
        eintausendneunhundertzwanzig | 1920 | text2num
        neunzehnhundertdreiundsiebzig | 1973 | text2num
        dreißig und elf | 30 und 11 | text2num
        zwanzig zweitausend | 20 2000 | text2num
        fünfundzwanzig kühe zwölf hühner und einhundertfünfundzwanzig kg kartoffeln | 25 kühe 12 hühner und 125 kg kartoffeln | text2num
        eins zwei drei vier zwanzig fünfzehn | 1234 20 15 | text2num
        zwei und zwanzig zwei tausend ein und zwanzig | 22 2021 | text2num
        tausend hundertzweitausend zweihunderttausend vierzehntausend | tausend 102.000 200.000 14.000 | text2num
        eins und zwanzig ist nicht einundzwanzig | eins und 20 ist nicht 21 | text2num
        einhundert und ende | 100 und ende | text2num
        dreizehntausend null neunzig | 13.000 null 90 | text2num
        velma hat eine spur | velma hat eine spur | text2num
        er sieht eine zwei | er sieht eine zwei | text2num
        er sieht es nicht ein | er sieht es nicht ein | text2num
        es ist ein buch mit dreitausend seiten aber nicht das erste | es ist ein buch mit 3000 seiten aber nicht das erste | text2num
        sechzigfünfzehn | sechzigfünfzehn | text2num
        null vier eins eins eins zwei drei vier | 04111234 | NeMo telephone
        zwei leute warteten fünf minuten | zwei leute warteten fünf minuten | utter
        tausend dank für alles | tausend dank für alles | utter
        hundert mal besser | hundert mal besser | utter
        zwischen hundert und zweihundert | zwischen hundert und 200 | utter
        das kostet hundert euro | das kostet 100 € | utter
        ich habe eine million gründe | ich habe eine Million gründe | utter
        zwei millionen menschen | 2 Millionen menschen | utter
        eine million zweihundertfünfzigtausend | 1.250.000 | utter
        fünf bis zehn tage | 5 bis 10 tage | utter
        drei billionen eine milliarde zweihunderttausend | 3.001.000.200.000 | utter
        es sind zwei millionen ein drittel fehlt | es sind 2 Millionen ein drittel fehlt | utter
        zwei oder dreihundert leute | zwei oder dreihundert leute | utter
        zwei bis drei leute | zwei bis drei leute | utter
        auf seite fünf | auf seite 5 | utter
        zimmer zweihundertdreißig | zimmer 230 | utter
        kapitel eins ist zu lang | kapitel 1 ist zu lang | utter
        zehn minus fünf | 10 minus fünf | utter
        ein mann und eine frau | ein mann und eine frau | utter
        ich achte auf dich | ich achte auf dich | utter
        das ist einmalig und zweifelhaft | das ist einmalig und zweifelhaft | utter
        zweieinhalb stunden | zweieinhalb stunden | utter
        einundzwanzigjährige | einundzwanzigjährige | utter
        fünf und sechs gehören zusammen | fünf und sechs gehören zusammen | utter
        zwei drei und fünf | zwei drei und fünf | utter
        """

    static let amounts = """
        null komma zwei millionen | 0,2 Millionen | NeMo decimal
        eins komma zwei millionen | 1,2 Millionen | NeMo decimal
        achtzehn milliarden | 18 Milliarden | NeMo decimal
        ein hundert zwanzig millionen | 120 Millionen | NeMo decimal
        minus sechzig komma zwei vier null null | -60,2400 | NeMo decimal
        acht hundert achtzehn komma drei null drei | 818,303 | NeMo decimal
        achthundertachtzehn komma drei null drei | 818,303 | NeMo decimal
        zwölf komma neun | 12,9 | text2num
        einhundertzwanzig komma null fünf | 120,05 | text2num
        pi ist drei komma eins vier und so weiter | pi ist 3,14 und so weiter | text2num
        es ist minus fünfzehn grad | es ist -15 grad | text2num
        zwei dollar | 2 $ | NeMo money
        ein dollar | ein Dollar | NeMo money
        zwei komma null eins dollar | 2,01 $ | NeMo money
        zwei dollar zwanzig | 2,20 $ | NeMo money
        zwei euro und zwanzig cent | 2,20 € | NeMo money
        zwei euro zwanzig cent | 2,20 € | NeMo money
        zwei pfund und zwanzig pence | 2,20 £ | NeMo money
        zwei millionen euro | 2 Millionen Euro | NeMo money
        zwanzig cent | 20 cent | NeMo money
        zwanzig euro | 20 € | utter
        ein euro fünfzig | 1,50 € | utter
        drei komma fünf prozent | 3,5 % | utter
        fünf prozent der leute | 5 % der leute | utter
        hundert prozent | 100 % | utter
        ein prozent | 1 % | utter
        minus fünf grad | -5 grad | utter
        zwei euro und zwei freunde | 2 € und zwei freunde | utter
        ein euro ist wenig | ein Euro ist wenig | utter
        """

    static let ordinals = """
        ein hundertste | 100. | NeMo ordinal
        fünf und zwanzig tausend ein hundert elftem | 25.111. | NeMo ordinal
        zweite | zweite | NeMo ordinal
        vierter | vierter | NeMo ordinal
        zehnter | 10. | NeMo ordinal
        dreiundzwanzigstes | 23. | NeMo ordinal
        ein und zwanzigstes | 21. | NeMo ordinal
        dem ein tausendstem | dem 1000. | NeMo ordinal
        einhunderteinundzwanzigste | 121. | NeMo ordinal
        zwei tausend zweite | 2002. | text2num
        zwanzig erste versuche | 20 erste versuche | text2num
        der dritte und dreißig | der dritte und 30 | text2num
        der zehnte versuch | der 10. versuch | utter
        er wurde elfter punkt danach nichts | er wurde 11. Danach nichts | utter
        """

    static let times = """
        acht uhr | 8 Uhr | NeMo time
        vier und zwanzig uhr | 24 Uhr | NeMo time
        zwölf uhr mittags | 12 Uhr mittags | NeMo time
        acht uhr sieben | 8:07 Uhr | NeMo time
        null uhr siebzehn | 0:17 Uhr | NeMo time
        zehn vor zwölf | zehn vor zwölf | NeMo time
        von acht bis zehn uhr | von 8 bis 10 Uhr | utter
        viertel vor zwölf | viertel vor 12 | NeMo time
        halb zwölf | halb 12 | NeMo time
        vierzehn uhr dreißig | 14:30 Uhr | utter
        um acht uhr null fünf | um 8:05 Uhr | utter
        um acht uhr zwei leute getroffen | um 8 Uhr zwei leute getroffen | utter
        um halb drei | um halb drei | utter
        viertel nach zwei | viertel nach zwei | utter
        um ein uhr nachts | um 1 Uhr nachts | utter
        eine uhr mit zeigern | eine Uhr mit zeigern | utter
        um neun uhr am montag | um 9 Uhr am Montag | utter
        """

    static let dates = """
        vierundzwanzigster juli zwei tausend dreizehn | 24. Juli 2013 | NeMo date
        vier und zwanzigster juli zwei tausend dreizehn | 24. Juli 2013 | NeMo date
        neunzehnhundertachtzig | 1980 | NeMo date
        neunzehn hundert vier und neunzig | 1994 | NeMo date
        zwei tausend zwanzig | 2020 | NeMo date
        vierzehnter januar | 14. Januar | NeMo date
        januar zweitausendneun | Januar 2009 | NeMo date
        erster januar | 1. Januar | NeMo date
        der zweiundzwanzigste erste zweitausendzweiundzwanzig | der 22.1.2022 | text2num
        zweiundzwanzigster zweiter und zwei und zwanzigster zweiter | 22. zweiter und 22. zweiter | text2num
        am fünfundzwanzigsten märz zweitausendvierundzwanzig | am 25. März 2024 | utter
        am ersten mai | am 1. Mai | utter
        am ersten und zweiten mai | am 1. und 2. Mai | utter
        vom ersten bis zum zehnten mai | vom 1. bis zum 10. Mai | utter
        am dritten märz zwanzig vierundzwanzig | am 3. März 2024 | utter
        seit neunzehnhundertvierundachtzig | seit 1984 | utter
        im april und im mai | im April und im Mai | utter
        der erste mann | der erste mann | utter
        """

    static let marks = """
        hallo komma wie geht es fragezeichen | hallo, wie geht es? | Apple
        gut punkt danke ausrufezeichen | gut. Danke! | Apple
        folgendes doppelpunkt eins semikolon | folgendes: eins; | Apple
        milch neue zeile brot | milch \\n Brot | Apple
        ende punkt neuer absatz anfang | ende. \\n\\n Anfang | Microsoft
        klammer auf siehe oben klammer zu | (siehe oben) | Microsoft
        anführungszeichen auf hallo anführungszeichen zu | "hallo" | Dragon
        nord bindestrich süd | nord-süd | Dragon
        und schrägstrich oder | und/oder | Dragon
        das ist gut gedankenstrich sehr gut | das ist gut – sehr gut | Dragon
        in diesem punkt | in diesem punkt | utter
        ich weiß dass er da ist punkt | ich weiß dass er da ist. | utter
        mach die tür auf punkt dann komm | mach die tür auf. Dann komm | utter
        es ist punkt acht | es ist punkt acht | utter
        ich will das punkt danke | ich will das. Danke | utter
        ich kenne die komma aber nicht gut | ich kenne die, aber nicht gut | utter
        was ist das fragezeichen hier | was ist das fragezeichen hier | utter
        sein wunder punkt | sein wunder punkt | utter
        in null komma nichts | in null komma nichts | utter
        der punkt ist wichtig | der punkt ist wichtig | utter
        punkt für punkt | punkt für punkt | utter
        das komma fehlt | das komma fehlt | utter
        um neun komma zehn leute warteten | um neun, 10 leute warteten | utter
        eine komma fünf andere | eine komma fünf andere | utter
        der springende punkt ist klar | der springende punkt ist klar | utter
        a unterstrich b | a_b | utter
        das kann sein komma aber | das kann sein, aber | utter
        ich meine komma dass er kommt | ich meine, dass er kommt | utter
        ein fragezeichen setzen | ein fragezeichen setzen | utter
        punkt acht uhr | punkt 8 Uhr | utter
        wir treffen uns um punkt acht | wir treffen uns um punkt acht | utter
        eine neue zeile beginnen | eine neue zeile beginnen | utter
        eins komma zwei komma drei | eins, zwei, drei | utter
        ja komma drei komma fünf prozent | ja, 3,5 % | utter
        version zwei punkt null | version 2.0 | utter
        version eins punkt zwei punkt drei | version 1.2.3 | utter
        seite eins komma zwei komma drei | seite 1, zwei, drei | utter
        seite fünf bis sieben | seite 5 bis 7 | utter
        ich habe drei punkt zwei davon sind rot | ich habe drei. Zwei davon sind rot | utter
        zwanzig äpfel komma zwölf birnen | 20 äpfel, 12 birnen | utter
        drei komma | drei, | text2num
        """

    static let sentences = """
        äpfel komma zwanzig birnen | Äpfel, 20 birnen | utter
        am montag | Am Montag | utter
        montags arbeite ich | Montags arbeite ich | utter
        ich weiß es nicht | Ich weiß es nicht | utter
        fünfundzwanzig leute kamen am dienstag | 25 leute kamen am Dienstag | utter
        streich das bitte | Streich das bitte | utter
        """
}
