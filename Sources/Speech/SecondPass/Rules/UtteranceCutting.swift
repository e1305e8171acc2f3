/// Divides an utterance that is too long for a model at its pauses. It is pure.
enum UtteranceCutting {
    /// The longest piece, in seconds: Whisper's window, since Whisper itself divides longer input anywhere. Other
    /// models take more, but the pieces must not depend on whether the model is known yet.
    static let longestPiece = 30

    /// Returns the pieces, in order. Together they are the whole, and none is longer than `limit`.
    ///
    /// - Parameters:
    ///   - samples: the utterance.
    ///   - limit: the greatest length of a piece in samples, more than 0.
    ///   - words: the positions of the first pass's words in samples, in order.
    ///   - sampleRate: the number of samples per second, in Hz.
    static func pieces(of samples: [Int16], limit: Int, words: [Range<Int>], sampleRate: Int) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        while samples.count - start > limit {
            // Not too short a piece, since a model recognizes speech better after other speech.
            let candidates = (start + limit / 2)..<(start + limit)
            let found =
                pause(in: candidates, words, shortest: sampleRate / 20) ?? quietest(in: candidates, samples, sampleRate)
            // A piece has at least one sample.
            let cut = max(found, start + 1)
            pieces.append(start..<cut)
            start = cut
        }
        pieces.append(start..<samples.count)
        return pieces
    }

    /// Returns the middle of the longest pause between words.
    private static func pause(in candidates: Range<Int>, _ words: [Range<Int>], shortest: Int) -> Int? {
        var best: Range<Int>?
        for (word, next) in zip(words, words.dropFirst()) where word.upperBound < next.lowerBound {
            let pause = (word.upperBound..<next.lowerBound).clamped(to: candidates)
            if pause.count >= shortest, pause.count > best?.count ?? 0 { best = pause }
        }
        return best.map { ($0.lowerBound + $0.upperBound) / 2 }
    }

    /// Returns the middle of the quietest 50 ms.
    private static func quietest(in candidates: Range<Int>, _ samples: [Int16], _ sampleRate: Int) -> Int {
        let length = max(1, sampleRate / 20)
        var best = (energy: Int64.max, middle: candidates.upperBound - 1)
        var start = candidates.lowerBound
        while start + length <= candidates.upperBound {
            let energy = samples[start..<(start + length)].reduce(Int64(0)) { $0 + Int64($1) * Int64($1) }
            if energy < best.energy { best = (energy, start + length / 2) }
            start += length
        }
        return best.middle
    }
}
