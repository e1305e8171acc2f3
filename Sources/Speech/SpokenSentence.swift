import Audio
import Models

/// The recording with which a model is tried: a sentence in English that comes along. A model may load although half of its weights are
/// gone, and then hears nothing or nonsense.
package enum SpokenSentence {
    private static let words: Set = ["monday", "wednesday", "friday", "sunday"]
    /// The length of the recording, in seconds.
    private static let seconds = 4.0

    /// The sound of the sentence.
    ///
    /// - Parameter sampleRate: the sample rate, in Hz.
    /// - Throws: `SpeechError` `.modelIncomplete` if the recording is missing; `WAVError`.
    package static func samples(sampleRate: Int) throws -> [Int16] {
        guard let path = ModelStore.spokenSentence else {
            throw SpeechError(
                .modelIncomplete, "the recording with which models are tried is missing; install utter again")
        }
        let reader = try AudioBlockReader(
            WAVReader(source: FileByteSource(path: path)), channels: .mix, sampleRate: sampleRate)
        var samples: [Int16] = []
        while let block = try reader.next()?.first { samples += block.samples }
        return samples
    }

    /// Why a working model can't have heard this text, in words that follow `but`; nil if it can.
    ///
    /// - Parameters:
    ///   - text: what the model has heard.
    ///   - knowsEnglish: whether the model is for English. Another one hears words of its own language.
    package static func doubt(about text: String, knowsEnglish: Bool) -> String? {
        let heard = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        if heard.isEmpty { return "hears no word in a spoken sentence" }
        let isTooLong = Double(text.count) > Plausibility.mostCharactersASecond * seconds
        let isOther = knowsEnglish && words.intersection(heard).count * 2 < words.count
        if isTooLong || isOther || Repetition.isFound(in: text) { return "hears nonsense in a spoken sentence" }
        return nil
    }
}
