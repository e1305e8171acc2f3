import Audio
import Foundation
import Outbox
import Speech
import TextRules

/// How final text is written: the rules, then the user's command. The one place between the recognizer and all that takes text.
struct Writing: Sendable {
    let rules: TextRules
    let filter: TextFilter?

    init(_ rules: TextRules, filter: TextFilter? = nil) { (self.rules, self.filter) = (rules, filter) }

    /// - Parameters:
    ///   - standard: the rules that hold when nobody has chosen any.
    ///   - language: a BCP 47 tag or code of what is spoken; nil where nobody knows.
    ///   - warn: gets a sentence about the user's command, on any thread.
    /// - Throws: `CommandError` when the replacements can't be read.
    init(
        _ options: WritingOptions, standard: Set<TextRules.Rule>, language: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment, warn: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        rules = TextRules(
            options.rules ?? standard, replacements: try Self.replacements(options, environment),
            language: language.flatMap(Language.named))
        filter = options.filter.flatMap { $0 == "none" ? nil : TextFilter($0, warn: warn) }
    }

    /// `$XDG_CONFIG_HOME/utter/replacements.txt`
    static func replacementsPath(_ environment: [String: String]) -> String {
        BaseFolder.configuration.utter(environment) + "/replacements.txt"
    }

    private static func replacements(
        _ options: WritingOptions, _ environment: [String: String]
    ) throws(CommandError) -> Replacements {
        if options.replacements == "none" { return Replacements() }
        let path = options.replacements ?? replacementsPath(environment)
        let data: Data
        switch SmallFile.read(path) {
        case .content(let content): data = content
        case .missing where options.replacements == nil: return Replacements()
        case .missing: throw CommandError("can't read the replacements \(path): there is no such file", .noInput)
        case .notAFile: throw CommandError("can't read the replacements \(path): it is not a file", .noInput)
        case .unreadable(let code):
            throw CommandError("can't read the replacements \(path): \(code.systemErrorText)", code.isShortage ? .osError : .noInput)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError("the replacements \(path) are not a text file in UTF-8", .dataError)
        }
        do {
            return try Replacements(text)
        } catch {
            throw CommandError("the replacements \(path): line \(error.line) \(error.complaint)", .dataError)
        }
    }

    private var isEmpty: Bool { rules.isEmpty && filter == nil }

    /// Writes what a transcript says. The words keep their times; a word that is made of several has the least of their confidences.
    func written(_ segment: TranscribedSegment?) async -> TranscribedSegment? {
        guard var segment, !isEmpty else { return segment }
        let tokens = segment.text.split(whereSeparator: \.isWhitespace).map(String.init)
        let utterance = rules.write(tokens, isPunctuated: Self.isPunctuated(segment))
        // A recording has nobody who could take something back.
        if utterance.command == nil, utterance.words.map(\.text) != tokens {
            (segment.heard, segment.text, segment.hasOwnLines) = (segment.text, utterance.text, true)
            segment.words = segment.words.map(\.text) == tokens ? segment.words.joined(as: utterance.words) : segment.words
        }
        guard let filter, !segment.text.isEmpty else { return segment }
        let filtered = await filter.filtered(segment.text)
        if filtered != segment.text {
            segment.heard = segment.heard ?? segment.text
            segment.words = segment.words.timing(filtered, from: segment.start, to: segment.end)
            (segment.text, segment.hasOwnLines) = (filtered, true)
        }
        return segment
    }

    private static func isPunctuated(_ segment: TranscribedSegment) -> Bool {
        segment.pass == RecognitionPass.second.rawValue && TextRules.isPunctuated(segment.text)
    }

    /// Writes what goes into a memo.
    ///
    /// - Parameter pass: whose text it is.
    /// - Returns: nil when it stays as it is.
    func written(_ heard: String, of pass: RecognitionPass) async -> WrittenSpeech? {
        if isEmpty { return nil }
        let tokens = heard.split(whereSeparator: \.isWhitespace).map(String.init)
        let utterance = rules.write(tokens, isPunctuated: pass == .second && TextRules.isPunctuated(heard))
        if utterance.command == .scratch { return WrittenSpeech(heard: heard, text: heard, textInsideSentence: heard, takesBack: true) }
        var speech = WrittenSpeech(heard: heard, text: utterance.text, textInsideSentence: utterance.textInsideSentence)
        if let filter, !speech.text.isEmpty {
            let filtered = await filter.filtered(speech.text)
            if filtered != speech.text {
                let keepsFirst = filtered.first == speech.text.first && speech.text != speech.textInsideSentence
                speech.textInsideSentence = keepsFirst ? filtered.prefix(1).lowercased() + filtered.dropFirst() : filtered
                speech.text = filtered
            }
        }
        return speech.text == heard ? nil : speech
    }
}

/// What was said into a memo, as it is to be written.
struct WrittenSpeech: Equatable, Sendable {
    /// The words as they were heard.
    var heard: String
    /// As a sentence begins.
    var text: String
    /// As it is where no sentence begins.
    var textInsideSentence: String
    /// Whether it is a command to take back what was said before.
    var takesBack = false
}

extension [TranscribedWord] {
    /// The written words with the times of those that were heard for them. Line breaks, and what is not to be written, are no words.
    fileprivate func joined(as written: [WrittenWord]) -> [TranscribedWord] {
        written.filter { $0.text.contains { !$0.isNewline } }.map { word in
            let heard = self[word.heard]
            let confidences = heard.compactMap(\.confidence)
            return TranscribedWord(
                text: word.text, start: heard.first?.start ?? 0, end: heard.last?.end ?? 0,
                confidence: confidences.count == heard.count ? confidences.min() : nil)
        }
    }

    /// The words of another text, which says more or less the same, with the times of these and without their confidences.
    fileprivate func timing(_ text: String, from start: Double, to end: Double) -> [TranscribedWord] {
        let tokens = text.split(whereSeparator: \.isWhitespace).map(String.init)
        if tokens.count == count {
            return zip(self, tokens).map { TranscribedWord(text: $1, start: $0.start, end: $0.end, confidence: $0.confidence) }
        }
        let rate = 1000
        func time(_ seconds: Double) -> Int64 { Int64((seconds * Double(rate)).rounded()) }
        let timed = map { WordAlignment.Timed(text: $0.text, range: time($0.start)..<Swift.max(time($0.start), time($0.end))) }
        let range = time(start)..<Swift.max(time(start), time(end))
        return WordAlignment.align(tokens, to: timed, in: range, sampleRate: rate).map {
            TranscribedWord(
                text: $0.text, start: Double($0.range.lowerBound) / Double(rate), end: Double($0.range.upperBound) / Double(rate),
                confidence: nil)
        }
    }
}
