import FileFaults
import Foundation
import Glibc
import Outbox
import System
import TestSupport
import Testing

@testable import utter

@Suite("Where a memo is kept")
struct MemoKeeperTests {
    private let sandbox = Sandbox()
    private var journals: String { sandbox.file("state/utter/memos") }
    private var notes: String { sandbox.file("notes") }
    private var queue: String { sandbox.file("state/utter/outbox") }
    private let begun = Moment(date: Date(timeIntervalSince1970: 1_741_440_120))

    /// Runs a memo with a keeper of its own, which is freed when this returns, as with the end of a process.
    @discardableResult
    private func memo<Value: Sendable>(
        notes location: MarkdownVault.Location? = nil, to chosen: [String] = [], begun moment: Moment? = nil,
        isToOutput: Bool = false, id: UUID? = nil, sound: MemoSound? = nil, calls: FileCalls = .system,
        _ body: (MemoKeeper) async throws -> Value
    ) async throws -> Value {
        waitUntilUnlocked(journals)
        let delivery = try delivery(to: location ?? .named(notes), chosen, calls)
        var keeper: MemoKeeper? = MemoKeeper(
            delivery, isToOutput: isToOutput, folder: journals, begun: moment ?? begun, id: id, sound: sound,
            calls: calls, drain: {})
        weak let remains = keeper
        let result: Result<Value, any Error>
        do { result = .success(try await body(keeper!)) } catch { result = .failure(error) }
        keeper = nil
        // The thread on which it ran may still hold it.
        try await Patience.wait(for: "the keeper has gone") { remains == nil }
        return try result.get()
    }

    /// A delivery with the destinations work and private besides the notes.
    ///
    /// - Parameter chosen: the destinations of `--to`.
    private func delivery(
        to notes: MarkdownVault.Location, _ chosen: [String] = [], _ calls: FileCalls = .system
    ) throws -> Delivery {
        let vault = MarkdownVault(notes, calls: calls)
        let json = [UInt8](
            #"{"work": {"type": "command", "command": "cat"}, "private": {"type": "command", "command": "cat"}}"#.utf8)
        let destinations =
            chosen.isEmpty
            ? DestinationConfiguration(localVault: vault)
            : try DestinationConfiguration(json: json, path: "", localVault: vault)
        return Delivery(OutboxStore(folder: queue, calls: calls), destinations, to: chosen, notes: notes)
    }

    /// The operations in the queue, as text and destination.
    private var queued: [String] {
        get throws {
            let store = OutboxStore(folder: queue)
            return try store.index().ids.compactMap { id in
                try store.operation(id).map { "\(CapturedText(payload: $0.payload)?.text ?? "") to \($0.destination)" }
            }
        }
    }

    /// Drains the queue, as the process in the background does.
    private func drain() async throws {
        let delivery = try delivery(to: .own(sandbox.file("usual")))
        _ = try await OutboxDrainer(store: delivery.store, handlers: delivery.destinations.handlers).run(.once)
    }

    /// The lines of the only note, without marks.
    private var noteLines: [String] {
        let names = sandbox.names(in: "notes")
        #expect(names.count <= 1)
        let note = names.first.flatMap { sandbox.text(of: "notes/" + $0) } ?? ""
        return note.split(separator: "\n").map { $0.components(separatedBy: " ^utter-")[0] }
    }

    private func line(_ text: String) -> String {
        let time = DateFormatter()
        time.dateFormat = "HH:mm"
        return "- \(time.string(from: begun.date)) \(text)"
    }

    private func clear() throws {
        for name in sandbox.names(in: "notes") { unlink(notes + "/" + name) }
        for name in journalNames { unlink(journals + "/" + name) }
        let store = OutboxStore(folder: queue)
        for id in try store.index().ids { try store.remove(id) }
    }

    private var journalNames: [String] { sandbox.names(in: "state/utter/memos") }

    @Test("A memo is one line of the day's note, and then no journal is left")
    func kept() async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("buy")
            #expect(await keeper.path(of: "buy") == journals + "/" + journalNames.line(0))
            #expect(await keeper.path(of: "buy milk") == nil)
            return try await keeper.keep("buy milk")
        }
        #expect(noteLines == [line("buy milk")])
        #expect(outcome == "kept in \(notes)/\(sandbox.names(in: "notes")[0])")
        #expect(journalNames == [])
        #expect(
            sandbox.mode(of: "notes") == 0o700 && sandbox.mode(of: "notes/" + sandbox.names(in: "notes")[0]) == 0o600)
        #expect(sandbox.mode(of: "state/utter/memos") == 0o700)
    }

    @Test("White space alone is not kept, whatever text was there before", arguments: ["", " \n\t", "\u{3000}"])
    func nothing(_ text: String) async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("a slip")
            return try await keeper.keep(text)
        }
        #expect(outcome == "nothing was said")
        #expect(sandbox.names(in: "notes") == [] && journalNames == [])
    }

    @Test("A discarded memo leaves nothing")
    func discarded() async throws {
        try await memo { keeper in
            try await keeper.record("not this")
            try await keeper.discard()
        }
        try await memo { #expect(await $0.findEarlier().cutOffAt == nil) }
        #expect(sandbox.names(in: "notes") == [] && journalNames == [])
    }

    @Test("A memo that was cut off is offered with its time, and is restored once")
    func cutOff() async throws {
        try await memo { try await $0.record("buy milk", hasGuess: true) }
        // It is not restored here, so it waits.
        let time = try await memo { await $0.findEarlier().cutOffAt }
        #expect(line("").contains(try #require(time)))
        try await memo { keeper in
            #expect(await keeper.findEarlier().cutOffAt != nil)
            // Some text is typed and deleted before it is restored.
            try await keeper.record("a slip")
            let earlier = try await keeper.restore()
            #expect(earlier?.text == "buy milk" && earlier?.mayHaveGuess == true)
            #expect(try await keeper.restore() == nil)
            try await keeper.record("buy milk and")
            _ = try await keeper.keep("buy milk and bread")
        }
        #expect(noteLines == [line("buy milk and bread")])
        #expect(journalNames == [])
        try await memo { #expect(await $0.findEarlier().cutOffAt == nil) }
    }

    @Test("A memo that was cut off is still offered if it can't be removed")
    func notDropped() async throws {
        try await memo { try await $0.record("one") }
        let faulty = FaultyCalls()
        try await memo(calls: faulty.calls) { keeper in
            #expect(await keeper.findEarlier().cutOffAt != nil)
            faulty.plan(.fromThenOn(EIO))
            await #expect(throws: (any Error).self) { try await keeper.dropEarlier() }
            #expect(await keeper.offer.cutOffAt != nil)
            faulty.plan(nil)
            try await keeper.dropEarlier()
            #expect(await keeper.offer.cutOffAt == nil)
        }
        #expect(journalNames == [])
    }

    @Test("A memo that was cut off and is not wanted is gone for good, and the next one is offered")
    func dropped() async throws {
        for text in ["one", "two"] { try await memo { try await $0.record(text) } }
        try await memo { keeper in
            #expect(await keeper.findEarlier().cutOffAt != nil)
            try await keeper.dropEarlier()
            #expect(await keeper.offer.cutOffAt != nil)
            #expect(journalNames.count == 1)
            #expect(try await keeper.restore()?.text == "two")
            try await keeper.discard()
            try await keeper.dropEarlier()
            #expect(await keeper.offer.cutOffAt == nil)
        }
        #expect(journalNames == [])
        try await memo { #expect(await $0.findEarlier().cutOffAt == nil) }
    }

    @Test("If an empty journal can't be removed, the earlier memo stays as it was")
    func restoringFails() async throws {
        try await memo { try await $0.record("earlier") }
        let faulty = FaultyCalls()
        try await memo(calls: faulty.calls) { keeper in
            _ = await keeper.findEarlier()
            try await keeper.record("a slip")
            faulty.plan(.fromThenOn(EIO))
            await #expect(throws: OutboxError.self) { try await keeper.restore() }
            faulty.plan(nil)
            try await keeper.record("another text")
            #expect(try await keeper.restore()?.text == "earlier")
        }
    }

    @Test("A memo that can't be written to the note is queued, and arrives in that same note once")
    func noteMissing() async throws {
        let away = sandbox.file("unmounted")
        let location = MarkdownVault.Location.named(away + "/notes")
        let outcome = try await memo(notes: location) { try await $0.keep("buy milk") }
        #expect(outcome.hasPrefix("kept, and on its way to notes; can't "))
        #expect(!outcome.contains("milk") && journalNames == [])
        try await drain()
        mkdir(away, 0o700)
        mkdir(away + "/notes", 0o700)
        symlink(away + "/notes", notes)
        let store = OutboxStore(folder: queue)
        for id in try store.index().ids { try store.change(id) { $0.retry() } }
        for _ in 1...2 {
            try await drain()
            #expect(noteLines == [line("buy milk")])
            #expect(try store.index().ids.isEmpty)
        }
        #expect(sandbox.names(in: "usual") == [])
    }

    @Test("A memo that neither the queue nor the note accepts stays in the journal, and a later memo delivers it once")
    func queueMissing() async throws {
        sandbox.put([], in: "state/utter/outbox")
        sandbox.put([], in: "notes")
        try await memo { keeper in
            await #expect(throws: OutboxError.self) { try await keeper.keep("buy milk") }
            #expect(await keeper.path(of: "buy milk") != nil)
        }
        try await memo { keeper in
            let found = await keeper.findEarlier()
            #expect(found.cutOffAt == nil)
            #expect(found.troubles.count == 1)
            #expect(found.troubles.line(0).hasPrefix("an earlier memo is not kept yet: \(notes) is not a folder"))
            #expect(!found.troubles.line(0).contains("milk"))
        }
        unlink(notes)
        for _ in 1...3 {
            try await memo { #expect(await $0.findEarlier().troubles == []) }
            #expect(noteLines == [line("buy milk")])
            #expect(journalNames == [])
        }
    }

    @Test(
        "What comes after an attempt that failed is kept with the next, also where the first has reached some destinations"
    )
    func moreAfterFailure() async throws {
        var failures = 0
        for place in ["work", "notes"] {
            for number in 0... {
                let chosen = ["private", place]
                let faulty = FaultyCalls()
                let isFailure = try await memo(to: chosen, calls: faulty.calls) { keeper in
                    try await keeper.record("buy milk")
                    faulty.plan(.fromThenOn(EIO), at: number)
                    do { _ = try await keeper.keep("buy milk") } catch {
                        failures += 1
                        faulty.plan(nil)
                        _ = try await keeper.keep("buy milk and bread")
                        return true
                    }
                    return false
                }
                if isFailure {
                    let texts = try queued.sorted()
                    #expect(
                        texts == chosen.filter { $0 != "notes" }.map { "buy milk and bread to \($0)" }.sorted(),
                        "\(place), call \(number)")
                    #expect(noteLines == (place == "notes" ? [line("buy milk and bread")] : []), "call \(number)")
                    #expect(journalNames == [])
                }
                try clear()
                if !isFailure { break }
            }
        }
        #expect(failures > 10)
    }

    @Test(
        "What an attempt that failed has brought to some destinations is taken back when the memo is discarded, emptied, kept elsewhere or another one is restored in its place",
        arguments: Tier.every(2, of: ["discard", "empty", "restore", "elsewhere"]))
    func takenBack(_ end: String) async throws {
        var count = 0
        for number in 0... {
            let faulty = FaultyCalls()
            if end == "restore" { try await memo { try await $0.record("earlier") } }
            let isFailure = try await memo(to: ["private", "notes"], calls: faulty.calls) { keeper in
                if end == "restore" { _ = await keeper.findEarlier() }
                try await keeper.record("buy milk")
                faulty.plan(.fromThenOn(EIO), at: number)
                guard (try? await keeper.keep("buy milk")) == nil else { return false }
                faulty.plan(nil)
                if try !queued.isEmpty || !noteLines.isEmpty { count += 1 }
                switch end {
                case "discard": try await keeper.discard()
                case "empty": #expect(try await keeper.keep("") == "nothing was said")
                case "restore":
                    #expect(try await keeper.restore()?.text == "earlier")
                    #expect(journalNames.count == 1)
                    try await keeper.discard()
                default: _ = try await keeper.keepElsewhere("buy milk", in: [sandbox.file("home")])
                }
                return true
            }
            if isFailure { #expect(try queued == [] && noteLines == [] && journalNames == [], "call \(number)") }
            try clear()
            if !isFailure { break }
        }
        #expect(count > 0)
    }

    @Test("Kept elsewhere, it is a file that only its owner may read, and the journal is removed")
    func elsewhere() async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("buy milk")
            return try await keeper.keepElsewhere(
                "buy\u{1B} milk", in: ["relative", sandbox.file("not/there"), sandbox.file("home")])
        }
        let name = "home/" + (sandbox.names(in: "home").first ?? "")
        #expect(outcome == "kept in " + sandbox.file(name) && journalNames == [])
        #expect(sandbox.text(of: name) == "buy milk\n" && sandbox.mode(of: name) == 0o600)
        // Another memo in the same second has another name.
        try await memo { _ = try await $0.keepElsewhere("buy bread", in: [sandbox.file("home")]) }
        #expect(sandbox.names(in: "home").count == 2 && sandbox.text(of: name) == "buy milk\n")
    }

    @Test("Without a place for the journal the memo still goes into the note")
    func noJournal() async throws {
        sandbox.put([], in: "state/utter/memos")
        try await memo { keeper in
            await #expect(throws: OutboxError.self) { try await keeper.record("buy") }
            let outcome = try await keeper.keep("buy milk")
            #expect(outcome.hasPrefix("kept in "))
        }
        #expect(noteLines == [line("buy milk")])
    }

    @Test("A journal whose folder was removed meanwhile does not keep the memo out of the note")
    func journalGone() async throws {
        let outcome = try await memo { keeper in
            try await keeper.record("buy")
            #expect(rename(journals, sandbox.file("elsewhere")) == 0)
            sandbox.put([], in: "state/utter/memos")
            await #expect(throws: OutboxError.self) { try await keeper.record("buy milk") }
            return try await keeper.keep("buy milk and bread")
        }
        #expect(noteLines == [line("buy milk and bread")])
        #expect(outcome.hasPrefix("kept in \(notes)/") && outcome.contains("; "))
    }

    @Test("If neither can be written, a warning says that nothing is safe")
    func nothingSafe() async throws {
        for name in ["state/utter/memos", "state/utter/outbox", "notes"] { sandbox.put([], in: name) }
        try await memo { keeper in
            let error = await #expect(throws: OutboxError.self) { try await keeper.keep("buy milk") }
            #expect(error?.path == notes)
            #expect(await keeper.path(of: "buy milk") == nil)
        }
    }

    @Test("Files that can't be read are reported")
    func unreadable() async throws {
        mkdir(journals, 0o700)
        sandbox.put("nonsense\n", in: "state/utter/memos/a.journal")
        try await memo { keeper in
            #expect(
                await keeper.findEarlier().troubles == [
                    "what an earlier memo left can't be read: \(journals)/a.journal"
                ])
        }
    }

    // MARK: Places

    /// Kills a memo after Enter, before anything is delivered.
    private func killedAfterEnter(_ text: String, notes: MarkdownVault.Location? = nil, to chosen: [String] = [])
        async throws
    {
        let faulty = FaultyCalls()
        try await memo(notes: notes, to: chosen, calls: faulty.calls) { keeper in
            try await keeper.record(text)
            faulty.plan(nil)
            // After this call the decision to keep the memo is on the disk, and nothing else.
            faulty.plan(.killed, at: 6)
            _ = try? await keeper.keep(text)
        }
        #expect(try queued == [] && journalNames.count == 1)
    }

    @Test("A kept memo goes to its own place, not to that of the next memo")
    func ownPlace() async throws {
        try await killedAfterEnter("secret", to: ["private", "notes"])
        try await memo(notes: .named(sandbox.file("others")), to: ["work"]) { keeper in
            let found = await keeper.findEarlier()
            #expect(found.troubles == [] && found.cutOffAt == nil)
            _ = try await keeper.keep("hello")
        }
        #expect(try queued == ["secret to private", "hello to work"])
        #expect(noteLines == [line("secret")] && sandbox.names(in: "others") == [] && journalNames == [])
    }

    @Test("A kept memo for the usual notes arrives there, also if the next memo has other notes")
    func usualNotes() async throws {
        let usual = MarkdownVault.Location.own(sandbox.file("notes"))
        try await killedAfterEnter("usual", notes: usual)
        try await memo(notes: .named(sandbox.file("others"))) { #expect(await $0.findEarlier().troubles == []) }
        #expect(noteLines == [line("usual")] && sandbox.names(in: "others") == [])
    }

    @Test("A memo for a destination that is not configured waits in the queue, and is reported")
    func unknownPlace() async throws {
        try await killedAfterEnter("secret", to: ["private"])
        for location in [MarkdownVault.Location.named(notes), .own(sandbox.file("notes"))] {
            try await memo(notes: location) { keeper in
                let troubles = await keeper.findEarlier().troubles
                let expected = ["an earlier memo: it waits in the outbox: there is no destination named private"]
                #expect(troubles == (location.isNamed ? expected : []))
            }
            #expect(try queued == ["secret to private"] && noteLines == [] && journalNames == [])
        }
    }

    @Test("While the destinations can't be read, a kept memo waits in the queue, even one for the notes")
    func unreadableDestinations() async throws {
        try await killedAfterEnter("secret", to: ["private", "notes"])
        waitUntilUnlocked(journals)
        let environment = sandbox.environment()
        let keeper = MemoKeeper(
            .toNotes(.named(sandbox.file("others")), environment: environment), folder: journals, begun: begun,
            drain: {})
        #expect(await keeper.findEarlier().troubles == [])
        #expect(try queued.sorted() == ["secret to notes", "secret to private"])
        #expect(noteLines == [] && sandbox.names(in: "others") == [] && journalNames == [])
        try await drain()
        #expect(noteLines == [line("secret")])
    }

    /// The sound of a memo, in a folder with this name.
    private func sound(in name: String, of id: UUID? = nil, begun moment: Moment? = nil) -> MemoSound {
        MemoSound(
            in: sandbox.file(name), of: id ?? .timeOrdered(at: begun.date), begun: moment ?? begun, sampleRate: 16_000
        ) { Issue.record("\($0)") }
    }

    @Test("The sound is kept if something was, or may have been, said, and its path is shown if no note refers to it")
    func sound() async throws {
        for (text, speech, outcome, isKept) in [
            ("said", .words, "kept in ", true), ("typed", .none, "kept in ", false),
            ("typed", .unknown, "kept in ", true),
            ("", .words, "nothing was said", false), ("", .none, "nothing was said", false),
            ("", .unknown, "nothing was understood; the sound is in \(sandbox.file("sounds"))/2025-03-08-utter-", true),
            ("typed", .unawaited, "kept in ", true),
            (
                "", .unawaited,
                "nothing is kept: the text was not waited for; the sound is in \(sandbox.file("sounds"))/2025-03-08-utter-",
                true
            ),
        ] as [(String, MemoMachine.SaidSpeech, String, Bool)] {
            let id = UUID.timeOrdered(at: begun.date)
            let moment = Moment(date: begun.date, timeZone: .gmt)
            let sound = sound(in: "sounds", of: id, begun: moment)
            sound.saver.write([1, 2, 3], at: 0)
            let keeper = MemoKeeper(
                try delivery(to: .named(notes)), folder: journals, begun: moment, id: id, sound: sound, drain: {})
            let said = try await keeper.keep(text, speech: speech)
            #expect(said.hasPrefix(outcome) && !said.contains("kept from here on"), "\(said)")
            let isUnawaited = text.isEmpty && speech == .unawaited
            #expect(said.contains("words may be missing") == (speech.isDoubtful && !isUnawaited), "\(said)")
            #expect(said.hasSuffix(".wav, and utter transcribe gives its text") == isUnawaited, "\(said)")
            #expect(
                (try MemoSound.find(id.forDestination("notes"), in: sandbox.file("sounds")) != nil) == isKept,
                "\(text) \(speech)")
        }
    }

    @Test("Where no sound is saved, a memo whose text was not waited for names no file")
    func unawaitedWithoutSound() async throws {
        try await memo { keeper in
            let said = try await keeper.keep("", speech: .unawaited)
            #expect(said == "nothing is kept: the text was not waited for")
        }
    }

    /// Leaves a memo with sound in a folder, as a killed process does.
    ///
    /// - Returns: the path of its sound.
    private func cutOff(_ text: String, soundIn name: String) async throws -> String {
        let id = UUID.timeOrdered(at: begun.date)
        let moment = Moment(date: begun.date, timeZone: .gmt)
        let sound = sound(in: name, of: id, begun: moment)
        sound.saver.write([1, 2, 3], at: 0)
        sound.saver.finish()
        try await memo(begun: moment, id: id, sound: sound) { try await $0.record(text) }
        return sound.path
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test(
        "The sound of a memo that was cut off goes with it, wherever it was begun: thrown away at once, or discarded when it is back",
        arguments: [nil, "sounds", "elsewhere"] as [String?])
    func soundOfCutOff(_ now: String?) async throws {
        func sound() -> MemoSound? { now.map { self.sound(in: $0) } }
        let dropped = try await cutOff("one", soundIn: "sounds")
        try await memo(sound: sound()) { keeper in
            #expect(await keeper.findEarlier().cutOffAt != nil)
            try await keeper.dropEarlier()
        }
        #expect(!isThere(dropped) && journalNames == [])

        let discarded = try await cutOff("two", soundIn: "sounds")
        let mine = sound()
        mine?.saver.write([4], at: 0)
        try await memo(sound: mine) { keeper in
            _ = await keeper.findEarlier()
            #expect(try await keeper.restore()?.text == "two")
            try await keeper.discard()
        }
        for folder in ["sounds", "elsewhere"] { #expect(sandbox.names(in: folder) == []) }
        #expect(!isThere(discarded) && journalNames == [])

        // Kept, it stays where it was begun, with what was said since.
        let kept = try await cutOff("three", soundIn: "sounds")
        func size() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: kept)[.size] as? Int
        }
        let before = try #require(try size())
        let more = sound()
        try await memo(sound: more) { keeper in
            _ = await keeper.findEarlier()
            _ = try await keeper.restore()
            more?.saver.write([4], at: 0)
            _ = try await keeper.keep("three", speech: .words)
        }
        #expect(isThere(kept) && sandbox.names(in: "elsewhere") == [])
        #expect(try size() == before + (now == nil ? 0 : 2))
    }

    @Test("A memo whose sound had gone gets a new file, and the journal says where that is, for the next memo")
    func soundThatMoved() async throws {
        unlink(try await cutOff("one", soundIn: "sounds"))
        let sound = sound(in: "elsewhere")
        try await memo(sound: sound) { keeper in
            _ = await keeper.findEarlier()
            _ = try await keeper.restore()
            sound.saver.write([4], at: 0)
        }
        #expect(sandbox.names(in: "elsewhere").count == 1)
        try await memo { keeper in
            _ = await keeper.findEarlier()
            try await keeper.dropEarlier()
        }
        #expect(sandbox.names(in: "elsewhere") == [] && journalNames == [])
    }

    @Test("A journal that names another file than the memo's sound has it removed by nobody")
    func foreignSound() async throws {
        let letter = sandbox.put("dear", in: "letter.wav")
        do {
            let journal = try MemoJournal.create(in: journals, begun: begun, at: .standardOutput, sound: letter)
            try journal.record("one")
        }
        try await memo { keeper in
            _ = await keeper.findEarlier()
            try await keeper.dropEarlier()
        }
        #expect(sandbox.text(of: "letter.wav") == "dear" && journalNames == [])
    }

    /// Leaves a journal of the previous version, without a place.
    private func leaveOldJournal(_ last: String) throws {
        let id = UUID.timeOrdered(at: begun.date)
        mkdir(journals, 0o700)
        let begin =
            #"{"begin":{"id":"\#(id)","secondsFromGMT":0,"startedAt":\#(begun.date.timeIntervalSince1970),"timeZone":"GMT"}}"#
        let lines = [begin, last].map { "\(CRC32.digits(of: $0.utf8)) \($0)\n" }
        sandbox.put(lines.joined(), in: "state/utter/memos/\(id.uuidString.lowercased()).journal")
    }

    @Test("A memo that the previous version kept goes to the only possible place; if there are several, it is offered")
    func withoutPlace() async throws {
        try leaveOldJournal(#"{"keep":"old"}"#)
        try await memo(notes: .own(sandbox.file("notes"))) { #expect(await $0.findEarlier().cutOffAt == nil) }
        #expect(noteLines.count == 1 && noteLines[0].hasSuffix(" old") && journalNames == [])
        for (last, count) in [(#"{"keep":"older"}"#, 1), (#"{"text":"older"}"#, 2)] {
            try leaveOldJournal(last)
            try await memo(to: ["work"]) { keeper in
                let found = await keeper.findEarlier()
                #expect(found.cutOffAt != nil && found.cutOffPlace == nil)
                _ = try await keeper.keep("hello")
            }
            #expect(try queued == ["hello to work"] && noteLines.count == 1 && journalNames.count == count)
            try OutboxStore(folder: queue).index().ids.forEach { try OutboxStore(folder: queue).remove($0) }
        }
        try await memo(to: ["work"]) { keeper in
            _ = await keeper.findEarlier()
            let restored = try await keeper.restore()
            #expect(restored?.notice == "for what it was begun is not known: Enter brings it to work")
            _ = try await keeper.keep("older")
        }
        #expect(try queued == ["older to work"] && noteLines.count == 1)
    }

    @Test("A restored memo goes to its own place, and reports that if the place is another")
    func restoredElsewhere() async throws {
        try await memo(to: ["private", "notes"]) { try await $0.record("secret") }
        try await memo(notes: .named(sandbox.file("others")), to: ["work"]) { keeper in
            #expect(await keeper.findEarlier().cutOffPlace == "private and the notes in \(notes)")
            let restored = try await keeper.restore()
            #expect(restored?.notice == "Enter brings it to private and the notes in \(notes), for which it was begun")
            let outcome = try await keeper.keep("secret!")
            #expect(outcome.hasPrefix("kept in \(notes)/"))
        }
        #expect(
            try queued == ["secret! to private"] && noteLines == [line("secret!")] && sandbox.names(in: "others") == [])

        // A memo for a pipe does not go into the notes without a message.
        try await memo(isToOutput: true) { try await $0.record("for a pipe") }
        try await memo { keeper in
            #expect(await keeper.findEarlier().cutOffPlace == "standard output")
            let restored = try await keeper.restore()
            #expect(restored?.notice == "Enter brings it to notes, though it was begun for standard output")
            _ = try await keeper.keep("for a pipe")
        }
        #expect(noteLines == [line("secret!"), line("for a pipe")])
        // A memo for a destination does not go into a pipe either.
        try await memo(to: ["private"]) { try await $0.record("more") }
        try await memo(isToOutput: true) { keeper in
            _ = await keeper.findEarlier()
            #expect(await keeper.isToOutput)
            let restored = try await keeper.restore()
            #expect(restored?.notice == "Enter brings it to private, for which it was begun")
            // So a memo that could not be kept may be tried again, which one whose reader is gone may not.
            #expect(await !keeper.isToOutput)
            _ = try await keeper.keep("more")
        }
        #expect(try queued == ["secret! to private", "more to private"] && journalNames == [])
    }

    // MARK: A failure at every call

    /// So long that the journal gets it as a change of the text before.
    private let long = "one two" + String(repeating: " and bread", count: 900)
    private var last: String { long + " three" }

    /// Runs a whole memo, until an error.
    ///
    /// - Returns: the last text that was shown to the user as safe, and whether it was kept.
    private func wholeMemo(_ keeper: MemoKeeper) async -> (safe: String?, isKept: Bool) {
        var safe: String?
        for text in ["one", "one two", long] {
            do {
                try await keeper.record(text)
                safe = text
            } catch {}
        }
        do {
            _ = try await keeper.keep(last)
            return (last, true)
        } catch {
            return (await keeper.path(of: last) == nil ? safe : last, false)
        }
    }

    @Test(
        "After a kill or an error at any call, text that was safe is in the note once after the next memo",
        arguments: Tier.every(
            3,
            of: [.killed, .once(ENOSPC), .fromThenOn(EROFS), .torn, .once(EIO)]
                as [FaultyCalls.Fault]))
    func everyCall(_ fault: FaultyCalls.Fault) async throws {
        var number = 0
        var offered = 0
        var hasPassed = false
        while !hasPassed {
            unlink(notes + "/" + (sandbox.names(in: "notes").first ?? "-"))
            let faulty = FaultyCalls()
            faulty.plan(fault, at: number)
            let (safe, isKept) = try await memo(calls: faulty.calls) { await wholeMemo($0) }
            hasPassed = faulty.names.count <= number
            for _ in 1...2 {
                try await memo { keeper in
                    let found = await keeper.findEarlier()
                    #expect(found.troubles == [])
                    guard found.cutOffAt != nil else { return }
                    offered += 1
                    #expect(!isKept)
                    let text = try #require(try await keeper.restore()).text
                    _ = try await keeper.keep(text)
                }
            }
            try await drain()
            let lines = noteLines
            #expect(lines.count <= 1, "\(fault) at call \(number)")
            if let safe { #expect(lines.first?.hasPrefix(line(safe)) == true, "\(fault) at call \(number): \(safe)") }
            #expect(lines.allSatisfy { line(last).hasPrefix($0) })
            #expect(try OutboxStore(folder: queue).index().ids.isEmpty, "\(fault) at call \(number)")
            #expect(journalNames == [], "\(fault) at call \(number)")
            number += 1
        }
        #expect(number > 30)
        if fault == .killed { #expect(offered > 5) }
    }
}
