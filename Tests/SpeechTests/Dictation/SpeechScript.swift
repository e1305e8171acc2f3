import TestSupport

@testable import Speech

/// What somebody says, word by word, in frames of the detector, and a model that decodes it without an error.
struct SpeechScript: Sendable {
    struct Word: Sendable {
        var text: String
        /// The word's frames, of 512 samples.
        var frames: Range<Int>
        var range: Range<Int64> { Int64(frames.lowerBound) * 512..<Int64(frames.upperBound) * 512 }
        var middle: Int64 { (range.lowerBound + range.upperBound) / 2 }
    }

    /// The times that the model gives.
    enum Times: CaseIterable, Sendable {
        case ofWords, ofSentences, none
    }

    private(set) var words: [Word] = []
    /// Whether a word is said in each frame. The silence after the last word belongs to the frames.
    private var spoken: [Bool] = []
    var frameCount: Int { spoken.count }

    static let framesPerSecond = 31.25

    /// Creates a script from words, each of 0.4 s. `(1.5)` is a pause in seconds, to the next whole frame.
    init(_ text: String) {
        for part in text.split(separator: " ") {
            if part.hasPrefix("("), let seconds = Double(part.dropFirst().dropLast()) {
                pause(frames: Int((seconds * Self.framesPerSecond).rounded(.up)))
            } else {
                say(String(part), frames: 12)
            }
        }
    }

    mutating func say(_ text: String, frames: Int) {
        words.append(Word(text: text, frames: frameCount..<frameCount + frames))
        spoken += repeatElement(true, count: frames)
    }

    mutating func pause(frames: Int) { spoken += repeatElement(false, count: frames) }

    /// Random words, in sentences, with pauses of any length.
    ///
    /// - Parameter sentencesEndAtPauses: whether there is a pause after every sentence.
    static func random(_ count: Int, sentencesEndAtPauses: Bool, using generator: inout SplitMix64) -> SpeechScript {
        var script = SpeechScript("")
        var others: Set<String> = []
        var begins = true
        // Some people pause often, others hardly ever.
        let pauses = [2, 5, 30, 200].randomElement(using: &generator)!
        script.pause(frames: .random(in: 0...40, using: &generator))
        for _ in 0..<count {
            var word = newWord(&others, &generator)
            if begins { word = word.prefix(1).uppercased() + word.dropFirst() }
            begins = Int.random(in: 0..<6, using: &generator) == 0
            script.say(begins ? word + "." : word, frames: .random(in: 9...20, using: &generator))
            if begins && sentencesEndAtPauses || Int.random(in: 0..<pauses, using: &generator) == 0 {
                let longest = [8, 20, 35, 50, 200].randomElement(using: &generator)!
                script.pause(frames: .random(in: 5...longest, using: &generator))
            } else if Bool.random(using: &generator) {
                script.pause(frames: .random(in: 0...3, using: &generator))
            }
        }
        script.pause(frames: .random(in: 0...300, using: &generator))
        return script
    }

    /// A word that is not among others, so that a text of such words does not repeat itself.
    static func newWord(_ others: inout Set<String>, _ generator: inout SplitMix64) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        while true {
            let word = String((0..<4).map { _ in letters.randomElement(using: &generator)! })
            if others.insert(word).inserted { return word }
        }
    }

    /// Returns so many words that are all different.
    static func words(_ count: Int) -> [String] {
        var generator = SplitMix64(seed: 5)
        var others: Set<String> = []
        return (0..<count).map { _ in newWord(&others, &generator) }
    }

    func isSpoken(_ frame: Int) -> Bool { frame < spoken.count && spoken[frame] }

    /// The place of the first word whose middle is not before a sample.
    private func firstWord(from sample: Int64) -> Int {
        var places = 0..<words.count
        while let middle = places.isEmpty ? nil : (places.lowerBound + places.upperBound) / 2 {
            places = words[middle].middle < sample ? middle + 1..<places.upperBound : places.lowerBound..<middle
        }
        return places.lowerBound
    }

    /// The text of ranges that are decoded as one sound, of the words whose middle lies in one.
    ///
    /// - Parameter error: the error of the times of sentences, in milliseconds.
    func decoded(_ sound: [Range<Int64>], _ times: Times, error: Int64 = 0) -> DecodedText {
        let heard = sound.flatMap { range in
            words[firstWord(from: range.lowerBound)..<firstWord(from: range.upperBound)]
        }
        func piece(_ words: ArraySlice<Word>) -> DecodedText.Piece {
            func milliseconds(_ sample: Int64) -> Int64 {
                Int64(sound.map { $0.clamped(to: .min..<max(.min, sample)).count }.reduce(0, +)) / 16
            }
            let start = milliseconds(words.first!.range.lowerBound)
            return DecodedText.Piece(
                text: words.map(\.text).joined(separator: " "),
                time: max(0, start + error)..<max(start, milliseconds(words.last!.range.upperBound)) + max(0, error))
        }
        var text = DecodedText(text: heard.map(\.text).joined(separator: " "), confidence: 0.9)
        switch times {
        case .none: break
        case .ofWords: text.words = heard.indices.map { piece(heard[$0...$0]) }
        case .ofSentences:
            var start = 0
            for end in heard.indices where heard[end].text.hasSuffix(".") || end == heard.count - 1 {
                text.segments.append(piece(heard[start...end]))
                start = end + 1
            }
        }
        return text
    }
}
