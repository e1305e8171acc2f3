import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests of what `utter doctor` finds in the outbox, with a real queue. The command lines that it prints are run.
    @Suite struct DoctorOnTheOutbox {
        private let sandbox = Sandbox()
        private let machine: Sandbox.HealthyMachine
        private let store: OutboxStore
        private let destinations: String

        init() throws {
            machine = try sandbox.makeHealthy()
            store = OutboxStore(folder: sandbox.file("state/utter/outbox"))
            destinations = sandbox.file("config/utter/destinations.json")
            try FileManager.default.createDirectory(
                atPath: sandbox.file("config/utter"), withIntermediateDirectories: true)
        }

        private func configure(_ json: String) { sandbox.put(json, in: "config/utter/destinations.json") }

        /// Adds an operation to the queue, as `utter outbox add` does.
        private func queue(_ kind: String, age: Double = 0, _ change: (inout OutboxOperation) -> Void = { _ in }) throws
        {
            let made = Date(timeIntervalSinceNow: -age)
            let capture = CapturedText(text: "a word of mine")
            let plain = OutboxOperation(capture, id: .timeOrdered(), to: kind)
            var operation = OutboxOperation(id: plain.id, destination: kind, payload: plain.payload, createdAt: made)
            change(&operation)
            try store.enqueue(operation)
        }

        @Test("Invalid destinations are reported, and so is what is in the queue")
        func badDestinations() async throws {
            try queue("notes", age: 7200)
            let good = sandbox.put(#"{"notes": {"type": "command", "command": "cat"}}"#, in: "good.json")
            for (json, words) in [
                ("[", nil),
                (#"{"notes": 1}"#, "\(destinations): the destination 'notes' is not a JSON object with a type"),
                (
                    #"{"notes": {"type": "pigeon"}}"#,
                    "\(destinations): the destination 'notes': 'pigeon' is no type of destination: choose vault, mail, webhook or command"
                ),
            ] as [(String, String?)] {
                configure(json)
                let diagnosis = try await machine.doctor()
                #expect(diagnosis.exitCode == 69)
                let found = diagnosis.findings.filter { $0.subject == "outbox" }.map(\.finding)
                try #require(found.map(\.state) == ["broken", "lacking"])
                #expect(found[0].words == words ?? found[0].words && found[0].words.hasPrefix(destinations + ": "))
                #expect(
                    found[0].lines == ["${EDITOR:-nano} \(destinations)"] && found[1].lines == ["utter outbox drain"])
                let mended = try await machine.doctor(after: diagnosis.lines, set: ["EDITOR": "cp \(good)"])
                #expect(mended.isGreen, "\(mended.complaints) \(mended.errors)")
                try queue("notes", age: 7200)
            }
        }

        @Test(
            "Folders that let others read what was said are reported with the line that closes them, except folders that the user named"
        )
        func privacy() async throws {
            let (notes, elsewhere) = (sandbox.file("data/utter/my notes"), sandbox.file("vault"))
            configure(
                #"{"a": {"type": "vault", "folder": "\#(notes)"}, "b": {"type": "vault", "folder": "\#(elsewhere)"}}"#)
            let places = [
                notes, sandbox.file("state/utter/outbox"), sandbox.file("state/utter/memos"),
                sandbox.file("state/utter/undone"),
            ]
            // The folders above are open, whatever the umask of the tests.
            let isReachable = chmod(sandbox.path, 0o755) == 0
            for place in places + [elsewhere] {
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                #expect(chmod(place, 0o755) == 0)
            }
            let note = sandbox.put([], in: "data/utter/my notes/2025-03-08.md")
            #expect(isReachable && chmod(note, 0o644) == 0)
            let diagnosis = try await machine.doctor()
            #expect(diagnosis.exitCode == 0)
            let found = diagnosis.findings.filter { $0.subject == "privacy" }.map(\.finding)
            #expect(found.map(\.state) == ["lacking", "lacking", "lacking", "lacking"])
            #expect(
                found.map(\.words) == [
                    "notes can be read by others: \(places[0])",
                    "what waits in the outbox can be read by others: \(places[1])",
                    "memos that were cut off can be read by others: \(places[2])",
                    "memos that undo took out of their notes can be read by others: \(places[3])",
                ])
            #expect(
                diagnosis.lines == [
                    "chmod -R go= '\(places[0])'", "chmod -R go= \(places[1])", "chmod -R go= \(places[2])",
                    "chmod -R go= \(places[3])",
                ])
            let mended = try await machine.doctor(after: diagnosis.lines)
            #expect(mended.isGreen && mended["privacy"] == .fine("what was said can be read by nobody else"))
            #expect(
                sandbox.mode(of: "data/utter/my notes/2025-03-08.md") == 0o600 && sandbox.mode(of: "vault") == 0o755)
            // A file in a folder that others can't enter is private, whatever its own mode.
            #expect(chmod(notes, 0o755) == 0 && chmod(sandbox.file("data"), 0o700) == 0)
            #expect(try await machine.doctor().isGreen)
        }

        @Test("The folders of notes that are checked are those that a memo goes to")
        func vaults() async throws {
            let (one, other) = (sandbox.file("vault/one"), sandbox.file("vault/other"))
            configure(
                #"{"notes": false, "a": {"type": "vault", "folder": "\#(one)"}, "#
                    + #""b": {"type": "vault", "folder": "\#(other)", "line": "* {text}"}}"#)
            let diagnosis = try await machine.doctor("--notes", "/nowhere/at/all")
            #expect(diagnosis.exitCode == 69)
            let found = diagnosis.findings.filter { $0.subject == "notes" }.map(\.finding)
            #expect(found.map(\.state) == ["broken", "broken"])
            #expect(diagnosis.lines == ["mkdir -p \(one)", "mkdir -p \(other)"])
            #expect(try await machine.doctor("--notes", "/nowhere/at/all", after: diagnosis.lines).isGreen)
            // If everything goes elsewhere, the notes are not needed.
            configure(#"{"notes": false, "a": {"type": "command", "command": "cat"}}"#)
            let unneeded = try await machine.doctor("--notes", "/nowhere/at/all")
            #expect(unneeded.exitCode == 0 && unneeded["notes"]?.state == "lacking")
        }

        @Test(
            "Operations that fail, wait for the user or are not brought are reported with the reason, and arrive by the lines printed"
        )
        func unarrived() async throws {
            configure(
                #"{"notes": {"type": "command", "command": "exit 1"}, "file": {"type": "command", "command": "cat >> arrived"}}"#
            )
            try queue("notes", age: 7200) { operation in
                operation.attemptCount = 3
                operation.firstFailedAt = Date(timeIntervalSince1970: 1_700_000_000)
                operation.lastAttemptAt = Date()
                operation.lastError = "the command ended with exit status 1"
                operation.nextEligibleAt = Date(timeIntervalSinceNow: 500)
            }
            try queue("file") { operation in
                operation.attemptCount = 1
                operation.lastError = "the key is wrong"
                operation.waitsForUser = true
            }
            try queue("file", age: 4000)
            let diagnosis = try await machine.doctor()
            #expect(diagnosis.exitCode == 0)
            let found = diagnosis.findings.filter { $0.subject == "outbox" }.map(\.finding)
            try #require(found.map(\.state) == ["lacking", "lacking", "lacking"])
            #expect(found[0].words == "file: 1 waiting for you: the key is wrong")
            #expect(
                found[1].words.hasPrefix("file: 1 waiting since ")
                    && found[1].words.hasSuffix(", and nothing brings them"))
            #expect(
                found[2].words == "notes: 1 failing since 2023-11-14T22:13:20Z: the command ended with exit status 1")
            #expect(!diagnosis.findings.contains { $0.finding.words.contains("word of mine") })

            configure(
                #"{"notes": {"type": "command", "command": "cat"}, "file": {"type": "command", "command": "cat"}}"#)
            // If an operation is to be tried only later, the drain ends with 75.
            let lines = diagnosis.lines.map { "\($0) || [ $? = 75 ]" }
            let mended = try await machine.doctor(after: lines)
            #expect(mended.isGreen, "\(mended.complaints) \(mended.errors)")
            #expect(try store.index().ids.isEmpty)
        }

        @Test("Files that can't be read are counted and never deleted, whether they were put aside before or just now")
        func unreadable() async throws {
            try queue("notes")
            let name = UUID.timeOrdered().uuidString.lowercased() + ".json"
            sandbox.put("half a fi", in: "state/utter/outbox/" + name)
            let aside = sandbox.file("state/utter/outbox/aside")
            let first = try await machine.doctor()
            first.expectFault(
                on: "outbox", "lacking", "1 can't be read by this version of utter, and is kept in \(aside)",
                lines: ["mv \(aside) ~/utter-aside"],
                deeds: [
                    "a newer version may read them; if there is none, take them out of the queue and look into them:"
                ])
            #expect(sandbox.names(in: "state/utter/outbox/aside") == [name])
            let again = try await machine.doctor()
            #expect(again["outbox"] == first["outbox"])
            let mended = try await machine.doctor(after: again.lines)
            #expect(mended.isGreen && mended["outbox"] == .fine("1 on the way"))
            #expect(sandbox.text(of: "home/utter-aside/" + name) == "half a fi")
        }
    }
}
