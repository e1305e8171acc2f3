import Foundation
import TestSupport
import Testing

@testable import Speech

@Suite("Where speech is")
struct SpeechSegmenterTests {
    private func segmenter(_ sensitivity: SpeechSegmenter.Sensitivity = .medium) throws -> SpeechSegmenter {
        SpeechSegmenter(weights: try SileroNetworkTests.weights.get(), sensitivity: sensitivity)
    }

    private func ranges(_ pieces: [[Int16]], _ sensitivity: SpeechSegmenter.Sensitivity = .medium) throws
        -> [Range<Int64>]
    {
        var segmenter = try segmenter(sensitivity)
        for piece in pieces { piece.withUnsafeBufferPointer { segmenter.hear($0) } }
        segmenter.finish()
        #expect(!segmenter.isSpeaking)
        #expect(segmenter.heard == pieces.reduce(0) { $0 + Int64($1.count) })
        return segmenter.ranges
    }

    /// The samples with a peak of a level in decibels relative to full scale.
    private func raised(_ samples: [Int16], to level: Double) -> [Int16] {
        let peak = samples.map { abs(Double($0)) }.max() ?? 1
        return samples.map { Int16((Double($0) / peak * 32_767 * pow(10, level / 20)).rounded()) }
    }

    private func silence(_ seconds: Double) -> [Int16] { [Int16](repeating: 0, count: Int(seconds * 16_000)) }

    @Test("The ranges are the same whatever the pieces, and are known as soon as they have lasted")
    func pieces() throws {
        var generator = SplitMix64(for: "segmenter-pieces")
        let samples = try Fixture.named("commands-slt").samples() + silence(0.51)
        let whole = try ranges([samples])
        #expect(!whole.isEmpty)
        for _ in 0..<3 {
            #expect(try ranges(samples.cut(upTo: 5_000, using: &generator)) == whole)
        }
        var segmenter = try segmenter()
        for piece in samples.cut(into: 512) {
            piece.withUnsafeBufferPointer { segmenter.hear($0) }
            for (index, range) in segmenter.ranges.enumerated() {
                let isOpen = segmenter.isSpeaking && index == segmenter.ranges.count - 1
                #expect(range.lowerBound == whole[index].lowerBound)
                #expect(range.upperBound == (isOpen ? segmenter.heard : whole[index].upperBound))
            }
        }
    }

    @Test("Speech is found in every recording, loud and quiet", arguments: Fixture.some + Fixture.recordings)
    func recordings(_ fixture: Fixture) throws {
        let samples = try silence(0.5) + fixture.samples() + silence(0.5)
        let reference = try ranges([raised(samples, to: -1)])
        let first = try #require(reference.first)
        let last = try #require(reference.last)
        for level in [-30.0, -54] {
            let quiet = try ranges([raised(samples, to: level)])
            // At -54 dB, 65 steps are left for the loudest; a soft beginning is below one.
            #expect(abs((quiet.first?.lowerBound ?? 0) - first.lowerBound) <= 4_800, "\(level) dB")
            #expect(abs((quiet.last?.upperBound ?? 0) - last.upperBound) <= 4_800, "\(level) dB")
        }
    }

    @Test("A quieter speaker after a loud one is heard, and so is a quiet one after a click")
    func second() throws {
        let loud = try raised(Fixture.named("digits-slt").samples(), to: -1)
        let other = try Fixture.named("date-rms").samples()
        for level in [-21.0, -41] {
            let start = loud.count + 32_000
            let found = try ranges([loud, silence(2), raised(other, to: level), silence(0.5)])
            #expect(found.contains { $0.lowerBound > start - 1_600 }, "\(level) dB")
        }
        let click = silence(0.2) + [30_000, -30_000] + silence(0.3)
        #expect(try !ranges([click, raised(other, to: -54)]).isEmpty)
    }

    @Test("Noise is no speech, loud or quiet", arguments: Noise.allCases.filter { ![.babble, .music].contains($0) })
    func noise(_ noise: Noise) throws {
        var generator = SplitMix64(for: "segmenter-\(noise)")
        for level in Tier.every(2, of: [-15.0, -30, -50, -70]) {
            let seconds = noise.repeatsItself ? 8 : Tier.count(8, long: 30)
            let samples = noise.samples(seconds: seconds, level: level, using: &generator)
            #expect(try ranges([samples]) == [], "\(level) dB")
        }
    }

    @Test("Music sounds like a voice for a moment at most, in which the model hears no words (NoiseTests)")
    func music() throws {
        var generator = SplitMix64(for: "segmenter-music")
        for level in [-70.0, -50, -30, -15] {
            let seconds = Tier.count(8, long: 30)
            let found = try ranges([Noise.music.samples(seconds: seconds, level: level, using: &generator)])
            #expect(found.reduce(0) { $0 + $1.count } <= seconds * 160, "a hundredth, at \(level) dB")
        }
    }

    @Test(
        "A stream that begins in music or among far voices does not begin with speech",
        arguments: [
            (Noise.babble, 8, 24, [132_000]), (.babble, 1, 60, [0]), (.music, 8, 24, [132_000, 156_000, 288_000]),
        ])
    func beginnings(_ noise: Noise, seed: UInt64, seconds: Int, places: [Int]) throws {
        let voices = try Fixture.plain.filter { $0.name != "memo.wav" }.map { try $0.samples() }
        // Where a network that has heard nothing takes the first moment for speech.
        var generator = SplitMix64(seed: seed)
        let all = noise.samples(seconds: seconds, level: -35, voices: voices, using: &generator)
        for place in places {
            let sound = Array(all[place..<place + 40_000])
            #expect(try ranges([sound]).filter { $0.lowerBound < 16_000 } == [], "\(place)")
            #expect(
                try ranges(sound[..<30_000].map(\.self).cut(into: 700)).filter { $0.lowerBound < 16_000 } == [],
                "\(place)")
        }
    }

    @Test(
        "A part of a word that is heard after silence is heard where a stream begins with it, also in noise",
        arguments: Fixture.some + Tier.every(3, of: Fixture.recordings))
    func firstWord(_ fixture: Fixture) throws {
        var generator = SplitMix64(for: "first-word")
        let samples = try fixture.samples()
        let start = Int(try #require(try ranges([samples]).first).lowerBound)
        for level in [-90.0, -45] {
            let noise = Noise.pink.samples(seconds: 2, level: level, using: &generator)
            for (place, length) in [(0, 6400), (1600, 6400), (0, 3200), (8000, 3200)] {
                let word = raised(Array(samples[start..<min(samples.count, start + length)]), to: -20)
                let sound = noise.enumerated().map { index, sample in
                    word.indices.contains(index - place)
                        ? Int16(clamping: Int(sample) + Int(word[index - place])) : sample
                }
                if try !ranges([sound]).isEmpty { continue }
                // The "st" of "start" alone is no speech for a network that has heard silence either.
                #expect(
                    try ranges([silence(2), word, silence(1)]).isEmpty,
                    "\(level) dB, \(length) samples at \(place)")
            }
        }
    }

    @Test("What ends is forgotten, what goes on is not; the last frame need not be whole")
    func forgetting() throws {
        let samples = try Fixture.named("commands-slt").samples()
        var segmenter = try segmenter()
        (samples + silence(0.5) + samples.prefix(25_000)).withUnsafeBufferPointer { segmenter.hear($0) }
        #expect(segmenter.isSpeaking)
        #expect(segmenter.ranges.count > 1)
        segmenter.forget(before: .max)
        #expect(segmenter.ranges.count == 1)
        #expect(segmenter.ranges[0].upperBound == segmenter.heard)
        segmenter.finish()
        #expect(segmenter.ranges[0].upperBound <= segmenter.heard)
        segmenter.forget(before: segmenter.ranges[0].upperBound)
        #expect(segmenter.ranges.count == 1)
        segmenter.forget(before: .max)
        #expect(segmenter.ranges == [])
        #expect(try ranges([]) == [])
        #expect(try ranges([[1]]) == [])
    }

    @Test("Speech lasts a moment, a pause as well, and what wavers around the threshold cuts nothing")
    func rules() {
        func ranges(_ probabilities: [Float]) -> [Range<Int64>] {
            var speech = SpeechRanges(threshold: 0.5)
            for probability in probabilities { speech.hear(probability, length: 512) }
            speech.finish()
            return speech.ranges.map { $0.lowerBound / 512..<$0.upperBound / 512 }
        }
        #expect(ranges([0, 0, 0.5, 1, 1, 0, 0, 0, 0]) == [], "96 ms")
        #expect(ranges([0, 0, 0.5, 1, 1, 1, 0, 0, 0, 0]) == [2..<6])
        #expect(ranges([1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0]) == [0..<8], "a pause of 96 ms")
        #expect(ranges([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0]) == [0..<4, 8..<12])
        #expect(ranges([1, 1, 1, 1, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]) == [0..<10])
        #expect(ranges([0.49, 0.49, 0.49, 0.49, 0.49]) == [])
        #expect(ranges([1, 0, 0, 1, 0, 0, 0, 0]) == [0..<4], "with its true beginning")
    }
}
