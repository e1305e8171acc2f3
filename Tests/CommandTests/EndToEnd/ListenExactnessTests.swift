import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that what is said into a microphone is written, exact to the sample.
    @Suite struct ListenExactness {
        private let sandbox = Sandbox()

        /// How often to stop at a random instant.
        private static let stopCount = Tier.count(3, long: 8, "UTTER_STOPS")

        // Here a fixture begins anywhere between two of the engine's blocks, which must not change its text. The capture, cut at the
        // recording's first sample, must have the same words as the file.
        @Test(
            "Spoken into a microphone, every fixture has its transcript, and `utter transcribe` has the same for the captured samples",
            .long)
        func fixtures() async throws {
            let short = Recording.fixtures.filter { $0.name != "memo.wav" }
            let lanes =
                [[Recording.named("memo.wav")]]
                + (0..<3).map { lane in short.indices.filter { $0 % 3 == lane }.map { short[$0] } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in lanes {
                    group.addTask {
                        let microphone = try await VirtualMicrophone()
                        for recording in lane { try await check(recording, spokenInto: microphone) }
                    }
                }
                try await group.waitForAll()
            }
        }

        private func check(_ recording: Recording, spokenInto microphone: VirtualMicrophone) async throws {
            let phrases = recording.phrases.flatMap { ["--phrase", $0] }
            let listening = try await Listening(sandbox, microphone, phrases, name: recording.name)
            try await listening.speak(recording)
            let (events, finished) = try await listening.stop()
            #expect(finished.end == .exited(0) && finished.errors == "", "\(recording.name): \(finished.errors)")
            #expect(events.text == recording.transcript, "\(recording.name)")
            let finals = try events.finals
            #expect(try await listening.transcriptOfSaved(phrases).segments == finals, "\(recording.name)")

            let captured = listening.saved.samples
            let ledger = try events.ledger
            #expect(ledger == .init(captured: captured.count, delivered: captured.count, dropped: 0, missing: 0))
            // Searched for outside of the macro, which would print all samples.
            let place = Alignment.offset(of: recording.samples, in: captured)
            let offset = try #require(place, "\(recording.name) was not captured")
            let aligned = sandbox.put(
                Sound.wav(Sound.bytes(of: Array(captured[offset..<offset + recording.samples.count]))),
                in: "aligned-" + recording.name)
            let cut = try await sandbox.transcript(of: aligned, phrases)
            let original = try await sandbox.transcript(of: recording.path, phrases)
            #expect(cut.segments.map(\.text) == original.segments.map(\.text), "\(recording.name)")
            for (words, start) in [(cut.words, 0), (finals.flatMap(\.words), Double(offset) / 16_000)] {
                #expect(words.map(\.text) == original.words.map(\.text))
                for (word, before) in zip(words, original.words) {
                    // The border between two words is a choice between frames of 30 ms, which begin elsewhere here. It was seen to move by
                    // three frames, and by the part of a frame by which the recording's beginning differs.
                    let difference = max(abs(word.start - start - before.start), abs(word.end - start - before.end))
                    #expect(difference < 0.1201, "\(recording.name): \(word) from \(start), in the file \(before)")
                }
            }
        }

        @Test(
            "Stopped at a random instant, the text is that of `utter transcribe` for the captured samples, all of which are counted",
            .long
        )
        func randomStops() async throws {
            var numbers = SplitMix64(for: "random stops")
            let microphone = try await VirtualMicrophone()
            let recordings = Recording.fixtures.filter { $0.phrases.isEmpty && $0.name != "memo.wav" }.shuffled(
                using: &numbers)
            let speaker = Task {
                var index = 0
                while !Task.isCancelled {
                    try await microphone.play(recordings[index % recordings.count].path)
                    index += 1
                }
            }
            defer { speaker.cancel() }
            // Some instants are before the first sample.
            let instants = (0..<Self.stopCount).map { _ in max(0, Int.random(in: -10_000...80_000, using: &numbers)) }
            let lanes = min(8, max(4, Self.stopCount / 20))
            let heard = try await withThrowingTaskGroup(of: [[Double]].self) { group in
                for lane in 0..<lanes {
                    group.addTask {
                        var heard: [[Double]] = []
                        for index in instants.indices where index % lanes == lane {
                            heard.append(try await stop(at: instants[index], microphone, name: "stop-\(index).wav"))
                        }
                        return heard
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            speaker.cancel()
            try? await speaker.value
            let seconds = heard.reduce(0) { $0 + $1[0] }, words = heard.reduce(0) { $0 + $1[1] }
            print(
                "random stops: \(heard.count), \(Int(seconds)) s of sound, \(Int(words)) words, as transcribed to the last word"
            )
            #expect(heard.count == Self.stopCount)
        }

        /// Stops a listening at an instant, and checks it.
        ///
        /// - Returns: how many seconds and words were heard.
        private func stop(at instant: Int, _ microphone: VirtualMicrophone, name: String) async throws -> [Double] {
            let listening = try await Listening(sandbox, microphone, ["--verbose"], name: name, waits: false)
            try await listening.saved.wait { $0.count >= instant }
            let (events, finished) = try await listening.stop()
            #expect(finished.end == .exited(0))
            if events.objects.isEmpty {
                // It was stopped before it had begun.
                #expect(instant == 0 && !listening.saved.exists && finished.errors == "")
                return [0, 0]
            }
            let captured = listening.saved.samples.count
            #expect(captured >= instant)
            let ledger = try events.ledger
            #expect(ledger == .init(captured: captured, delivered: captured, dropped: 0, missing: 0))
            let lines = finished.errorLines
            #expect(
                lines.contains(
                    "utter: \(captured) samples captured = \(captured) delivered + 0 dropped; 0 missing from the device"
                ))
            let line = try #require(lines.first { $0.contains(" transcribed + ") })
            let counts = line.split { !$0.isNumber }.compactMap { Int($0) }
            #expect(
                counts.count == 5 && counts[0] == captured && counts[1] + counts[2] == captured
                    && counts[3...] == [0, 0], "\(line)")
            let finals = try events.finals
            let transcript = try await listening.transcriptOfSaved()
            #expect(finals == transcript.segments, "\(name) of \(captured) samples")
            unlink(listening.saved.path)
            return [Double(captured) / 16_000, Double(transcript.words.count)]
        }

        @Test(
            "--for ends after exactly as many samples as it says, and the text is that of `utter transcribe` for them",
            .long)
        func exactDurations() async throws {
            var numbers = SplitMix64(for: "exact durations")
            let memo = Recording.named("memo.wav").samples
            let device = try FilePCM(memo, silence: 160_000)
            // The first is 16.275 s, which is a little less as a binary fraction.
            let counts =
                [260_400]
                + (1..<Self.stopCount).map { _ in Int.random(in: 160...memo.count / 16, using: &numbers) * 16 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<2 {
                    group.addTask {
                        for index in counts.indices where index % 2 == lane {
                            let count = counts[index]
                            let finished = try await sandbox.listen(
                                ["--format", "jsonl", "--for", "\(Double(count) / 16_000)"], to: device)
                            #expect(finished.end == .exited(0) && finished.errors == "")
                            let events = try ListenEvents(lines: finished.output)
                            let ledger = try events.ledger
                            #expect(ledger == .init(captured: count, delivered: count, dropped: 0, missing: 0))
                            let prefix = sandbox.put(
                                Sound.wav(Sound.bytes(of: Array(memo[..<count]))), in: "prefix-\(index).wav")
                            let finals = try events.finals
                            #expect(try await sandbox.transcript(of: prefix).segments == finals, "\(count) samples")
                            unlink(prefix)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("The clock of the end is the time of day at which the first sample was captured")
        func clock() async throws {
            let device = try FilePCM([Int16](repeating: 0, count: 16_000))
            let before = Date().timeIntervalSince1970
            let finished = try await sandbox.listen(["--format", "jsonl", "--for", "0.5"], to: device)
            let end = try #require(try ListenEvents(lines: finished.output).objects.last)
            let clock = try #require(end["clock"] as? Double)
            // The first period was recorded before it was read.
            #expect(clock > before - 1 && clock < Date().timeIntervalSince1970)
        }

        @Test("One channel of several can be transcribed alone")
        func channels() async throws {
            let digits = Recording.named("digits-slt.wav")
            let device = try FilePCM(digits.samples.flatMap { [0, $0] }, silence: 32_000)
            for (channel, text) in [("1", ""), ("2", digits.transcript + "\n"), ("mix", digits.transcript + "\n")] {
                let finished = try await sandbox.listen(
                    ["--for", "3.5", "--channel", channel], to: device, channelCount: 2)
                finished.expectEnd(0, output: text, errors: "")
            }
        }

        @Test(
            "With a slow recognizer the oldest sound is lost, the loss is reported, and the times of the rest are right",
            .long)
        func overload() async throws {
            // The device delivers all of it at once, three times as much as is kept for a slow recognizer. Most of it is speech,
            // since a recognizer is quick with silence.
            let digits = Recording.named("digits-slt.wav"), date = Recording.named("date-rms.wav")
            func silence(_ seconds: Int) -> [Int16] { [Int16](repeating: 0, count: seconds * 16_000) }
            let speech = [[Int16]](repeating: digits.samples + silence(1), count: 60).flatMap(\.self)
            let samples = silence(2) + speech + silence(8) + date.samples + silence(50)
            let device = try FilePCM(samples, silence: 160_000)
            let options = ["--format", "jsonl", "--for", "\(Double(samples.count) / 16_000)"]
            let finished = try await sandbox.listen(options, to: device)
            #expect(finished.end == .exited(74))
            let events = try ListenEvents(lines: finished.output)
            let ledger = try events.ledger
            #expect(ledger.captured == samples.count && ledger.missing == 0)
            #expect(ledger.delivered + ledger.dropped == samples.count && ledger.dropped > 16_000)
            let losses = events["loss"]
            #expect(!losses.isEmpty && losses.allSatisfy { $0["missing"] as? Double == 0 })
            let lost = losses.compactMap { $0["dropped"] as? Double }.reduce(0, +)
            #expect(abs(lost - Double(ledger.dropped) / 16_000) < 0.01 * Double(losses.count))
            #expect(finished.errorLines.count == losses.count)
            for line in finished.errorLines {
                #expect(
                    line.wholeMatch(
                        of: /utter: the recognizer is too slow for this machine: [0-9.]+ s of sound were lost/) != nil,
                    "\(line)")
            }

            let final = try #require(try events.finals.last)
            #expect(final.text == date.transcript)
            let place = Double(samples.count - date.samples.count) / 16_000 - 50
            let original = try await sandbox.transcript(of: date.path)
            for (word, before) in zip(final.words, original.words) {
                #expect(abs(word.start - place - before.start) < 0.0701, "\(word) from \(place), in the file \(before)")
            }

            // The saved file is still complete, or its gaps are counted.
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let kept = try await sandbox.listen(options + ["--quiet", "--save-audio", saved.path], to: device)
            let account = try ListenEvents(lines: kept.output).ledger
            // Twice as much is kept behind the file, which a quick machine may get through.
            let hasLost = account.dropped > 0
            #expect(kept.end == .exited(hasLost ? 74 : 0))
            #expect(kept.errors.contains("s of sound were lost") == hasLost, "\(kept.errors)")
            #expect(account.captured == samples.count && account.captured == account.delivered + account.dropped)
            #expect(saved.samples.count == samples.count)
            #expect(saved.samples.suffix(60 * 16_000) == samples.suffix(60 * 16_000))
        }
    }
}
