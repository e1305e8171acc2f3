import Synchronization
import Testing

@testable import utter

@Suite("The writer of a transcript")
struct TranscriptWriterTests {
    private final class Output: Sendable {
        let text = Mutex("")
        let fails = Mutex(false)

        func write(_ piece: String, _ format: Int) throws {
            if fails.withLock({ $0 }) { throw CommandError("can't write", .ioError) }
            text.withLock { $0 += piece }
        }
    }

    private func writer(_ output: Output) throws -> TranscriptWriter {
        let writer = TranscriptWriter(
            [.json], channelCount: 2, TranscriptLabels(channels: true), write: output.write)
        try writer.begin(file: "a.wav", model: "m")
        return writer
    }

    private func segment(_ text: String) -> TranscribedSegment {
        TranscribedSegment(text: text, start: 1, end: 2, channel: 1)
    }

    @Test("writes at the end what waits for a channel that has failed, so that the JSON is whole")
    func waiting() throws {
        let output = Output()
        let writer = try writer(output)
        try writer.add(segment("one"), channel: 0, through: 2)
        #expect(!output.text.withLock { $0 }.contains("one"))
        try writer.end(duration: 3, isComplete: false)
        let text = output.text.withLock { $0 }
        #expect(text.contains("\"one\"") && text.hasSuffix("\"complete\":false}\n"))
    }

    @Test("writes nothing behind a piece that could not be written")
    func broken() throws {
        let output = Output()
        let writer = try writer(output)
        let before = output.text.withLock { $0 }
        output.fails.withLock { $0 = true }
        #expect(throws: CommandError.self) {
            for channel in [0, 1] { try writer.add(segment("one"), channel: channel, through: 2) }
        }
        output.fails.withLock { $0 = false }
        try writer.end(duration: 3, isComplete: false)
        #expect(output.text.withLock { $0 } == before)
    }
}
