import Testing

@testable import Models
@testable import utter

struct InstallationLineTests {
    private func line(_ phase: InstallationProgress.Phase, _ done: Int = 0, _ total: Int? = nil, speed: Double? = nil)
        -> InstallationLine
    {
        var progress = InstallationProgress()
        progress.phase = phase
        progress.completedBytes = done
        progress.totalBytes = total
        progress.bytesPerSecond = speed
        return InstallationLine(name: "vosk-model-small-en-us-0.15", progress: progress)
    }

    @Test("It shows size, share, speed and time left")
    func whole() {
        #expect(
            line(.downloading, 12_345_678, 41_205_931, speed: 3_400_000).text(width: 120)
                == "vosk-model-small-en-us-0.15  downloading  12.3 of 41.2 MB  29%  3.4 MB/s  0:09 left")
        #expect(line(.downloading, 5_000_000).text(width: 120) == "vosk-model-small-en-us-0.15  downloading  5.0 MB")
        #expect(
            line(.unpacking, 70_000_000, 70_000_000, speed: 1e8).text(width: 120)
                == "vosk-model-small-en-us-0.15  unpacking  70.0 of 70.0 MB  100%")
        #expect(line(.verifying, 0, 41_205_931).text(width: 120) == "vosk-model-small-en-us-0.15  verifying")
        #expect(line(.waiting).text(width: 120) == "vosk-model-small-en-us-0.15  another utter is installing it")
    }

    @Test("It shows 100 % only when all is done")
    func almost() {
        #expect(line(.downloading, 999_999_999, 1_000_000_000).text(width: 120).contains("  99%"))
    }

    @Test("It is never wider than allowed, and less important parts are dropped first", arguments: 0..<100)
    func narrow(_ width: Int) {
        let line = line(.downloading, 12_345_678, 41_205_931, speed: 3_400_000)
        let text = line.text(width: width)
        #expect(displayWidth(text) <= width)
        if width >= 16 { #expect(text.contains("29%")) }
    }
}
