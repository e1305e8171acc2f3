import Audio
import Foundation
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    @Suite("A recording of several channels")
    struct SplitChannels {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")

        private func samples(of recording: Recording) throws -> [Int16] {
            let reader = try AudioBlockReader(
                WAVReader(source: FileByteSource(path: recording.path)), sampleRate: 16_000)
            var samples: [Int16] = []
            while let blocks = try reader.next() { samples += blocks[0].samples }
            return samples
        }

        /// A recording in which the second channel begins while the first speaks.
        private func meeting(_ name: String, names: [String] = [], isFinished: Bool = true) throws -> String {
            let (first, second) = (
                try samples(of: digits), try [Int16](repeating: 0, count: 16_000) + samples(of: date)
            )
            let writer = try WAVWriter(
                path: sandbox.file(name), sampleRate: 16_000, channelCount: 2, channelNames: names)
            let frameCount = max(first.count, second.count)
            try writer.append(
                (0..<frameCount).flatMap { [$0 < first.count ? first[$0] : 0, $0 < second.count ? second[$0] : 0] })
            if isFinished { try writer.finish() }
            return sandbox.file(name)
        }

        @Test("Channels that cancel each other are an error that says so, and each of them has its text")
        func cancelled() async throws {
            let samples = try samples(of: digits)
            let writer = try WAVWriter(path: sandbox.file("balanced.wav"), sampleRate: 16_000, channelCount: 2)
            try writer.append(samples.flatMap { [$0, $0 == .min ? .max : -$0] })
            try writer.finish()
            let finished = try await sandbox.transcribe(sandbox.file("balanced.wav"))
            #expect(finished.end == .exited(65) && finished.output == "" && finished.errorLines.count == 1)
            #expect(
                finished.errors.contains("its channels cancel each other") && finished.errors.contains("--channel 1"))
            for channel in ["1", "2"] {
                let heard = try await sandbox.transcribe("--channel", channel, sandbox.file("balanced.wav"))
                #expect(heard.end == .exited(0) && heard.errors == "" && heard.output == digits.transcript + "\n")
            }
        }

        private func output(_ arguments: String...) async throws -> String {
            let finished = try await sandbox.transcribe(["--split-channels"] + arguments)
            #expect(finished.errors == "" && finished.end == .exited(0))
            return finished.output
        }

        @Test("has the names that are given, or else its own, also if it was never finished, and says what overlaps")
        func names() async throws {
            let plain = try meeting("plain.wav")
            let named = try meeting("named.wav", names: ["Ann", "Bob & Co"], isFinished: false)
            #expect(
                try await output(plain) == "[1] \(digits.transcript)\n[2, overlapping] \(date.transcript)\n")
            #expect(
                try await output("--names", "me,them", named)
                    == "[me] \(digits.transcript)\n[them, overlapping] \(date.transcript)\n")
            #expect(
                try await output(named) == "[Ann] \(digits.transcript)\n[Bob & Co, overlapping] \(date.transcript)\n")
            // A table for both has the column, although only one of them has names.
            let table = try await output("-f", "tsv", plain, named)
            #expect(table.hasPrefix("start\tend\ttext\tchannel\tspeaker\tfile\n"))
            #expect(table.contains("\(date.transcript)\t2\t\t\(plain)\n"))
            #expect(table.contains("\(date.transcript)\t2\tBob & Co\t\(named)\n"))
            // The mix has no names.
            #expect(try await !sandbox.transcribe("-f", "jsonl", named).output.contains("speaker"))
        }

        @Test("with more or fewer channels than names are given is refused", arguments: ["me", "a,b,c"])
        func mismatch(names: String) async throws {
            let path = try meeting("a.wav")
            let finished = try await sandbox.transcribe("--split-channels", "--names", names, path)
            let count = names == "me" ? "1 name" : "3 names"
            finished.expectEnd(65, output: "", errors: "utter: \(path): it has 2 channels, and --names has \(count)\n")
            let raw = try await sandbox.transcribe(
                "--raw", "--rate", "8000", "--split-channels", "--names", "me,them", "-", stdin: [0, 0])
            raw.expectEnd(65, errors: "utter: stdin: it has 1 channel, and --names has 2 names\n")
        }
    }
}
