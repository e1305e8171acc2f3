import Audio
import TestSupport

@testable import Speech

extension Array where Element == Int16 {
    /// The samples in blocks of random lengths, short and long ones alike.
    func cut(upTo longest: Int, using generator: inout SplitMix64) -> [[Int16]] {
        var blocks: [[Int16]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let scale = [10, 1000, longest].randomElement(using: &generator)!
            let block = rest.prefix(Int.random(in: 1...Swift.min(scale, longest), using: &generator))
            blocks.append(Array(block))
            rest = rest.dropFirst(block.count)
        }
        return blocks
    }

    /// The samples, of 16 kHz, at another rate.
    func converted(to rate: Int) throws -> [Int16] {
        guard rate != 16_000 else { return self }
        var converter = try SampleRateConverter(from: 16_000, to: rate)
        var converted: [Int16] = []
        try converter.convert(map { Float($0) / 32768 }, appendingTo: &converted)
        try converter.finish(appendingTo: &converted)
        return converted
    }

    func cut(into length: Int) -> [[Int16]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}

extension [[Int16]] {
    /// These blocks of 16 kHz as inputs.
    var inputs: [AnalyzerInput] { map { AnalyzerInput(samples: $0, sampleRate: 16_000) } }
}
