import Testing

@testable import utter

@Suite("The verdict on a microphone")
struct LevelVerdictTests {
    private func finding(_ levels: [Int16]) -> LevelVerdict.Finding {
        var verdict = LevelVerdict(sampleRate: 16_000)
        // A square wave of half a second at each level.
        for level in levels { verdict.add((0..<8_000).map { ($0 / 40) % 2 == 0 ? level : -level }) }
        return verdict.finding
    }

    @Test("depends on the loudest tenth, since nobody speaks all the time")
    func findings() {
        #expect(finding([]) == .nothing)
        #expect(finding([0, 0, 0, 0]) == .silent)
        #expect(finding([0, 10, 10, 10]) == .silent)
        #expect(finding([0, 0, 0, 0, 200]) == .tooQuiet)
        #expect(finding([0, 0, 0, 0, 3_000]) == .good)
        #expect(finding([0, 0, 3_000, 32_767]) == .clipping)
    }

    @Test("does not count a click as a voice")
    func click() {
        var verdict = LevelVerdict(sampleRate: 16_000)
        var samples = [Int16](repeating: 3, count: 80_000)
        samples[40_000] = 32_767
        verdict.add(samples)
        #expect(verdict.finding == .silent && verdict.peakLevel > -0.1)
    }

    @Test("says what to do unless it is good")
    func sentences() {
        #expect(
            LevelVerdict(sampleRate: 16_000).sentence(mixer: "m")
                == "no sound came: another program uses the device, or it is suspended")
        for (level, sentence) in [
            (0, "silent: it is muted, or it is not the microphone that you speak into"),
            (200, "too quiet: raise its capture volume (m), or come nearer"),
            (32_767, "clipping: lower its capture volume (m), or speak from farther away"),
        ] as [(Int16, String)] {
            var verdict = LevelVerdict(sampleRate: 16_000)
            verdict.add((0..<16_000).map { ($0 / 40) % 2 == 0 ? level : -level })
            #expect(verdict.sentence(mixer: "m") == sentence)
        }
    }
}

@Suite("The program for the capture volume")
struct MixerTests {
    @Test("is the sound server's for the devices that lead to it, and ALSA's for others")
    func mixer() throws {
        let server = Surroundings(environment: ["PULSE_SERVER": "/run/native"])
        #expect(server.mixer(of: "default") == "pavucontrol, Input Devices")
        #expect(server.mixer(of: "pulse") == "pavucontrol, Input Devices")
        #expect(server.mixer(of: "hw:1") == "alsamixer, F4")
        let none = Surroundings(environment: ["XDG_RUNTIME_DIR": "/nowhere"])
        #expect(none.mixer(of: "default") == "alsamixer, F4")
    }
}
