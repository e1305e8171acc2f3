import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct NotesAgain {
        private let sandbox = Sandbox()
        private var sounds: String { sandbox.file("sounds") }

        private func notes(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Finished
        {
            try await sandbox.utter(
                ["notes"] + arguments, environment: ["UTTER_MODEL": "vosk-model-tiny-en"].merging(environment) { $1 })
        }

        private func again(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Finished
        {
            try await sandbox.utter(
                ["notes", "again", "--save-audio", sounds] + arguments,
                environment: ["UTTER_MODEL": "vosk-model-tiny-en"].merging(environment) { $1 })
        }

        /// Keeps a text as a memo of a minute ago, with its sound.
        @discardableResult
        private func keep(_ text: String, _ sound: Recording? = nil, samples: [Int16] = []) throws -> UUID {
            let begun = Date() - 60
            let id = UUID.timeOrdered(at: begun)
            let vault = MarkdownVault(.own(sandbox.file("data/utter/notes")))
            // The id in the note is the memo's id for this destination.
            let entry = MarkdownVault.Entry(
                id: id.forDestination("notes"), text: text, capturedAt: begun, timeZone: .current)
            try vault.append(entry)
            try FileManager.default.createDirectory(atPath: sounds, withIntermediateDirectories: true)
            let name = URL(fileURLWithPath: vault.notePath(for: entry)).deletingPathExtension().lastPathComponent
            let path = "\(sounds)/\(name)-utter-\(id.uuidString.lowercased().prefix(18)).wav"
            if let sound { try FileManager.default.copyItem(atPath: sound.path, toPath: path) }
            if !samples.isEmpty { try Data(Sound.wav(Sound.bytes(of: samples))).write(to: URL(fileURLWithPath: path)) }
            return entry.id
        }

        private var note: String { sandbox.memos(in: "data/utter/notes").joined(separator: "\n") }

        @Test(
            "It prints the text of the last memo's sound, or of another by its id, written as memos are, and changes nothing"
        )
        func printing() async throws {
            let first = try keep("first", .named("digits-slt.wav"))
            try keep("second", .named("weekdays-awb.wav"))
            let before = note
            let last = try await again()
            last.expectEnd(0, output: "monday wednesday friday sunday\n", errors: "")
            #expect(try await again("--rules", "capitals").output == "Monday Wednesday Friday Sunday\n")
            for name in [
                first.uuidString, "^utter-\(first.uuidString.lowercased())", String(first.uuidString.suffix(8)),
            ] {
                #expect(try await again(name).output == Recording.named("digits-slt.wav").transcript + "\n", "\(name)")
            }
            #expect(note == before)
            let unknown = try await again("0000")
            #expect(unknown.end == .exited(66) && unknown.errorLines.count == 1)
            // The ids of both begin with these digits.
            #expect(try await again("01").end == .exited(64))
            // The folder may be set in the configuration.
            _ = try await sandbox.utter(["config", "set", "memo-save-audio", sounds])
            #expect(try await notes("again").output == last.output)
        }

        @Test("A sound that ends before its header says is an error, and replaces nothing")
        func cutSound() async throws {
            try keep("monday wednesday friday sunday", .named("weekdays-awb.wav"))
            let before = note
            let path = try #require(sandbox.names(in: "sounds").first.map { sounds + "/" + $0 })
            #expect(truncate(path, 40_000) == 0)
            let finished = try await again("--replace")
            #expect(finished.end == .exited(65) && finished.output == "" && finished.errorLines.count == 1)
            #expect(finished.errors.hasPrefix("utter: \(path): the file is cut off or not whole yet: "))
            #expect(note == before)
        }

        @Test(
            "A better model's text replaces the memo's, undo restores the old one, redo the new one", .needsSecondPass)
        func replacing() async throws {
            try keep("before")
            try keep("monday wednesday friday sunday", .named("weekdays-awb.wav"))
            let original = note
            let plain = try await again()
            #expect(plain.output == SecondPassSetup.first + "\n")
            let better = try await again("--replace", environment: SecondPassSetup.environment)
            better.expectEnd(0, errors: "utter: to have the old text back: utter notes undo\n")
            #expect(
                better.output.hasPrefix("replaced in ") && better.output.hasSuffix("  \(SecondPassSetup.second)\n"),
                "\(better.output)")
            let replaced = "before\n\(SecondPassSetup.second)"
            #expect(note == replaced && original == "before\n\(SecondPassSetup.first)")
            let name = try #require(sandbox.names(in: "data/utter/notes").first)
            #expect(sandbox.mode(of: "data/utter/notes/" + name) == 0o600)

            let undone = try await notes("undo")
            #expect(
                undone.output.hasPrefix("the old text is back in ")
                    && undone.output.hasSuffix("  \(SecondPassSetup.first)\n"))
            #expect(note == original)
            #expect(try await notes("redo").output.hasPrefix("replaced again in "))
            #expect(note == replaced)
            let object = try #require(try await notes("undo", "--json").objects().first)
            #expect(object["text"] as? String == SecondPassSetup.first)
            #expect(note == original)
            // After that, undo removes the memo itself, and redo restores what was removed last.
            #expect(try await notes("undo").output.hasPrefix("taken out of "))
            #expect(note == "before")
            let redone = try #require(try await notes("redo", "--json").objects().first)
            #expect(redone["text"] as? String == SecondPassSetup.first)
            #expect(note == original)
        }

        @Test(
            "Undo removes a memo that is later than a replacement, and does not undo a replacement that was edited since"
        )
        func order() async throws {
            let old = try keep("old", .named("digits-slt.wav"))
            let digits = Recording.named("digits-slt.wav").transcript
            #expect(try await again("--replace").end == .exited(0))
            // This memo is later than the replacement.
            let vault = MarkdownVault(.own(sandbox.file("data/utter/notes")))
            // Made by hand: after an id of the future, this process would make no other for a second.
            let time = UInt64((Date().timeIntervalSince1970 + 1) * 1000)
            let later = try #require(
                UUID(uuidString: String(format: "%08llx-%04llx-7000-8000-000000000001", time >> 16, time & 0xFFFF)))
            try vault.append(
                .init(id: later, text: "new", capturedAt: Date(), timeZone: .current))
            #expect(try await notes("undo").output.hasPrefix("taken out of "))
            #expect(note == digits)
            #expect(try await notes("undo").output.hasPrefix("the old text is back in "))
            #expect(note == "old")
            #expect(try await again("--replace", old.uuidString).end == .exited(0))
            let name = try #require(sandbox.names(in: "data/utter/notes").first)
            let text = try #require(sandbox.text(of: "data/utter/notes/" + name))
            sandbox.put(text.replacing(digits, with: "mine"), in: "data/utter/notes/" + name)
            let taken = try await notes("undo")
            #expect(taken.output.hasPrefix("taken out of ") && taken.output.hasSuffix("  mine\n"))

            // Where another memo is the last, the change that can't be undone does not keep it in the note.
            #expect(try await notes("redo").exitCode == 0)
            let earlier = try #require(UUID(uuidString: "01900000-0000-7000-8000-000000000001"))
            try vault.append(
                .init(id: earlier, text: "last", capturedAt: Date(), timeZone: .current))
            let passed = try await notes("undo")
            #expect(passed.exitCode == 0 && passed.output.hasSuffix("  last\n"), "\(passed.errors)")
            #expect(
                passed.errors.contains(" stays as it is: it was changed after") && !passed.errors.contains("mine"),
                "\(passed.errors)")
            #expect(note == "mine")
        }

        @Test("A memo that redo put back after a replacement is what undo takes out first, then comes the replacement")
        func putBackLater() async throws {
            try keep("old", .named("digits-slt.wav"))
            let digits = Recording.named("digits-slt.wav").transcript
            let added = try await sandbox.utter(
                ["outbox", "add", "--to", "notes"], under: ["sh", "-c", #"echo new | exec "$@""#, "sh"])
            #expect(added.exitCode == 0, "\(added.errors)")
            try await Patience.wait(for: "the memo is in its note") {
                try sandbox.store.isEmpty()
            }
            #expect(note == "old\nnew")
            #expect(try await notes("undo").output.hasSuffix("  new\n"))
            #expect(try await again("--replace").exitCode == 0)
            #expect(try await notes("redo").output.hasSuffix("  new\n"))
            #expect(note == "\(digits)\nnew")
            #expect(try await notes("undo").output.hasPrefix("taken out of "))
            #expect(note == digits)
            #expect(try await notes("undo").output.hasPrefix("the old text is back in "))
            #expect(note == "old")
            #expect(try await notes("redo").output.hasPrefix("replaced again in "))
            #expect(try await notes("redo").output.hasPrefix("put back into "))
            #expect(note == "\(digits)\nnew")
        }

        @Test("A replaced memo that was edited since keeps no later memo in the note, and none out of it")
        func editedSince() async throws {
            let old = try keep("old", .named("digits-slt.wav"))
            let digits = Recording.named("digits-slt.wav").transcript
            try keep("new")
            #expect(try await again("--replace", old.uuidString).exitCode == 0)
            let name = try #require(sandbox.names(in: "data/utter/notes").first)
            func edit(_ text: String, _ other: String) throws {
                let note = try #require(sandbox.text(of: "data/utter/notes/" + name))
                sandbox.put(note.replacing(text, with: other), in: "data/utter/notes/" + name)
            }
            try edit(digits, "mine")
            let taken = try await notes("undo")
            #expect(taken.exitCode == 0 && taken.output.hasSuffix("  new\n"), "\(taken.errors)")
            #expect(taken.errors.contains(" stays as it is: it was changed after utter notes again"))
            #expect(try await notes("undo").output.hasSuffix("  mine\n"))
            for text in ["mine", "new"] { #expect(try await notes("redo").output.hasSuffix("  \(text)\n")) }

            // The other way round: what undo brought back was edited, so redo passes over it.
            #expect(try await notes("undo").output.hasSuffix("  new\n"))
            #expect(try await again("--replace").exitCode == 0)
            #expect(try await notes("undo").output.hasSuffix("  mine\n"))
            try edit("mine", "yours")
            let put = try await notes("redo")
            #expect(put.exitCode == 0 && put.output.hasSuffix("  new\n"), "\(put.errors)")
            #expect(put.errors.contains(" stays as it is: it was changed after undo") && !put.errors.contains("yours"))
            let nothing = try await notes("redo")
            #expect(nothing.exitCode == 65 && nothing.errors.contains(" stays as it is: "))
        }

        @Test("Where the same words are heard, nothing is replaced, and undo takes the memos out one after the other")
        func sameWords() async throws {
            try keep("before")
            try keep("monday wednesday friday sunday", .named("weekdays-awb.wav"))
            let before = note
            let same = try await again("--replace")
            #expect(same.exitCode == 0 && same.output == "" && same.errors.hasSuffix(" has these words already\n"))
            #expect(note == before)
            for _ in 0..<2 { #expect(try await notes("undo").output.hasPrefix("taken out of ")) }
            #expect(note == "")
        }

        @Test("A memo that was edited after its replacement, and taken out, holds up no undo of the one before")
        func takenOut() async throws {
            try keep("before")
            try keep("old", .named("digits-slt.wav"))
            #expect(try await again("--replace").exitCode == 0)
            let name = try #require(sandbox.names(in: "data/utter/notes").first)
            let text = try #require(sandbox.text(of: "data/utter/notes/" + name))
            sandbox.put(
                text.replacing(Recording.named("digits-slt.wav").transcript, with: "mine"),
                in: "data/utter/notes/" + name)
            #expect(try await notes("undo").output.hasSuffix("  mine\n"))
            #expect(try await notes("undo").output.hasSuffix("  before\n"))
        }

        @Test(
            "If no sound was kept, or its folder is unknown, one sentence says how to keep the next; if nothing is heard, another says so"
        )
        func nothing() async throws {
            try keep("typed")
            let missing = try await again()
            #expect(missing.end == .exited(66) && missing.errorLines.count == 1)
            #expect(
                missing.errors.hasSuffix("; to keep that of the next: utter memo --save-audio \(sounds)\n"),
                "\(missing.errors)")
            let nowhere = try await notes("again")
            #expect(
                nowhere.end == .exited(66) && nowhere.errors.hasSuffix("utter config set memo-save-audio DIR\n"),
                "\(nowhere.errors)")
            try keep("said", samples: [Int16](repeating: 0, count: 32_000))
            let before = note
            let silent = try await again("--replace")
            #expect(
                silent.end == .exited(1) && silent.output == ""
                    && silent.errors.hasPrefix("utter: nothing is heard in \(sounds)/"))
            #expect(note == before && !FileManager.default.fileExists(atPath: sandbox.file("state/utter/undone")))
        }
    }
}
