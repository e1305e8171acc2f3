import TestSupport
import Testing

@Suite("The search for a recording in a capture")
struct AlignmentTests {
    private let recording: [Int16]
    private let silence: [Int16]
    private let noise: [Int16]

    init() {
        var numbers = SplitMix64(for: "alignment")
        // With silence at both ends, and smooth enough to survive a change of rate.
        var level = 0.0
        recording =
            [Int16](repeating: 0, count: 100)
            + (0..<8_000).map { _ in
                level = 0.9 * level + Double.random(in: -1_000...1_000, using: &numbers)
                return Int16(level)
            } + [Int16](repeating: 0, count: 100)
        silence = [Int16](repeating: 0, count: .random(in: 200...3_000, using: &numbers))
        noise = (0..<12_000).map { _ in .random(in: -300...300, using: &numbers) }
    }

    @Test("finds the exact samples, with the silence at their start")
    func exact() {
        #expect(Alignment.offset(of: recording, in: recording) == 0)
        #expect(Alignment.exactOffset(of: recording, in: silence + recording + silence) == silence.count)
        #expect(Alignment.exactOffset(of: recording, in: recording.dropLast() + [1]) == nil)
        #expect(Alignment.exactOffset(of: recording, in: Array(recording.dropLast())) == nil)
    }

    @Test("finds a quieter and noisy recording to the sample")
    func alike() {
        let quiet = recording.map { $0 / 3 }
        let capture = zip(silence + quiet + silence, noise).map { $0 + $1 / 2 }
        #expect(Alignment.exactOffset(of: recording, in: capture) == nil)
        #expect(Alignment.offset(of: recording, in: capture) == silence.count)
    }

    @Test("finds nothing if the recording is not there")
    func absent() {
        #expect(Alignment.offset(of: recording, in: noise) == nil)
        #expect(Alignment.offset(of: recording, in: [Int16](repeating: 0, count: 12_000)) == nil)
        #expect(Alignment.offset(of: [], in: noise) == nil)
        #expect(Alignment.offset(of: [Int16](repeating: 0, count: 10), in: noise) == nil)
        // Backwards it is as loud, and not it.
        #expect(Alignment.offset(of: recording, in: silence + recording.reversed() + silence) == nil)
    }
}
