import CSampleRate
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Audio

@Suite struct SampleRateConverterTests {
    // MARK: What comes out

    @Test func `A stream of any length, rate and cut gives its frames times the ratio, rounded, to the sample`() throws
    {
        var random = SplitMix64(for: "converter")
        for _ in 0..<60 {
            let inputRate = [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 7_999, 768_000].randomElement(
                using: &random)!
            let outputRate = [8_000, 16_000, 44_100, 16_001].randomElement(using: &random)!
            let frameCount = Int.random(in: 0...9_000, using: &random)
            let frames = noise(frameCount, using: &random)
            let output = try convert(frames, from: inputRate, to: outputRate, cuts: 1...2_000, using: &random)
            let exact = Double(frameCount) * Double(outputRate) / Double(inputRate)
            #expect(
                output.count == Int((exact + 0.5).rounded(.down)),
                "\(frameCount) frames, \(inputRate) → \(outputRate), seed \(random.seed)")
        }
    }

    @Test func `How a stream is cut, and how little room there is, changes no sample`() throws {
        var random = SplitMix64(for: "converter")
        for (inputRate, outputRate) in [
            (44_100, 16_000), (48_000, 16_000), (8_000, 16_000), (96_000, 16_000), (16_000, 44_100),
        ] {
            let frames = noise(12_000, using: &random)
            let whole = try convert(frames, from: inputRate, to: outputRate, cuts: 12_000...12_000, using: &random)
            for cuts in [1...1, 1...50, 1...5_000] {
                let cut = try convert(frames, from: inputRate, to: outputRate, cuts: cuts, using: &random)
                #expect(cut == whole, "\(inputRate) → \(outputRate) in \(cuts), seed \(random.seed)")
            }

            var converter = try SampleRateConverter(from: inputRate, to: outputRate, maximumFrameCount: 777)
            var cramped: [Int16] = []
            var taken = 0
            while taken < frames.count {
                var room = [Int16](repeating: 0, count: Int.random(in: 1...40, using: &random))
                let (consumed, produced) = try frames[taken...].withUnsafeBufferPointer { input in
                    try room.withUnsafeMutableBufferPointer { try converter.convert(input, into: $0) }
                }
                taken += consumed
                cramped += room[..<produced]
            }
            while true {
                var room = [Int16](repeating: 0, count: 7)
                let produced = try room.withUnsafeMutableBufferPointer { try converter.finish(into: $0) }
                if produced == 0 { break }
                cramped += room[..<produced]
            }
            #expect(cramped == whole, "\(inputRate) → \(outputRate) into little room, seed \(random.seed)")
        }
    }

    @Test func `Every 16-bit sample at the recognizer's rate comes through as it is, in any number of equal channels`()
        throws
    {
        let samples = (Int16.min...Int16.max).map { $0 }
        for channelCount in Tier.every(3, of: [1, 2, 3, 7, 64]) {
            let frames = samples.flatMap { repeatElement(Float($0) / 32_768, count: channelCount) }
            for channels in [ChannelSelection.mix, .channel(channelCount - 1)] {
                #expect(
                    try convert(frames, from: 16_000, channelCount: channelCount, channels: channels) == samples)
            }
        }
    }

    @Test func `The mix is the average of the channels, and one channel is heard alone`() throws {
        let frames: [Float] = [0.5, -0.25, 0, 0.25, 1, -1]
        let expected: [(ChannelSelection, [Int16])] = [
            (.mix, [4_096, 4_096, 0]), (.channel(0), [16_384, 0, 32_767]), (.channel(1), [-8_192, 8_192, -32_768]),
        ]
        for (channels, samples) in expected {
            var converter = try SampleRateConverter(from: 16_000, channelCount: 2, channels: channels, to: 16_000)
            var output: [Int16] = []
            try converter.convert(frames, appendingTo: &output)
            #expect(output == samples)
        }
    }

    @Test func `An impulse stands at the same instant before and after`() throws {
        for (inputRate, outputRate) in [
            (48_000, 16_000), (8_000, 16_000), (32_000, 16_000), (768_000, 16_000), (44_100, 16_000),
        ] {
            let at = inputRate / 10
            var frames = [Float](repeating: 0, count: inputRate / 5)
            frames[at] = 1
            let output = try convert(frames, from: inputRate, to: outputRate)
            let peak = output.indices.max { abs(Int(output[$0])) < abs(Int(output[$1])) }
            #expect(peak == outputRate / 10, "\(inputRate) → \(outputRate)")
        }
    }

    @Test func `The last frames are not lost: what is spoken up to the cut is in the tail`() throws {
        let frames = [Float](repeating: 0.5, count: 4_800)
        var converter = try SampleRateConverter(from: 48_000, to: 16_000)
        var output: [Int16] = []
        try converter.convert(frames, appendingTo: &output)
        let owed = converter.samplesOwed
        #expect(owed > 0)
        let before = output.count
        try converter.finish(appendingTo: &output)
        #expect(output.count - before == owed)
        #expect(output[1_540...1_590].allSatisfy { abs(Int($0) - 16_384) < 1_200 })
    }

    @Test func `A tone of 1 kHz survives 44.1 to 16 kHz with 60 dB over everything else`() throws {
        let frames = (0..<44_100).map { Float(0.5 * sin(2 * .pi * 1_000 * Double($0) / 44_100)) }
        let output = try convert(frames, from: 44_100)
        var signal = 0.0
        var error = 0.0
        for index in 1_000..<15_000 {
            let ideal = 0.5 * sin(2 * .pi * 1_000 * Double(index) / 16_000)
            signal += ideal * ideal
            error += pow(Double(output[index]) / 32_768 - ideal, 2)
        }
        #expect(10 * log10(signal / error) > 60)
    }

    @Test func `Wild values become full scale or silence and never a crash`() throws {
        let wild: [Float] = [.nan, .infinity, -.infinity, 1e38, -1e38, .signalingNaN, 1, -1]
        var converter = try SampleRateConverter(from: 16_000, to: 16_000)
        var output: [Int16] = []
        try converter.convert(wild, appendingTo: &output)
        #expect(output == [0, 32_767, -32_768, 32_767, -32_768, 0, 32_767, -32_768])

        let samples = try convert(wild + [Float](repeating: 0, count: 8_000), from: 48_000, channelCount: 2)
        #expect(samples.count == 1_335)
        #expect(samples.suffix(1_000).allSatisfy { $0 == 0 })
    }

    @Test func `After a finish the converter is as new`() throws {
        var random = SplitMix64(for: "converter")
        let frames = noise(5_000, using: &random)
        var converter = try SampleRateConverter(from: 44_100, to: 16_000)
        var outputs: [[Int16]] = []
        for _ in 0..<3 {
            var output: [Int16] = []
            try converter.convert(frames, appendingTo: &output)
            try converter.finish(appendingTo: &output)
            outputs.append(output)
        }
        #expect(outputs[0] == outputs[1] && outputs[1] == outputs[2], "seed \(random.seed)")
    }

    // MARK: What is refused

    @Test func `Rates, channels and ratios out of range are refused in a sentence that names them`() {
        let refused: [(Int, Int, ChannelSelection, Int, SampleRateError.Code, String)] = [
            (0, 1, .mix, 16_000, .unsupportedRate, "0 Hz"),
            (999, 1, .mix, 16_000, .unsupportedRate, "999 Hz"),
            (16_000, 1, .mix, 768_001, .unsupportedRate, "768001 Hz"),
            (16_000, 0, .mix, 16_000, .unsupportedChannelCount, "0 channels"),
            (16_000, 65, .mix, 16_000, .unsupportedChannelCount, "65 channels"),
            (16_000, 2, .channel(2), 16_000, .noSuchChannel, "no channel 2"),
            (16_000, 2, .channel(-1), 16_000, .noSuchChannel, "no channel -1"),
            (768_000, 1, .mix, 2_999, .unsupportedRatio, "768000 Hz to 2999 Hz"),
            (1_000, 1, .mix, 256_001, .unsupportedRatio, "1000 Hz to 256001 Hz"),
        ]
        for (inputRate, channelCount, channels, outputRate, code, words) in refused {
            do throws(SampleRateError) {
                _ = try SampleRateConverter(
                    from: inputRate, channelCount: channelCount, channels: channels, to: outputRate)
                Issue.record("\(inputRate) → \(outputRate) was accepted")
            } catch {
                #expect(error.code == code)
                #expect(error.description.contains(words) && !error.description.hasSuffix("."))
            }
        }
        #expect(throws: Never.self) { _ = try SampleRateConverter(from: 768_000, channelCount: 64, to: 3_000) }
        #expect(throws: Never.self) { _ = try SampleRateConverter(from: 1_000, to: 256_000) }
    }

    @Test func `A failure of libsamplerate becomes the typed error with its code and its words`() throws {
        let counter = CallCounter()
        do throws(SampleRateError) {
            _ = try counter.converter {
                $0.new = { _, _, error in
                    error.pointee = 1
                    return nil
                }
            }
            Issue.record("a converter came out of nothing")
        } catch {
            #expect(error.code == .converterUnavailable && error.libraryCode == 1)
            #expect(error.description == "libsamplerate could not make a converter: Malloc failed")
        }

        var broken = try counter.converter { $0.process = { _, _ in 5 } }
        var output: [Int16] = [7]
        #expect(throws: SampleRateError(.conversionFailed, libraryCode: 5)) {
            try broken.convert([0, 0, 0], appendingTo: &output)
        }
        #expect(output == [7])

        var stuck = try counter.converter { $0.process = { _, _ in 0 } }
        #expect(throws: SampleRateError(.conversionFailed)) { try stuck.convert([0, 0, 0], appendingTo: &output) }

        var unresettable = try counter.converter { $0.reset = { _ in 2 } }
        #expect(throws: SampleRateError(.conversionFailed, libraryCode: 2)) {
            try unresettable.finish(appendingTo: &output)
        }
    }

    @Test func `What libsamplerate made is freed exactly once, whatever happened to it`() throws {
        let counter = CallCounter()
        do {
            _ = try counter.converter()
            #expect(counter.living == [])
            let held = try counter.converter()
            #expect(counter.living.count == 1, "the counter sees what is not freed yet")
            _ = consume held
            #expect(counter.living == [])

            var output: [Int16] = []
            var finished = try counter.converter()
            try finished.convert([Float](repeating: 0, count: 500), appendingTo: &output)
            try finished.finish(appendingTo: &output)
            var broken = try counter.converter { $0.process = { _, _ in 5 } }
            try? broken.convert([0], appendingTo: &output)
            let box = Box(try counter.converter())
            _ = box
        }
        #expect(counter.living == [])
        #expect(counter.made == 5)
        #expect(counter.freed == 5)

        _ = try SampleRateConverter(
            from: 16_000, channelCount: 1, channels: .mix, to: 16_000, maximumFrameCount: 64,
            calls: counter.calls)
        #expect(counter.made == 5, "equal rates ask libsamplerate for nothing")
    }
}

// MARK: - Helpers

private func noise(_ count: Int, using random: inout SplitMix64) -> [Float] {
    (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
}

/// One stream in blocks of random lengths.
private func convert(
    _ frames: [Float], from inputRate: Int, to outputRate: Int, cuts: ClosedRange<Int>, using random: inout SplitMix64
) throws -> [Int16] {
    var converter = try SampleRateConverter(
        from: inputRate, to: outputRate, maximumFrameCount: Int.random(in: 1...2_000, using: &random))
    var output: [Int16] = []
    var start = 0
    while start < frames.count {
        let end = min(start + Int.random(in: cuts, using: &random), frames.count)
        try converter.convert(Array(frames[start..<end]), appendingTo: &output)
        start = end
    }
    try converter.finish(appendingTo: &output)
    return output
}

private final class Box {
    let converter: SampleRateConverter
    init(_ converter: consuming SampleRateConverter) { self.converter = converter }
}

/// A table that passes calls on to libsamplerate and knows what was made and not freed.
private final class CallCounter: Sendable {
    private struct Counts {
        var living: Set<Int> = []
        var made = 0
        var freed = 0
    }
    private let counts = Mutex(Counts())

    var living: Set<Int> { counts.withLock { $0.living } }
    var made: Int { counts.withLock { $0.made } }
    var freed: Int { counts.withLock { $0.freed } }

    var calls: SampleRateCalls {
        let library = SampleRateCalls.library
        var calls = library
        calls.new = { [self] in
            let state = library.new($0, $1, $2)
            if let state {
                counts.withLock {
                    $0.made += 1
                    $0.living.insert(Int(bitPattern: state))
                }
            }
            return state
        }
        calls.delete = { [self] state in
            counts.withLock {
                $0.freed += 1
                #expect($0.living.remove(Int(bitPattern: state)) != nil, "freed twice")
            }
            library.delete(state)
        }
        return calls
    }

    func converter(_ change: (inout SampleRateCalls) -> Void = { _ in }) throws(SampleRateError) -> SampleRateConverter
    {
        var calls = calls
        change(&calls)
        return try SampleRateConverter(
            from: 48_000, channelCount: 1, channels: .mix, to: 16_000, maximumFrameCount: 256,
            calls: calls)
    }
}
