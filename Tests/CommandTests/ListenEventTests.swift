import Testing

@testable import Audio
@testable import utter

struct ListenEventTests {
    @Test("A status names the device, and its format once there is one")
    func status() {
        #expect(
            ListenEvent.status(.gettingReady, device: "hw:\"1\"\u{1B}", format: nil).json
                == #"{"type":"status","state":"getting-ready","device":"hw:\"1\"\u001b"}"# + "\n")
        let format = AudioFormat(sampleRate: 48_000, channelCount: 2, encoding: .signed16)
        #expect(
            ListenEvent.status(.finishing, device: "default", format: format).json
                == #"{"type":"status","state":"finishing","device":"default","rate":48000,"channels":2}"# + "\n")
    }

    @Test("A guess and its retraction have an event")
    func volatile() {
        #expect(
            ListenEvent.volatile(text: "one \"two\"\n", start: 0.125, end: 1).json
                == #"{"type":"volatile","text":"one \"two\"\n","start":0.13,"end":1}"# + "\n")
        #expect(
            ListenEvent.volatile(text: "", start: 0, end: 2.5).json
                == #"{"type":"volatile","text":"","start":0,"end":2.5}"# + "\n")
    }

    @Test("A final text has its words")
    func final() {
        let segment = TranscribedSegment(
            text: "one", start: 0.5, end: 0.75, confidence: 1,
            words: [TranscribedWord(text: "one", start: 0.5, end: 0.75, confidence: 0.5)])
        #expect(
            ListenEvent.final(segment).json == #"{"type":"final","text":"one","start":0.5,"end":0.75,"confidence":1,"#
                + #""words":[{"text":"one","start":0.5,"end":0.75,"confidence":0.5}]}"# + "\n")
    }

    @Test(
        "A level is in decibels below full scale; silence has none",
        arguments: [(1, "0"), (0.5, "-6"), (0.1, "-20"), (1 / 32_768, "-90.3"), (0, "null")] as [(Float, String)])
    func level(value: Float, decibels: String) {
        #expect(
            ListenEvent.level(.init(peak: value, rms: value), time: 1.5).json
                == #"{"type":"level","time":1.5,"peak":\#(decibels),"rms":\#(decibels)}"# + "\n")
    }

    @Test("A loss is in seconds, the end in samples")
    func lossAndEnd() {
        #expect(
            ListenEvent.loss(dropped: 1.5, missing: 0, time: 61.504).json
                == #"{"type":"loss","time":61.5,"dropped":1.5,"missing":0}"# + "\n")
        var statistics = CaptureStatistics.none
        statistics.samplesCaptured = 32_000
        statistics.samplesDelivered = 31_000
        statistics.samplesDropped = 1_000
        statistics.samplesMissing = 8_000
        statistics.overruns = 2
        #expect(
            ListenEvent.end(statistics, sampleRate: 16_000).json
                == #"{"type":"end","duration":2.5,"captured":32000,"delivered":31000,"dropped":1000,"missing":8000,"overruns":2,"rate":16000}"#
                + "\n")
    }
}

extension CaptureStatistics {
    /// The statistics of a capture that has not begun.
    static let none = CaptureStatistics(
        framesCaptured: 0, samplesCaptured: 0, samplesDelivered: 0, samplesDropped: 0, samplesMissing: 0, overruns: 0,
        suspensions: 0,
        level: Level(peak: 0, rms: 0), isStalled: false, hasRealTimePriority: false, measuredSampleRate: nil)
}
