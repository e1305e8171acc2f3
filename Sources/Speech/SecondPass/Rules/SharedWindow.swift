import Glibc

/// Divides the text of several utterances that a second pass has decoded together. It is pure.
///
/// A Whisper model computes thirty seconds whatever its input is, and recognizes a sentence better if another comes
/// before it.
struct SharedWindow {
    /// The longest sum of utterances, in seconds; less than Whisper's window, so that the last word fits in.
    static let longest = 29

    /// The confidence below which a text may be invented, and Whisper's authors decode again: a mean log probability of −1.
    /// For 26 seconds of music in which the first pass finds words, tiny.en has "I'm going to go to the next one." with a
    /// confidence of 0.19; that of speech was at least 0.53 in 54 windows. Utterances that are decoded by themselves are
    /// short enough to be recognized as silence.
    private static let leastConfidence = exp(-1.0)

    /// The first pass's version of one of the utterances.
    struct Member: Sendable {
        /// The words, with times in samples since the beginning of the utterance.
        var words: [WordAlignment.Timed]
        /// The length of the utterance, in samples.
        var length: Int64

        init(words: [WordAlignment.Timed], length: Int64) { (self.words, self.length) = (words, length) }

        init(_ utterance: Utterance, sampleCount: Int) {
            (words, length) = (utterance.wordsFromItsStart, Int64(sampleCount))
        }

        /// Returns the times of the words in a window in which the utterance begins at `start`.
        func times(startingAt start: Int64) -> [Range<Int64>] {
            words.map { (start + $0.range.lowerBound)..<(start + $0.range.upperBound) }
        }
    }

    /// The utterances with text before and after one that is decoded by itself. It may get words that they already have.
    struct Neighbours: Sendable {
        /// The words of an utterance, normalized.
        private struct Words {
            var first: [String]
            var second: [String]

            init(first: Member, second: SecondPassText) {
                self.first = first.words.map { WordAlignment.normalized($0.text) }
                self.second = SharedWindow.normalizedWords(second.text)
            }
        }

        private let own: [String]
        private let before: Words?
        private let after: Words?

        /// Creates the neighbours of an utterance.
        ///
        /// - Parameters:
        ///   - index: the index of the utterance.
        ///   - members: the utterances that were decoded together.
        ///   - parts: the text of each.
        init(of index: Int, among members: [Member], _ parts: [SecondPassText]) {
            let words = zip(members, parts).map(Words.init)
            own = words[index].first
            before = words[..<index].last { !$0.second.isEmpty }
            after = words[(index + 1)...].first { !$0.second.isEmpty }
        }

        /// Whether a neighbour has these words of the utterance already. Words that the first pass, too, has heard in
        /// both were said twice.
        func contain(_ text: String) -> Bool {
            let words = SharedWindow.normalizedWords(text)
            func ends(_ other: [String]) -> Bool { other.suffix(words.count).elementsEqual(words) }
            func begins(_ other: [String]) -> Bool { other.starts(with: words) }
            if words.isEmpty { return false }
            return before.map { ends($0.second) && !(own == words && ends($0.first)) } ?? false
                || after.map { begins($0.second) && !(own == words && begins($0.first)) } ?? false
        }
    }

    private static func normalizedWords(_ text: String) -> [String] {
        text.split(separator: " ").map(WordAlignment.normalized).filter { !$0.isEmpty }
    }

    /// A word of the second pass, with its time in samples since the beginning of the window.
    private struct Heard {
        var text: String
        var time: Range<Int64>
    }

    /// A word that both passes have.
    private struct Match {
        /// The index of the utterance that has the word in the first pass.
        var member: Int
        /// Whether the word is the first of that utterance.
        var isFirst: Bool
        /// Whether the word is the last of that utterance.
        var isLast: Bool
        /// The index of the word in the first pass's text of the window.
        var word: Int
        /// The index of the word in the second pass's text.
        var place: Int
    }

    private let heard: [Heard]
    private let matches: [Match]
    private let members: [Member]
    private let starts: [Int64]
    private let sampleRate: Int
    private let hasOwnTimes: Bool
    private let text: SecondPassText

    /// Aligns the text with the utterances.
    ///
    /// - Parameters:
    ///   - text: the text of the second pass.
    ///   - members: the utterances, at least one, each with words.
    ///   - sampleRate: the number of samples per second, in Hz.
    /// - Returns: nil if the text has no words, or may be invented.
    init?(_ text: SecondPassText, members: [Member], sampleRate: Int) {
        let words = SecondPassVerdict.spoken(text.text).split(separator: " ").map(String.init)
        if words.isEmpty || text.confidence.map({ $0 < Self.leastConfidence }) ?? false { return nil }
        self.text = text
        self.members = members
        self.sampleRate = sampleRate
        starts = members.reduce(into: [0]) { $0.append($0.last! + $1.length) }.dropLast()
        let matches = Self.matches(of: members, words)
        self.matches = matches
        hasOwnTimes = text.words.map(\.text) == words
        let times =
            hasOwnTimes
            ? text.words.map { $0.samples(at: sampleRate) }
            : SpeechClock(zip(members, starts).flatMap { $0.times(startingAt: $1) })
                .times(of: words, known: Dictionary(matches.map { ($0.place, $0.word) }) { first, _ in first })
        heard = zip(words, times).map { Heard(text: $0, time: $1) }
    }

    /// The text of each utterance. Together they are the whole text, in order; some may be empty.
    var parts: [SecondPassText] {
        let cuts = [0] + self.cuts + [heard.count]
        return members.indices.map { index in
            let range = cuts[index]..<cuts[index + 1]
            var part = SecondPassText(
                text: heard[range].map(\.text).joined(separator: " "), confidence: text.confidence)
            // If the model's times are inexact, a word begins no earlier than its utterance.
            if hasOwnTimes { part.words = text.words[range].map { $0.moved(by: -starts[index], at: sampleRate) } }
            return part
        }
    }

    /// The number of words before each utterance except the first: the cuts in ascending order with the lowest total
    /// cost.
    private var cuts: [Int] {
        // The lowest cost of the cuts so far, by the position of the last, and the position of the cut before it.
        var costs = [Double](repeating: 0, count: 1) + [Double](repeating: .infinity, count: heard.count)
        var choices: [[Int]] = []
        for cut in members.indices.dropFirst() {
            var best = 0
            let choice = costs.indices.map { place in
                if place > 0, costs[place - 1] < costs[best] { best = place - 1 }
                return costs[place] + Self.withoutWords < costs[best] ? place : best
            }
            costs = choice.enumerated().map { place, before in
                costs[before] + (before == place ? Self.withoutWords : 0) + cost(of: place, before: cut)
            }
            choices.append(choice)
        }
        costs[heard.count] += Self.withoutWords
        var place = costs.indices.min { costs[$0] < costs[$1] } ?? 0
        var found: [Int] = []
        for choice in choices.reversed() {
            found.append(place)
            place = choice[place]
        }
        return found.reversed()
    }

    /// The costs, in seconds: of a cut within a sentence, and after a comma; of each word that both passes have and that
    /// gets into the wrong utterance; of each word between a cut and the word that the first pass has beside it; of an
    /// utterance that is left without words.
    private static let inMidSentence = 0.8
    private static let afterComma = 0.4
    private static let wrongWord = 0.8
    private static let strangeWord = 0.8
    private static let withoutWords = 1.0

    /// Returns the cost of a cut at `place` before the utterance `member`: its distance in seconds from the pause
    /// between the utterances, and the costs of everything else that speaks against it.
    private func cost(of place: Int, before member: Int) -> Double {
        let before = starts[member - 1] + (members[member - 1].words.last?.range.upperBound ?? 0)
        let after = starts[member] + (members[member].words.first?.range.lowerBound ?? 0)
        let begin = place > 0 ? heard[place - 1].time.upperBound : .min
        let end = place < heard.count ? heard[place].time.lowerBound : .max
        // The distance from the pause between the two words to the pause between the utterances.
        var cost = Double(end < before ? before - end : begin > after ? begin - after : 0) / Double(sampleRate)
        if place > 0 {
            let word = heard[place - 1]
            switch word.text.last {
            case ".", "?", "!", "…": break
            case ",", ";", ":": cost += Self.afterComma
            default: cost += Self.inMidSentence
            }
        }
        let wrong = matches.count { ($0.member < member) != ($0.place < place) }
        return cost + Double(wrong) * Self.wrongWord + Double(strangers(beside: place, before: member))
            * Self.strangeWord
    }

    /// Returns the number of words between the cut and the last word of the utterance before it, plus those between the
    /// cut and the first word of the utterance after it, if both passes have those words.
    private func strangers(beside place: Int, before member: Int) -> Int {
        let last = matches.last { $0.member == member - 1 && $0.isLast }.map { max(0, place - 1 - $0.place) } ?? 0
        let first = matches.first { $0.member == member && $0.isFirst }.map { max(0, $0.place - place) } ?? 0
        return last + first
    }

    private static func matches(of members: [Member], _ words: [String]) -> [Match] {
        let said = members.enumerated().flatMap { index, member in
            member.words.enumerated().map { place, word in
                (
                    text: WordAlignment.normalized(word.text),
                    match: Match(
                        member: index, isFirst: place == 0, isLast: place == member.words.count - 1, word: 0, place: 0)
                )
            }
        }
        let texts = words.map(WordAlignment.normalized)
        let owners = WordAlignment.owners(of: said.map(\.text), among: texts)
        return zip(said.indices, owners).compactMap { index, owner in
            guard let owner, texts[owner] == said[index].text else { return nil }
            var match = said[index].match
            (match.word, match.place) = (index, owner)
            return match
        }
    }
}

extension Utterance {
    /// The words, with times in samples since the beginning of the utterance.
    var wordsFromItsStart: [WordAlignment.Timed] {
        alternatives[0].words.map {
            let start = range.lowerBound
            return WordAlignment.Timed(
                text: $0.text, range: ($0.range.lowerBound - start)..<($0.range.upperBound - start))
        }
    }
}
