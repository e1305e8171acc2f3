import Testing

@testable import utter

@Suite("What a test of a microphone says")
struct LevelVerdictTests {
    private func finding(_ levels: [Int16]) -> LevelVerdict.Finding {
        var verdict = LevelVerdict(sampleRate: 16_000)
        // Half a second at each level, as a square wave.
        for level in levels { verdict.add((0..<8_000).map { ($0 / 40) % 2 == 0 ? level : -level }) }
        return verdict.finding
    }

    @Test("goes by how loud the loudest tenth is, since nobody speaks all the time")
    func findings() {
        #expect(finding([]) == .nothing)
        #expect(finding([0, 0, 0, 0]) == .silent)
        #expect(finding([0, 10, 10, 10]) == .silent)
        #expect(finding([0, 0, 0, 0, 200]) == .tooQuiet)
        #expect(finding([0, 0, 0, 0, 3_000]) == .good)
        #expect(finding([0, 0, 3_000, 32_767]) == .clipping)
    }

    @Test("A click is no voice")
    func click() {
        var verdict = LevelVerdict(sampleRate: 16_000)
        var samples = [Int16](repeating: 3, count: 80_000)
        samples[40_000] = 32_767
        verdict.add(samples)
        #expect(verdict.finding == .silent && verdict.peakLevel > -0.1)
    }

    @Test("every finding but good says what to do")
    func sentences() {
        #expect(LevelVerdict(sampleRate: 16_000).sentence == "no sound came: another program uses the device, or it is suspended")
        for level: Int16 in [0, 200, 32_767] {
            var verdict = LevelVerdict(sampleRate: 16_000)
            verdict.add((0..<16_000).map { ($0 / 40) % 2 == 0 ? level : -level })
            #expect(verdict.sentence.contains(": "))
        }
    }
}
