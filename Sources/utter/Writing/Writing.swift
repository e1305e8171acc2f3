import Foundation
import Models
import Speech
import System
import TextRules

/// Writes final text: applies the rules, and then the user's command. All final text passes through here.
struct Writing: Sendable {
    let rules: TextRules
    let filter: TextFilter?

    init(_ rules: TextRules, filter: TextFilter? = nil) { (self.rules, self.filter) = (rules, filter) }

    /// Creates the writing that the options ask for.
    ///
    /// - Parameters:
    ///   - options: the user's options.
    ///   - standard: the rules when the user has chosen none.
    ///   - language: the BCP 47 tag or code of the spoken language; nil when it is unknown.
    ///   - environment: the user's environment.
    ///   - warn: called with a sentence about a failure of the user's command, on any thread.
    /// - Throws: `CommandError` when the replacements can't be read.
    init(
        _ options: WritingOptions, standard: Set<TextRules.Rule>, language: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment, warn: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        rules = TextRules(
            options.rules ?? standard, replacements: try Self.replacements(options.replacements, environment),
            language: language.flatMap(Language.named))
        filter = options.filter.flatMap { $0 == "none" ? nil : TextFilter($0, warn: warn) }
    }

    /// The path of the standard file of replacements: `$XDG_CONFIG_HOME/utter/replacements.txt`.
    static func replacementsPath(_ environment: [String: String]) -> String {
        BaseFolder.configuration.utter(environment) + "/replacements.txt"
    }

    /// - Parameter chosen: a path, or `none`; nil for the file beside the configuration, if it is there.
    /// - Throws: `CommandError` when it can't be read, or a line of it can't be understood.
    static func replacements(_ chosen: String?, _ environment: [String: String]) throws(CommandError) -> Replacements {
        if chosen == "none" { return Replacements() }
        let path = chosen ?? replacementsPath(environment)
        let subject = "the replacements"
        let text = try chosen == nil ? UserFile.text(path, subject) ?? "" : UserFile.required(path, subject)
        do {
            return try Replacements(text)
        } catch {
            throw CommandError("the replacements \(path): \(error)", .dataError)
        }
    }

    /// The names of the marks that the user may say, for the recognizer.
    var spokenMarks: [String] { rules.rules.contains(.marks) ? rules.language?.spokenMarks ?? [] : [] }

    private var isEmpty: Bool { rules.isEmpty && filter == nil }

    /// Writes a segment of a transcript. Words keep their times; a word that replaces several has the lowest of their confidences.
    func written(_ segment: TranscribedSegment?) async -> TranscribedSegment? {
        guard var segment, !isEmpty else { return segment }
        let tokens = segment.text.split(whereSeparator: \.isWhitespace).map(String.init)
        let utterance = rules(for: segment).write(tokens, isPunctuated: Self.isPunctuated(segment))
        segment.takesBack = utterance.command == .scratch
        // Commands, such as "scratch that", have no effect in a transcript.
        if utterance.command == nil, utterance.words.map(\.text) != tokens {
            (segment.heard, segment.text, segment.hasOwnLines) = (segment.text, utterance.text, true)
            segment.words =
                segment.words.map(\.text) == tokens ? segment.words.joined(as: utterance.words) : segment.words
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

    /// Divides a segment of live speech around the commands in it, each of which is then one of its own.
    func divided(_ segment: TranscribedSegment) -> [TranscribedSegment] {
        guard Self.isPunctuated(segment), segment.words.map(\.text).joined(separator: " ") == segment.text else {
            return [segment]
        }
        let utterances = rules(for: segment).utterances(in: segment.words.map(\.text))
        if utterances.count == 1 { return [segment] }
        let starts = utterances.dropLast().reduce(into: [0]) { $0.append($0.last! + $1.count) }
        return zip(segment.divided(at: starts), utterances).map { part, words in
            var part = part
            for (index, word) in words.enumerated() { part.words[index].text = word }
            part.text = words.joined(separator: " ")
            return part
        }
    }

    /// Divides the text of a memo's final around the commands in it, each of which is then one of its own.
    func divided(_ heard: String, of pass: RecognitionPass) -> [String] {
        guard pass == .second, TextRules.isPunctuated(heard) else { return [heard] }
        let utterances = rules.utterances(in: heard.split(whereSeparator: \.isWhitespace).map(String.init))
        return utterances.count == 1 ? [heard] : utterances.map { $0.joined(separator: " ") }
    }

    /// The rules for a segment, whose language they are of where none was named.
    private func rules(for segment: TranscribedSegment) -> TextRules {
        var rules = rules
        if rules.language == nil { rules.language = segment.language.flatMap(Language.named) }
        return rules
    }

    private static func isPunctuated(_ segment: TranscribedSegment) -> Bool {
        segment.pass == RecognitionPass.second.rawValue && TextRules.isPunctuated(segment.text)
    }

    /// Writes text for a memo.
    ///
    /// - Parameters:
    ///   - heard: the recognized text.
    ///   - pass: the pass that the text is from.
    /// - Returns: nil when the text stays as it is, also inside a sentence.
    func written(_ heard: String, of pass: RecognitionPass) async -> WrittenSpeech? {
        if isEmpty { return nil }
        let tokens = heard.split(whereSeparator: \.isWhitespace).map(String.init)
        let utterance = rules.write(tokens, isPunctuated: pass == .second && TextRules.isPunctuated(heard))
        if utterance.command == .scratch {
            return WrittenSpeech(heard: heard, text: heard, textInsideSentence: heard, takesBack: true)
        }
        var speech = WrittenSpeech(heard: heard, text: utterance.text, textInsideSentence: utterance.textInsideSentence)
        if let filter, !speech.text.isEmpty {
            let filtered = await filter.filtered(speech.text)
            if filtered != speech.text {
                let keepsFirst = filtered.first == speech.text.first && speech.text != speech.textInsideSentence
                speech.textInsideSentence =
                    keepsFirst ? filtered.prefix(1).lowercased() + filtered.dropFirst() : filtered
                speech.text = filtered
            }
        }
        return speech.text == heard && speech.textInsideSentence == heard ? nil : speech
    }
}

/// Speech as it is written into a memo.
struct WrittenSpeech: Equatable, Sendable {
    /// The recognized text.
    var heard: String
    /// The written text at the beginning of a sentence.
    var text: String
    var textInsideSentence: String
    /// Whether the speech is the command to remove the speech before it.
    var takesBack = false
}

extension [TranscribedWord] {
    /// The written words with the times of the recognized words that they stand for. Line breaks and omitted words are left out.
    fileprivate func joined(as written: [WrittenWord]) -> [TranscribedWord] {
        written.filter { $0.text.contains { !$0.isNewline } }.map { word in
            let heard = self[word.heard]
            let confidences = heard.compactMap(\.confidence)
            return TranscribedWord(
                text: word.text, start: heard.first?.start ?? 0, end: heard.last?.end ?? 0,
                confidence: confidences.count == heard.count ? confidences.min() : nil)
        }
    }

    /// The words of another version of the text with the times of these words. Confidences are kept only if the number of words is the
    /// same.
    fileprivate func timing(_ text: String, from start: Double, to end: Double) -> [TranscribedWord] {
        let tokens = text.split(whereSeparator: \.isWhitespace).map(String.init)
        if tokens.count == count {
            return zip(self, tokens).map {
                TranscribedWord(text: $1, start: $0.start, end: $0.end, confidence: $0.confidence)
            }
        }
        func range(_ start: Double, _ end: Double) -> Range<Int64> {
            let milliseconds = [start, end].map { Int64(($0 * 1000).rounded()) }
            return milliseconds[0]..<Swift.max(milliseconds[0], milliseconds[1])
        }
        let timed = map { (text: $0.text, range: range($0.start, $0.end)) }
        return zip(tokens, WordAlignment.align(tokens, to: timed, in: range(start, end))).map {
            TranscribedWord(
                text: $0, start: Double($1.lowerBound) / 1000, end: Double($1.upperBound) / 1000, confidence: nil)
        }
    }
}
