import Audio
import Testing

@testable import utter

struct CaptureWatchTests {
    private let format = AudioFormat(sampleRate: 48_000, channelCount: 1, encoding: .signed16)

    private func statistics(
        captured: Int64 = 0, dropped: Int64 = 0, missing: Int64 = 0, isStalled: Bool = false, rate: Double? = nil
    ) -> CaptureStatistics {
        var statistics = CaptureStatistics.none
        (statistics.samplesCaptured, statistics.samplesDropped, statistics.samplesMissing) = (
            captured, dropped, missing
        )
        (statistics.isStalled, statistics.measuredSampleRate) = (isStalled, rate)
        statistics.level = .init(peak: 0.5, rms: 0.25)
        return statistics
    }

    @Test("There is a level when sound has come since the last look, at the time up to which it has")
    func level() {
        var watch = CaptureWatch(rate: 16_000)
        #expect(watch.look(at: statistics(), nil).level == nil)
        let first = watch.look(at: statistics(captured: 8_000), format)
        #expect(first.level == .init(peak: 0.5, rms: 0.25) && first.time == 0.5)
        #expect(watch.look(at: statistics(captured: 8_000), format).level == nil)
        let later = watch.look(at: statistics(captured: 16_000, missing: 16_000), format)
        #expect(later.level != nil && later.time == 2)
        #expect(first.warnings == [])
    }

    @Test(
        "Three seconds of zeros are silence, one other sample ends that, and after zeros between sounds it takes ten"
    )
    func silence() {
        var watch = CaptureWatch(rate: 16_000)
        var captured: Int64 = 0
        func look(_ zeros: Int64) -> Bool? {
            captured += 48_000
            var statistics = statistics(captured: captured)
            statistics.samplesOfSilence = zeros
            let found = watch.look(at: statistics, format)
            #expect(found.warnings == [])
            #expect(found.trouble == nil || found.trouble == CaptureWatch.silence)
            return found.trouble == nil ? nil : found.isNewTrouble
        }
        #expect(look(47_999) == nil && look(48_000) == true && look(90_000) == false)
        #expect(look(10) == nil && look(48_000) == nil && look(159_999) == nil && look(160_000) == true)
        watch = CaptureWatch(rate: 16_000)
        #expect(look(15_999) == nil && look(0) == nil && look(48_000) == true, "a microphone that has just begun")
        watch = CaptureWatch(rate: 16_000)
        #expect(look(90_000) == true && look(48_000) == false && look(48_000) == false, "another that is muted as well")
    }

    @Test("What may be no microphone is not called one")
    func source() {
        var watch = CaptureWatch(rate: 16_000, isSource: true)
        #expect(watch.look(at: statistics(missing: 8_000), format).losses == ["the source lost 0.5 s of sound"])
        #expect(
            watch.look(at: statistics(missing: 8_000, isStalled: true), format).trouble == "the source delivers nothing"
        )
        let warnings = watch.look(at: statistics(captured: 480_000, missing: 8_000, rate: 24_000), format).warnings
        #expect(warnings.allSatisfy { $0.hasPrefix("the source says 48000 Hz") })
    }

    @Test("What was lost in all is one loss of each kind, and none where it is too short for a word")
    func allLosses() {
        func losses(_ dropped: Int64, _ missing: Int64) -> [String] {
            CaptureWatch.losses(in: statistics(captured: 64_000, dropped: dropped, missing: missing), rate: 16_000)
        }
        #expect(
            losses(24_000, 8_000) == [
                "the recognizer is too slow for this machine: 1.5 s of sound were lost",
                "the microphone lost 0.5 s of sound",
            ])
        #expect(losses(0, 800) == ["the microphone lost 0.1 s of sound"])
        #expect(losses(799, 799) == [])
    }

    @Test("Every loss is told once, with its length")
    func losses() {
        var watch = CaptureWatch(rate: 16_000)
        let dropped = watch.look(at: statistics(captured: 64_000, dropped: 24_000), format)
        #expect(dropped.dropped == 1.5 && dropped.missing == 0)
        #expect(dropped.losses == ["the recognizer is too slow for this machine: 1.5 s of sound were lost"])
        let both = watch.look(at: statistics(captured: 96_000, dropped: 32_000, missing: 4_000), format)
        #expect(both.dropped == 0.5 && both.missing == 0.25)
        #expect(
            both.losses == [
                "the recognizer is too slow for this machine: 0.5 s of sound were lost",
                "the microphone lost 0.3 s of sound",
            ])
        let nothing = watch.look(at: statistics(captured: 112_000, dropped: 32_000, missing: 4_000), format)
        #expect(nothing.dropped == 0 && nothing.missing == 0 && nothing.losses == [])
    }

    @Test("Losses that are next to nothing are told when they have become something")
    func shortLosses() {
        var watch = CaptureWatch(rate: 16_000)
        let first = watch.look(at: statistics(captured: 1, missing: 480), format)
        #expect(first.missing == 0.03 && first.losses == [])
        #expect(
            watch.look(at: statistics(captured: 2, missing: 960), format).losses == [
                "the microphone lost 0.1 s of sound"
            ])
        #expect(watch.look(at: statistics(captured: 3, missing: 961), format).losses == [])
    }

    @Test(
        "A standstill is reported as long as it lasts, and so is the next one, also of a microphone that gave zeros before"
    )
    func standstill() {
        var watch = CaptureWatch(rate: 16_000)
        func look(_ captured: Int64, zeros: Int64 = 0, isStalled: Bool) -> [String?] {
            var statistics = statistics(captured: captured, isStalled: isStalled)
            statistics.samplesOfSilence = zeros
            let found = watch.look(at: statistics, format)
            #expect(found.warnings == [])
            return [found.trouble, found.isNewTrouble ? "new" : nil]
        }
        #expect(look(1, isStalled: true) == [CaptureWatch.standstill, "new"])
        #expect(look(1, isStalled: true) == [CaptureWatch.standstill, nil])
        #expect(look(2, isStalled: false) == [nil, "new"])
        #expect(look(2, isStalled: true) == [CaptureWatch.standstill, "new"])
        #expect(look(90_000, zeros: 80_000, isStalled: false) == [CaptureWatch.silence, "new"])
        #expect(look(90_000, zeros: 80_000, isStalled: true) == [CaptureWatch.standstill, "new"])
    }

    @Test("A rate that the device lies about is told once, with both numbers")
    func rate() {
        var watch = CaptureWatch(rate: 16_000)
        #expect(watch.look(at: statistics(captured: 1, rate: 47_900), format).warnings == [])
        let warnings = watch.look(at: statistics(captured: 2, rate: 44_100.4), format).warnings
        #expect(warnings.count == 1 && warnings[0].contains("says 48000 Hz and delivers 44100;"))
        #expect(watch.look(at: statistics(captured: 3, rate: 44_100), format).warnings == [])
    }
}
