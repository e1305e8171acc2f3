/// Each case has what is heard, what must be written, and the case's source, separated by bars; `\n` is a line break. The words are
/// from these sources; what is written for them is this project's decision, and often differs from the source's:
///
/// - AN4: transcripts of CMU's recordings (UTTER_RECORDINGS, and the built-in model's README); TIDIGITS, pocketsphinx: the names and the
///   transcripts of Debian's pocketsphinx-testdata; LibriVox: `Benchmarks/librivox.tsv`
/// - NeMo: `tests/nemo_text_processing/en/data_inverse_text_normalization` of github.com/NVIDIA/NeMo-text-processing
/// - Whisper normalizer: `tests/test_normalizer.py` of github.com/openai/whisper
/// - text2num: `tests/test_text_to_num_en.py` of github.com/allo-media/text2num
/// - nerd-dictation: `tests/from_words_to_digits.py` of github.com/ideasman42/nerd-dictation
/// - Talon: `core/numbers/numbers.py` of github.com/talonhub/community, and talon.wiki/Basic Usage/prose_captures
/// - Apple, Dragon, Microsoft, MacSpeech manual: the lists of dictation commands in their manuals
/// - VoiceBase: `docs/how-to-guides/formatting.md` of github.com/voicebase/voicebase-docs
/// - utter: sentences made up for a rule, most of them to see it leave alone what it must
enum EnglishCases {
    static let numbers = """
        one hundred twenty three | 123 | utter
        two hundred and fifty four | 254 | NeMo cardinal
        one hundred forty seven thousand four hundred fifty one | 147,451 | NeMo cardinal
        one million one hundred fifty six thousand one hundred seventy three | 1,156,173 | NeMo cardinal
        one billion five hundred ninety three million seventy two thousand nine hundred sixty one | 1,593,072,961 | NeMo cardinal
        nine trillion seven hundred eighty nine billion three hundred eighty two million five hundred thirty six thousand one hundred thirty | 9,789,382,536,130 | NeMo cardinal
        minus twenty five thousand thirty seven | -25,037 | NeMo cardinal
        minus sixty | -60 | NeMo cardinal
        forty six thousand six hundred sixty four | 46,664 | NeMo cardinal
        sixty | 60 | NeMo cardinal
        zero | zero | NeMo cardinal
        two million three | 2,000,003 | NeMo cardinal
        one thousand thirteen | 1013 | NeMo cardinal
        one thousand one | 1001 | NeMo cardinal
        one thousand one hundred | 1100 | NeMo cardinal
        one thousand one hundred twenty six | 1126 | NeMo cardinal
        eighteen thousand eight hundred eighty | 18,880 | NeMo cardinal
        eleven hundred | 1100 | NeMo cardinal
        twenty one hundred | 2100 | NeMo cardinal
        twenty one hundred and eleven | 2111 | NeMo cardinal
        eleven hundred twenty one | 1121 | NeMo cardinal
        fifty three billion two hundred forty three thousand seven hundred twenty four | 53,000,243,724 | text2num
        fifty one million five hundred seventy eight thousand three hundred two | 51,578,302 | text2num
        eighty five | 85 | text2num
        fifteen | 15 | text2num
        one hundred fifteen | 115 | text2num
        nineteen hundred seventy three | 1973 | text2num
        twenty five cows twelve chickens and one hundred twenty five kg of potatoes | 25 cows 12 chickens and 125 kg of potatoes | text2num
        one thousand two hundred sixty six dollars | $1266 | text2num
        fifty sixty thirty and eleven | 50 60 30 and 11 | text2num
        we have plus twenty degrees inside and minus fifteen outside | we have plus 20 degrees inside and -15 outside | text2num
        this is the one i'm looking for | this is the one I'm looking for | text2num
        one moment please | one moment please | text2num
        twenty one cats | 21 cats | text2num
        no one is innocent | no one is innocent | text2num
        another one bites the dust | another one bites the dust | text2num
        my name is o s c a r | my name is o s c a r | text2num
        one second please | one second please | text2num
        twenty second is parsed as a number | 22nd is parsed as a number | text2num
        different from twenty seconds | different from 20 seconds | text2num
        thousand thousand two hundreds | thousand thousand two hundreds | text2num
        sixty fifteen | 60 15 | text2num
        hello world | hello world | nerd-dictation
        thirteen fourteen | 13 14 | nerd-dictation
        fifty four million two hundred and twelve thousand five hundred and forty seven | 54,212,547 | nerd-dictation
        two trillion | 2 trillion | nerd-dictation
        two trillion and seven | 2,000,000,000,007 | nerd-dictation
        two hundred and zero | 200 and zero | nerd-dictation
        one hundred two hundred | 100 200 | nerd-dictation
        one hundred two hundred three hundred and one | 100 200 301 | nerd-dictation
        one hundred two hundred thousand and one | 100 200,001 | nerd-dictation
        ninety two three hundred and three two hundred and thirteen thirteen thousand three hundred four hundred | 92 303 213 13,300 400 | nerd-dictation
        nineteen thousand three thousand | 19,000 3000 | nerd-dictation
        twenty thousand three thousand | 20,000 3000 | nerd-dictation
        two | two | Whisper normalizer
        thirty one | 31 | Whisper normalizer
        five twenty four | 524 | Whisper normalizer
        three thousand twenty nine | 3029 | Whisper normalizer
        forty three thousand two hundred sixty | 43,260 | Whisper normalizer
        forty three thousand two hundred and sixty | 43,260 | Whisper normalizer
        three billion | 3 billion | Whisper normalizer
        one hundred and five thousand | 105,000 | Talon
        one million five hundred one thousand | 1,501,000 | Talon
        one million five hundred and one thousand one hundred and six | 1,501,106 | Talon
        one twenty three | 123 | Talon
        ten sixty six | 1066 | Talon
        one hundred and twenty three thousand and four hundred and fifty six | 123,456 | Talon
        ten million | 10 million | NeMo decimal
        four hundred million | 400 million | NeMo decimal
        fifty billion | 50 billion | NeMo decimal
        one hundred thirty two billion | 132 billion | NeMo decimal
        two people waited for five minutes | two people waited for five minutes | utter
        nine of them and ten of us | nine of them and 10 of us | utter
        a hundred times better | a hundred times better | utter
        a hundred and twenty steps | 120 steps | utter
        five to ten days | 5 to 10 days | utter
        nine or ten of them | 9 or 10 of them | utter
        this one or ten others | this one or 10 others | utter
        from one to twenty | from 1 to 20 | utter
        turn to page five | turn to page 5 | utter
        room two thirty | room 230 | utter
        chapter seven is too long | chapter 7 is too long | utter
        ten fifteen minutes later | 10 15 minutes later | utter
        nine ten eleven twelve | nine 10 11 12 | utter
        ten minus five | 10 minus five | utter
        three and a half million | three and a half million | Whisper normalizer
        forty eight and a half years | 48 and a half years | Whisper normalizer
        i told you one hundred times | I told you 100 times | utter
        i have one twenty and two fifties | I have 120 and two fifties | utter
        twenty four seven | 24 seven | utter
        six and seven hundred | six and 700 | utter
        two or three hundred people | two or three hundred people | utter
        what a year nineteen eighty four was | what a year 1984 was | utter
        from nine to five thirty | from nine to 5:30 | utter
        one in five | one in five | utter
        a one hundred year old tree | a 100 year old tree | utter
        zero tolerance | zero tolerance | utter
        oh well oh dear | oh well oh dear | utter
        oh two people came | oh two people came | utter
        double trouble | double trouble | utter
        she turned thirty in may | she turned 30 in May | utter
        i need two twenty dollar bills | I need two $20 bills | utter
        it costs a dollar fifty | it costs $1.50 | utter
        a dollar and a dream | a dollar and a dream | utter
        the score was ten to two | the score was 10 to 2 | utter
        one hundred to one | 100 to 1 | utter
        aged two three five seven and nine | aged two three five seven and nine | utter
        in the nineteen hundreds | in the 1900s | utter
        she was second to none | she was second to none | utter
        he made five hundred and she made six thousand | he made 500 and she made 6000 | utter
        thirty | 30 | utter
        may i come in march | may I come in March | utter
        in the may of that year | in the may of that year | utter
        """

    static let amounts = """
        three point one four | 3.14 | Whisper normalizer
        fourteen point four | 14.4 | Whisper normalizer
        two point five million | 2.5 million | Whisper normalizer
        four point eight five billion | 4.85 billion | NeMo decimal
        one hundred sixty four point five eight thousand | 164.58 thousand | NeMo decimal
        zero point two six | 0.26 | NeMo decimal
        sixty point two | 60.2 | NeMo decimal
        eighteen point five o | 18.50 | NeMo decimal
        eighteen point o five | 18.05 | NeMo decimal
        eighteen point o o o | 18.000 | NeMo decimal
        eight hundred eighteen point three o three | 818.303 | NeMo decimal
        twelve point ninety nine | 12.99 | text2num
        one hundred twenty point zero five | 120.05 | text2num
        minus sixty point two four zero zero | -60.2400 | NeMo decimal
        version one point two point three | version 1.2.3 | utter
        at one point two people left | at one point two people left | utter
        the point is that nobody asked | the point is that nobody asked | utter
        ninety percent | 90% | Whisper normalizer
        seventy six per cent | 76% | Whisper normalizer
        eighteen point one four percent | 18.14% | NeMo measure
        nine ninety eight percent | 998% | NeMo measure
        five percent of them | 5% of them | utter
        thirty five point nine percent | 35.9% | Talon
        two dollars | $2 | NeMo money
        two dollars and seventy cents | $2.70 | Whisper normalizer
        three euros and sixty five cents | €3.65 | Whisper normalizer
        two point two five dollars | $2.25 | Whisper normalizer
        two hundred million dollars | $200 million | Whisper normalizer
        seventy five dollars sixty three | $75.63 | NeMo money
        twenty nine dollars fifty cents | $29.50 | NeMo money
        eleven dollars and fifty one cents | $11.51 | NeMo money
        nine hundred ninety three dollars and ninety two cents | $993.92 | NeMo money
        two point five billion dollars | $2.5 billion | NeMo money
        thirty billion yen | ¥30 billion | NeMo money
        forty five billion dollars | $45 billion | NeMo money
        fifteen thousand dollars | $15,000 | NeMo money
        eighteen million nine hundred twenty five thousand dollars | $18,925,000 | NeMo money
        one fifty five dollars | $155 | NeMo money
        fifteen hundred dollars | $1500 | NeMo money
        ninety nine hundred and fifteen dollars and one cent | $9915.01 | NeMo money
        twelve dollars | $12 | Talon
        twelve dollars fifty | $12.50 | Talon
        twelve dollars and fifty cents | $12.50 | Talon
        the total of your bill comes to one hundred thirty eight dollars and sixty five cents | the total of your bill comes to $138.65 | VoiceBase
        a twenty dollar bill | a $20 bill | utter
        it cost ten dollars and two people paid | it cost $10 and two people paid | utter
        """

    static let ordinals = """
        one hundredth | 100th | NeMo ordinal
        twenty five thousand one hundred eleventh | 25,111th | NeMo ordinal
        eleventh | 11th | NeMo ordinal
        twelfth | 12th | NeMo ordinal
        twenty first | 21st | NeMo ordinal
        twenty third | 23rd | NeMo ordinal
        one hundred eleventh | 111th | NeMo ordinal
        one thousandth | 1000th | NeMo ordinal
        one hundred twenty first | 121st | NeMo ordinal
        eleven hundred twenty first | 1121st | NeMo ordinal
        forty second | 42nd | NeMo ordinal
        second | second | NeMo ordinal
        seventh | seventh | NeMo ordinal
        thirty first | 31st | Whisper normalizer
        two thousandth | 2000th | Whisper normalizer
        thirty two thousandth | 32,000th | Whisper normalizer
        one thousand two hundred thirtieth | 1230th | text2num
        the first time and the tenth time | the first time and the 10th time | utter
        two thirds of it and one tenth | two thirds of it and one tenth | utter
        """

    static let times = """
        half past two | 2:30 | utter
        two thirty | 2:30 | NeMo time
        three o'clock | 3 o'clock | NeMo time
        eight oclock | 8 o'clock | NeMo time
        quarter past one | 1:15 | NeMo time
        half past three | 3:30 | NeMo time
        eight fifty one pm | 8:51 PM | NeMo time
        eight o six a m | 8:06 AM | NeMo time
        seven a m | 7 AM | NeMo time
        two p m | 2 PM | NeMo time
        eleven fifty five p m | 11:55 PM | NeMo time
        eleven forty a m | 11:40 AM | NeMo time
        eleven o six p m | 11:06 PM | NeMo time
        half past twelve | 12:30 | NeMo time
        quarter to one | 12:45 | NeMo time
        quarter to twelve | 11:45 | NeMo time
        set alarm at ten to eleven pm | set alarm at 10:50 PM | NeMo time
        twelve thirty | 12:30 | Talon
        five thirty am | 5:30 AM | Talon
        a quarter past two | 2:15 | utter
        ten past six | 6:10 | utter
        twenty five past nine p m | 9:25 PM | utter
        it's ten minutes to eleven | it's 10:50 | utter
        ten to eleven people came | 10 to 11 people came | utter
        at six thirty five from platform nine | at 6:35 from platform nine | Benchmarks/memos.tsv
        the meeting is at six oh five | the meeting is at 6:05 | utter
        before five o'clock | before 5 o'clock | Benchmarks/memos.tsv
        moved to thursday at half past three | moved to Thursday at 3:30 | Benchmarks/memos.tsv
        at one twenty three main street | at 123 main street | utter
        call me at seven am i said | call me at seven am I said | utter
        two thirty minute meetings | two 30 minute meetings | utter
        four fifteen pounds | 415 pounds | utter
        """

    static let dates = """
        nineteen seventy one | 1971 | utter
        nineteen ninety nine | 1999 | Whisper normalizer
        twenty nineteen | 2019 | Whisper normalizer
        nineteen fifties | 1950s | Whisper normalizer
        july third twenty twenty | July 3, 2020 | Whisper normalizer
        august twenty sixth twenty twenty one | August 26, 2021 | Whisper normalizer
        july twenty fifth two thousand twelve | July 25, 2012 | NeMo date
        nineteen eighties | 1980s | NeMo date
        two thousand and twenty | 2020 | NeMo date
        two thousand and nine | 2009 | NeMo date
        the twenty fifth of july twenty twelve | the 25th of July 2012 | NeMo date
        the fifteenth of january | the 15th of January | NeMo date
        january first | January 1 | NeMo date
        june thirty | June 30 | NeMo date
        nineteen seventeen | 1917 | NeMo date
        march sixteen sixty five | March 1665 | NeMo date
        july two thousand twelve | July 2012 | NeMo date
        october nineteen oh five | October 1905 | NeMo date
        july fifteen o six | July 1506 | NeMo date
        february twenty fifth twenty sixteen | February 25, 2016 | NeMo date
        one thousand eight | 1008 | NeMo date
        nineteen oh six | 1906 | Talon
        twenty oh one | 2001 | Talon
        twenty twenty | 2020 | Talon
        january eleventh nineteen seventy one | January 11, 1971 | AN4
        december twenty fifth nineteen ninety nine | December 25, 1999 | AN4
        may second nineteen sixty five | May 2, 1965 | AN4
        the twentieth of june | the 20th of June | Benchmarks/memos.tsv
        not on the twenty fifth | not on the 25th | Benchmarks/memos.tsv
        i may second that | I may second that | utter
        in june two people came | in June two people came | utter
        the second of may | the 2nd of May | utter
        """

    static let digits = """
        one two three one two three five six seven eight | 1231235678 | NeMo telephone
        seven nine nine | 799 | NeMo telephone
        oh two three one two three five six seven eight | 0231235678 | NeMo telephone
        double oh three one two three five six seven eight | 0031235678 | NeMo telephone
        four three two double seven three two one four three two one four three double zero five | 43277321432143005 | NeMo telephone
        ssn is seven double nine one two three double one three | ssn is 799123113 | NeMo telephone
        double oh seven | 007 | Whisper normalizer
        double zero seven | 007 | Whisper normalizer
        nine one one | 911 | Whisper normalizer
        nine double one | 911 | Whisper normalizer
        one triple oh one | 10001 | Whisper normalizer
        two double o eight | 2008 | Whisper normalizer
        one two five oh nine seven three | 1250973 | AN4
        nine eight seven six five four | 987654 | AudioFixtures
        zero one eight zero three | 01803 | AudioFixtures
        five five | five five | pocketsphinx
        one one one | 111 | TIDIGITS
        two nine three four zero | 29340 | TIDIGITS
        call six five zero eight nine seven five one seven zero thank you | call 6508975170 thank you | VoiceBase
        one eight hundred five five five one two one two | 18005551212 | utter
        one two five oh well | 125 oh well | utter
        oh one more thing | oh one more thing | utter
        six thirty five fifty four eighty three | 635 54 83 | AudioFixtures
        erase x a g n a six thirty five | erase x a g n a 635 | AN4
        r h n g a fifty four eighty three | r h n g a 54 83 | AN4
        d a j n h ninety six | d a j n h 96 | AN4
        j p e g four | j p e g four | AN4
        ten of clubs | 10 of clubs | pocketsphinx
        eight of spades four of clubs seven of hearts | eight of spades four of clubs seven of hearts | pocketsphinx
        """

    static let marks = """
        hello comma world | hello, world | Apple
        pick up the new phone and suddenly comma it's clear period | pick up the new phone and suddenly, it's clear. | Apple
        really question mark | really? | Apple
        stop exclamation point go on | stop! Go on | Apple
        stop exclamation mark | stop! | Dragon
        i am here full stop you are not | I am here. You are not | Dragon
        dear anna comma new line thank you full stop | dear anna,\\nThank you. | Apple
        the end period new paragraph the beginning | the end.\\n\\nThe beginning | Apple
        he said colon open quote yes close quote | he said: "yes" | Microsoft
        one open parenthesis or two close parenthesis | one (or two) | Apple
        well hyphen known | well-known | Apple
        wait ellipsis | wait… | Apple
        he came semicolon she left | he came; she left | Microsoft
        yes dash or no | yes – or no | Apple
        salt ampersand pepper | salt & pepper | Apple
        and forward slash or | and/or | Microsoft
        scored the winning goal in the third period | scored the winning goal in the third period | MacSpeech manual
        the train came to a full stop | the train came to a full stop | MacSpeech manual
        put a comma there | put a comma there | utter
        a new line of products | a new line of products | utter
        comma separated values | comma separated values | utter
        a period of time | a period of time | utter
        period drama | period drama | utter
        thirty five comma forty | 35, 40 | utter
        on monday comma may second full stop | on Monday, May 2. | utter
        end of trial period | end of trial period | utter
        comma and so on | , and so on | utter
        new line | \\n | utter
        """

    static let sentences = """
        hello world | Hello world | nerd-dictation
        remember to call the dentist on monday morning | Remember to call the dentist on Monday morning | Benchmarks/memos.tsv
        three things for today | Three things for today | Benchmarks/memos.tsv
        twenty five cows | 25 cows | text2num
        the train leaves at six thirty five from platform nine full stop it takes fifty four minutes full stop the ticket costs eighty three dollars | The train leaves at 6:35 from platform nine. It takes 54 minutes. The ticket costs $83 | Benchmarks/memos.tsv
        and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them | And mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them | LibriVox
        he was not an ill disposed young man | He was not an ill disposed young man | LibriVox
        open quote yes close quote he said | "Yes" he said | Microsoft
        i was born on january eleventh nineteen seventy one | I was born on January 11, 1971 | Benchmarks/memos.tsv
        my number is one two five oh nine seven three | My number is 1250973 | Benchmarks/memos.tsv
        could you meet me at a quarter to five | Could you meet me at 4:45 | NeMo time
        """
}
