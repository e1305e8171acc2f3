/// Finds a recording in what was captured of it.
package enum Alignment {
    /// The index in `capture` of the first sample of `recording`; nil when it is not in there.
    ///
    /// First the exact samples are searched for, including the silence before and after them. If they are not found, the place of
    /// the greatest cross-correlation counts, if the recording lies wholly inside and is similar (a coefficient of 0.8): this finds
    /// a recording that was resampled, made quieter or slightly damaged.
    package static func offset(of recording: [Int16], in capture: [Int16]) -> Int? {
        exactOffset(of: recording, in: capture) ?? likeliestOffset(of: recording, in: capture)
    }

    /// The index in `capture` at which exactly these samples begin.
    package static func exactOffset(of recording: [Int16], in capture: [Int16]) -> Int? {
        guard let loud = recording.firstIndex(where: { $0 != 0 }), capture.count >= recording.count else { return nil }
        return recording.withUnsafeBufferPointer { recording in
            capture.withUnsafeBufferPointer { capture in
                var offset = 0
                while offset <= capture.count - recording.count {
                    var index = loud
                    while index < recording.count && capture[offset + index] == recording[index] { index += 1 }
                    if index == recording.count
                        && recording[..<loud].elementsEqual(capture[offset..<offset + loud])
                    {
                        return offset
                    }
                    offset += 1
                }
                return nil
            }
        }
    }

    static let decimation = 4
    static let templateCount = 1_000

    static func likeliestOffset(of recording: [Int16], in capture: [Int16]) -> Int? {
        guard capture.count >= recording.count, !recording.isEmpty else { return nil }
        // First roughly, with the loudest part of the recording at a quarter of the rate; then to the sample.
        let (rough, roughCapture) = (decimated(recording), decimated(capture))
        let count = min(templateCount, rough.count)
        var energy: Float = rough.prefix(count).reduce(0) { $0 + $1 * $1 }
        var (start, most) = (0, energy)
        for next in 0..<max(0, rough.count - count) {
            energy += rough[next + count] * rough[next + count] - rough[next] * rough[next]
            if energy > most { (start, most) = (next + 1, energy) }
        }
        guard
            let best = (0...max(0, roughCapture.count - rough.count)).map({ lag in
                (lag, coefficient(rough[start..<start + count], roughCapture, at: lag + start))
            }).max(by: { $0.1 < $1.1 })
        else { return nil }
        let middle = best.0 * decimation
        let near =
            max(0, middle - 2 * decimation)...max(0, min(capture.count - recording.count, middle + 2 * decimation))
        let (template, fine) = (recording.map(Float.init), capture.map(Float.init))
        let found = near.map { ($0, coefficient(template[...], fine, at: $0)) }.max { $0.1 < $1.1 }
        return found.flatMap { $0.1 >= 0.8 ? $0.0 : nil }
    }

    private static func decimated(_ samples: [Int16]) -> [Float] {
        stride(from: 0, to: samples.count - decimation + 1, by: decimation).map { index in
            samples[index..<index + decimation].reduce(0) { $0 + Float($1) }
        }
    }

    /// The correlation coefficient, from -1 to 1.
    private static func coefficient(_ template: ArraySlice<Float>, _ samples: [Float], at offset: Int) -> Float {
        guard offset + template.count <= samples.count else { return -1 }
        return template.withUnsafeBufferPointer { template in
            samples.withUnsafeBufferPointer { samples in
                var (product, energy, other): (Float, Float, Float) = (0, 0, 0)
                for index in template.indices {
                    let (left, right) = (template[index], samples[offset + index])
                    product += left * right
                    energy += left * left
                    other += right * right
                }
                return energy > 0 && other > 0 ? product / (energy * other).squareRoot() : 0
            }
        }
    }
}
