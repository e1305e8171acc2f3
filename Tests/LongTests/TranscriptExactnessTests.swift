import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that the words are exact for every form of a recording. That the samples of every encoding are read exactly is shown by
    /// WAVReaderTests and WAVLibsndfileTests.
    @Suite struct TranscriptExactness {
        private let sandbox = Sandbox()

        /// The transcripts of the original recordings.
        private static let originals = Task { try await TranscriptExactness().transcripts(Recording.some, at: \.path) }

        /// Makes a variant of every recording, and compares its words and their times with those of the original.
        ///
        /// - Parameter make: writes the variant of a recording to a path.
        private func check(make: (Recording, _ path: String) async throws -> Void) async throws {
            let recordings = Recording.some
            for recording in recordings { try await make(recording, sandbox.file(recording.name)) }
            let found = try await transcripts(recordings, at: { sandbox.file($0.name) })
            let originals = try await Self.originals.value
            for recording in recordings {
                let transcript = try #require(found[recording.name], "\(recording.name) is missing")
                #expect(transcript.text == recording.transcript, "\(recording.name)")
                #expect(transcript.words.map(\.text).joined(separator: " ") == recording.transcript)
                let original = try #require(originals[recording.name])
                // The border between two words is the decoder's choice between its frames of 30 ms, and in a real person's speech the
                // least change of a sample can move it by one. (It does so once in the recordings: "four" in an398-miry-b.wav.)
                let tolerance = Recording.fixtures.contains { $0.name == recording.name } ? 0.0101 : 0.0301
                for (word, before) in zip(transcript.words, original.words) {
                    #expect(
                        abs(word.start - before.start) < tolerance && abs(word.end - before.end) < tolerance,
                        "\(recording.name): \(word), before \(before)")
                }
                #expect(abs((transcript.duration ?? 0) - (original.duration ?? 1)) < 0.0101)
            }
        }

        /// Transcripts by name; those with phrases in runs of their own.
        private func transcripts(
            _ recordings: [Recording], at path: (Recording) -> String
        ) async throws -> [String: JSONTranscript] {
            var result: [String: JSONTranscript] = [:]
            // The order is always the same, since the text of a marginal recording can depend on those before it.
            for phrases in Set(recordings.map(\.phrases)) {
                let group = recordings.filter { $0.phrases == phrases }
                let finished = try await sandbox.transcribe(
                    ["--format", "jsonl", "--jobs", "2"] + phrases.flatMap { ["--phrase", $0] } + group.map(path))
                finished.expectEnd(0, errors: "")
                for (file, transcript) in try JSONTranscript.parse(lines: finished.output) {
                    result[URL(fileURLWithPath: file).lastPathComponent] = transcript
                }
            }
            return result
        }

        @Test("Every fixture has exactly its transcript, one line for each utterance")
        func fixtures() async throws {
            #expect(Recording.fixtures.count == 13)
            for recording in Recording.fixtures {
                let finished = try await sandbox.transcribe(
                    recording.phrases.flatMap { ["--phrase", $0] } + [recording.path])
                #expect(finished.outputLines.joined(separator: " ") == recording.transcript)
                #expect(finished.outputLines.count == (recording.name == "memo.wav" ? 5 : 1))
                finished.expectEnd(0, errors: "")
            }
        }

        @Test(
            "Every rate and every layout of channels has the same words at the same times",
            arguments: [(44_100, 1), (22_050, 1), (48_000, 2), (96_000, 6)])
        func ratesAndLayouts(rate: Int, channelCount: Int) async throws {
            let copies = (0..<channelCount).map { _ in "1" }
            try await check { recording, path in
                try await sandbox.run(
                    ["sox", "-D", recording.path, "-b", "24", path, "remix"] + copies + ["rate", "-v", "\(rate)"])
            }
        }

        @Test(
            "Telephone speech, 8 kHz in either law, is right but for one word at most", arguments: ["mu-law", "a-law"])
        func telephone(law: String) async throws {
            let recordings = Recording.some.filter { $0.phrases.isEmpty }
            for recording in recordings {
                try await sandbox.run(
                    "sox", "-D", recording.path, "-e", law, "-r", "8000", sandbox.file(recording.name))
            }
            let found = try await transcripts(recordings) { sandbox.file($0.name) }
            for recording in recordings {
                let said = recording.transcript.split(separator: " ")
                let heard = found[recording.name]?.text.split(separator: " ") ?? []
                #expect(wordErrors(said, heard) <= 1, "\(recording.name): \(heard.joined(separator: " "))")
            }
        }

        @Test("Samples without a header have the same words, from a file and from standard input")
        func raw() async throws {
            let memo = Recording.named(Tier.current == .long ? "memo.wav" : "digits-slt.wav")
            let bytes = Sound.bytes(of: memo.samples)
            let path = sandbox.put(bytes, in: "memo.raw")
            let stereo = sandbox.put(Sound.bytes(of: memo.samples.flatMap { [$0, $0] }), in: "stereo.raw")
            for finished in [
                try await sandbox.transcribe("--raw", "--rate", "16000", path),
                try await sandbox.transcribe("--raw", "--rate", "16000", "--channels", "2", stereo),
                try await sandbox.transcribe("--raw", "--rate", "16000", "-", stdin: bytes),
                try await sandbox.transcribe("--raw", "--rate", "16000", "-", stdin: bytes, atOnce: 3),
            ] {
                #expect(finished.outputLines.joined(separator: " ") == memo.transcript)
                #expect(finished.errors == "")
            }
        }

        @Test("Standard input has the same words in writes of one byte and of all bytes", arguments: [1, .max])
        func standardInput(atOnce: Int) async throws {
            for recording in Recording.some
            where recording.phrases.isEmpty && (atOnce > 1 || recording.name.hasPrefix("d")) {
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: recording.path)))
                let finished = try await sandbox.transcribe("-", stdin: bytes, atOnce: atOnce)
                #expect(finished.outputLines.joined(separator: " ") == recording.transcript, "\(recording.name)")
                #expect(finished.errors == "")
            }
        }
    }
}

/// How many words must be inserted, removed or changed to turn one into the other.
func wordErrors(_ said: [Substring], _ heard: [Substring]) -> Int {
    var row = Array(0...heard.count)
    for (index, word) in said.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in heard.indices {
            let changed = diagonal + (word == heard[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
        }
    }
    return row[heard.count]
}
