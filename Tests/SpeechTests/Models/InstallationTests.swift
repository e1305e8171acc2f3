import Foundation
import Glibc
import Observation
import Synchronization
import System
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// Tests with a real server on loopback and the real curl and unzip.
@Suite("The installation of a model")
struct InstallationTests {
    private static let name = "vosk-model-test"
    private let shelf: ModelShelf
    private let server: ModelServer
    private let archive = Self.archive
    private static let builder: ZipBuilder = {
        var builder = ZipBuilder.model()
        // A file of some size, in which no part equals another.
        builder.entries.append(
            ZipBuilder.Entry(
                "vosk-model-test/graph/words.txt", (0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }))
        return builder
    }()
    /// The archive, which is made once, since without optimization its checksum takes a second.
    private static let archive = builder.bytes

    init() async throws {
        shelf = try ModelShelf()
        server = try await ModelServer(shelf.served)
        try shelf.put(archive, "served/m.zip")
    }

    private func entry(_ path: String) throws -> CatalogModel {
        try shelf.entry(Self.name, server.address + path, of: "m.zip")
    }

    private func install(_ path: String, tools: InstallTools = InstallTools()) async throws -> ModelInstallation.Outcome
    {
        try await shelf.installation(.catalog(try entry(path)), tools: tools).downloadAndInstall()
    }

    private func expectInstalled() throws {
        #expect(try shelf.model(Self.name) == ModelShelf.content(of: Self.builder))
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.storePath) == [Self.name])
    }

    /// The size of the part that was downloaded; nil when there is none.
    private var partSize: Int? {
        (try? FileManager.default.attributesOfItem(atPath: shelf.storePath + "/.install/\(Self.name)/archive.zip"))?[
            .size] as? Int
    }

    private func failure(_ path: String, tools: InstallTools = InstallTools()) async throws -> SpeechError? {
        await shelf.failure(.catalog(try entry(path)), tools: tools)
    }

    @Test(
        "works with every server that has the archive, and downloads it once",
        arguments: Tier.every(
            2,
            of: [
                "/plain", "/weak", "/untagged", "/norange", "/unsized", "/changing", "/redirect/302/plain",
                "/redirect/307/redirect/301/plain",
            ]))
    func plain(_ mode: String) async throws {
        let outcome = try await install(mode + "/m.zip")
        #expect(!outcome.wasInstalled && outcome.model.path == shelf.storePath + "/" + Self.name)
        try expectInstalled()
        #expect(server.requests.filter { $0.hasPrefix("GET \(mode)") }.count == 1)
        let count = server.requests.count
        #expect(try await install(mode + "/m.zip").wasInstalled)
        #expect(server.requests.count == count)
    }

    @Test("continues by itself when a server breaks off again and again, and requests only what is missing")
    func cuts() async throws {
        _ = try await install("/cut/70000/m.zip")
        try expectInstalled()
        let tag = try #require(server.requests.last?.split(separator: "if-range=").last)
        #expect(tag.hasPrefix("\""))
        #expect(
            server.requests
                == ["GET /cut/70000/m.zip range=None if-range=None"]
                + (1...(archive.count / 70_000)).map {
                    "GET /cut/70000/m.zip range=bytes=\($0 * 70_000)- if-range=\(tag)"
                })
    }

    @Test(
        "continues also without a tag, if there are a size and a checksum to verify it",
        arguments: ["/weak-cut", "/untagged-cut"])
    func cutsUntagged(_ mode: String) async throws {
        _ = try await install("\(mode)/150000/m.zip")
        try expectInstalled()
        #expect(
            server.requests
                == ["None", "bytes=150000-", "bytes=300000-"].map {
                    "GET \(mode)/150000/m.zip range=\($0) if-range=None"
                })
    }

    @Test("gives up when a server delivers no more than before")
    func noProgress() async throws {
        let error = try await failure("/norange-cut/150000/m.zip")
        #expect(error == SpeechError(.networkUnavailable, "127.0.0.1 broke off the download"))
        #expect(server.requests.count == 2)
        #expect(shelf.store.installed.isEmpty)
    }

    @Test(
        "starts over if the server has no ranges, sends another one, or has another archive by now",
        arguments: [
            ("/norange", nil), ("/wrong-range", nil), ("/wrong-total", nil), ("/norange", "\"old\""),
            ("/changing", "\"old\""),
            ("/plain", "\"old\""), ("/weak", "\"old\""),
        ] as [(String, String?)])
    func startsOver(_ mode: String, _ tag: String?) async throws {
        let entry = try entry("\(mode)/m.zip")
        // A part of another file, with its tag.
        try leavePart([UInt8](repeating: 7, count: 1000), PartialFile.Note(address: entry.address, tag: tag).text)
        _ = try await shelf.installation(.catalog(entry)).downloadAndInstall()
        try expectInstalled()
        #expect(server.requests.first == "GET \(mode)/m.zip range=bytes=1000- if-range=\(tag ?? "None")")
        #expect(server.requests.count == (mode.hasPrefix("/wrong") ? 2 : 1))
    }

    private func leavePart(_ bytes: [UInt8], _ note: String?) throws {
        let path = "store/.install/\(Self.name)/archive.zip"
        try shelf.put(bytes, path)
        if let note { try shelf.put(note, path + ".note") }
    }

    @Test("discards a part whose bytes are wrong, once the checksum shows it, and starts over")
    func wrongPart() async throws {
        let entry = try entry("/untagged/m.zip")
        // A power failure can leave a part of the right length whose bytes are zero.
        try leavePart(
            Array(archive[..<2000]) + [UInt8](repeating: 0, count: 3000),
            PartialFile.Note(address: entry.address, tag: nil).text)
        _ = try await shelf.installation(.catalog(entry)).downloadAndInstall()
        try expectInstalled()
        #expect(
            server.requests == [
                "GET /untagged/m.zip range=bytes=5000- if-range=None", "GET /untagged/m.zip range=None if-range=None",
            ])
    }

    @Test("does not continue a part without a note of its origin")
    func unknownPart() async throws {
        let entry = try entry("/plain/m.zip")
        for note in [nil, "", "garbage", "http://other.example/m.zip\n\"tag\"\n"] as [String?] {
            try leavePart(Array(archive[..<5000]), note)
            _ = try await shelf.installation(.catalog(entry)).downloadAndInstall()
            #expect(server.requests.last == "GET /plain/m.zip range=None if-range=None")
            try expectInstalled()
            try await shelf.store.remove(named: Self.name)
        }
    }

    @Test("refuses a download that is not the archive, with a reason, and keeps nothing of it")
    func refused() async throws {
        for (path, reason) in [
            ("/page", "web page instead of a zip archive"), ("/page-as-zip/m.zip", "bytes where the list says"),
            ("/corrupt/0/m.zip", "not a zip archive"), ("/corrupt/9000/m.zip", "SHA256 is not the one"),
            ("/short/10/m.zip", "bytes where the list says"), ("/long/10/m.zip", "bytes where the list says"),
        ] {
            let error = try await failure(path)
            #expect(error?.code == .archiveRefused, "\(path)")
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
            #expect(try shelf.tree(shelf.storePath).isEmpty, "\(path)")
        }
        // The next installation works.
        _ = try await install("/plain/m.zip")
        try expectInstalled()
    }

    @Test("ends with a server that breaks off and then always has another archive")
    func noSense() async throws {
        let error = try await failure("/wrong-range-cut/150000/m.zip")
        #expect(error == SpeechError(.networkUnavailable, "127.0.0.1 sends answers that contradict each other"))
        #expect(server.requests.count == 4)
        #expect(shelf.store.installed.isEmpty)
    }

    @Test("reports the server's answer")
    func statuses() async throws {
        for (path, code, reason) in [
            ("/status/404", .downloadRefused, "does not have it (404)"),
            ("/status/403", .downloadRefused, "refuses to send it (403)"),
            ("/status/503", .networkUnavailable, "can't serve it now (503)"),
            ("/status/418", .downloadRefused, "status 418"), ("/loop", .downloadRefused, "in a circle"),
            ("/garbage", .downloadRefused, "does not speak HTTP"),
            ("/status/999", .networkUnavailable, "does not answer in HTTP"),
            ("/cut/0/m.zip", .networkUnavailable, "broke off"),
        ] as [(String, SpeechError.Code, String)] {
            let error = try await failure(path)
            #expect(error?.code == code, "\(path)")
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("127.0.0.1") == true)
        }
        #expect(shelf.store.installed.isEmpty)
    }

    @Test("refuses addresses that are not secure, and archives that can't be verified")
    func unsafe() async throws {
        var entry = try entry("/plain/m.zip")
        entry.address = "file:///etc/passwd"
        let address = await shelf.failure(.catalog(entry))
        #expect(address == SpeechError(.noModel, "the list of models has no safe address or checksum for \(Self.name)"))

        entry = try self.entry("/plain/m.zip")
        entry.checksums = []
        try shelf.put(
            Array(#"[{"name":"\#(Self.name)","url":"\#(entry.address)","lang":"en-us"}]"#.utf8), "served/list.json")
        var tools = InstallTools()
        tools.listAddress = "\(server.address)/plain/list.json"
        let error = await shelf.failure(.catalog(entry), tools: tools)
        #expect(
            error?.description
                == "the official list has no checksum for \(Self.name), so it is not installed; download \(entry.address) yourself and give it with --from"
        )
        #expect(server.requests.count == 1 && shelf.store.installed.isEmpty)
    }

    @Test("ends when a server falls silent", arguments: ["/stall", "/silent"])
    func stalled(_ path: String) async throws {
        var tools = InstallTools()
        #expect(tools.curl.stallLimit == 30)
        tools.curl.stallLimit = 1
        var stalling = try entry(path)
        (stalling.size, stalling.isSizeExact) = (nil, false)
        let error = await shelf.failure(.catalog(stalling), tools: tools)
        #expect(error?.code == .networkUnavailable)
        #expect(
            error?.description
                == (path == "/stall" ? "127.0.0.1 sent nothing for 1 seconds" : "127.0.0.1 did not answer in time"))
    }

    @Test("reports a missing network in one sentence")
    func offline() async throws {
        let closed = try shelf.entry(Self.name, "http://127.0.0.1:1/m.zip", of: "m.zip")
        let error = await shelf.failure(.catalog(closed))
        #expect(error == SpeechError(.networkUnavailable, "127.0.0.1 can't be reached; there may be no network"))
    }

    @Test("reports which program is missing, and how to get it")
    func missingPrograms() async throws {
        var tools = InstallTools()
        tools.curl.program = "utter-has-no-such-program"
        let error = try await failure("/plain/m.zip", tools: tools)
        #expect(error?.code == .programMissing)
        #expect(error?.description.contains("install it with: apt install") == true)
    }

    @Test("checks the room on the disk first, and again before it unpacks")
    func room() async throws {
        var tools = InstallTools()
        tools.freeSpace = { _ in 1_000_000 }
        let error = try await failure("/plain/m.zip", tools: tools)
        #expect(error?.code == .insufficientSpace)
        #expect(
            error?.description.contains("MB are free there; make room") == true
                && error?.description.contains(shelf.storePath) == true)
        #expect(try shelf.tree(shelf.storePath).isEmpty)
        let calls = Mutex(0)
        tools.freeSpace = { _ in
            calls.withLock {
                $0 += 1; return $0 == 1 ? 1 << 40 : 1000
            }
        }
        #expect(try await failure("/plain/m.zip", tools: tools)?.code == .insufficientSpace)
        // The download is intact, and is kept until there is room.
        #expect(partSize == archive.count)
        let count = server.requests.count
        _ = try await install("/plain/m.zip")
        #expect(server.requests.count == count)
        try expectInstalled()
    }

    @Test("downloads a model once for several callers at once")
    func atOnce() async throws {
        let entry = try entry("/plain/m.zip")
        let outcomes = try await withThrowingTaskGroup(of: ModelInstallation.Outcome.self) { group in
            for _ in 0..<4 {
                group.addTask { [shelf] in try await shelf.installation(.catalog(entry)).downloadAndInstall() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { !$0.wasInstalled }.count == 1)
        #expect(server.requests.count == 1)
        try expectInstalled()
    }

    @Test("that is cancelled ends at once, and the next one continues")
    func cancelled() async throws {
        let entry = try entry("/hold-once/200000/m.zip")
        let installation = shelf.installation(.catalog(entry))
        let task = Task { try await installation.downloadAndInstall() }
        try await server.wait(for: "held 200000")
        // The bytes that were sent may still be on their way.
        try await Patience.wait(for: "something of it is on the disk") { partSize ?? 0 > 0 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(shelf.store.installed.isEmpty)
        let part = try #require(partSize)
        #expect(part > 0)
        try await shelf.installation(.catalog(entry)).downloadAndInstall()
        #expect(server.requests.last?.contains("range=bytes=\(part)-") == true, "\(server.requests)")
        try expectInstalled()
    }

    @Test("that waits for another one can be cancelled")
    func cancelledWait() async throws {
        let entry = try entry("/plain/m.zip")
        let held = try InstallFolder.lock(
            Self.name, in: shelf.storePath, on: FolderTools(), stop: ChildCancellation()
        ) {}
        let installation = shelf.installation(.catalog(entry))
        let task = Task { try await installation.downloadAndInstall() }
        for await progress in installation.progressUpdates where progress.phase == .waiting { break }
        #expect(InstallFolder.isLocked(Self.name, in: shelf.storePath))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        withExtendedLifetime(held) {}
    }

    @Test("reports its progress to streams and observers, to the last byte")
    func progress() async throws {
        let installation = shelf.installation(.catalog(try entry("/plain/m.zip")))
        #expect(installation.progress.phase == .idle)
        let isObserved = Mutex(false)
        withObservationTracking {
            _ = installation.progress
        } onChange: {
            isObserved.withLock { $0 = true }
        }
        let following = Task {
            var phases: [InstallationProgress.Phase] = []
            for await progress in installation.progressUpdates where phases.last != progress.phase {
                phases.append(progress.phase)
            }
            return phases
        }
        try await installation.downloadAndInstall()
        #expect(isObserved.withLock { $0 })
        #expect(installation.progress.phase == .installed)
        let order = InstallationProgress.Phase.allCases
        let phases = await following.value
        #expect(phases.last == .installed)
        #expect(phases.map { order.firstIndex(of: $0)! } == phases.map { order.firstIndex(of: $0)! }.sorted())
    }

    @Test("replaces a model only if a part of it is missing")
    func broken() async throws {
        _ = try await install("/plain/m.zip")
        unlink(shelf.storePath + "/\(Self.name)/am/final.mdl")
        try shelf.put([1], "store/\(Self.name)/mine.txt")
        #expect(try await !install("/plain/m.zip").wasInstalled)
        try expectInstalled()
    }

    @Test("fetches the official list if the catalog has no checksum")
    func listed() async throws {
        var entry = try entry("/plain/m.zip")
        let checksum = entry.checksums[0].hexadecimal
        entry.checksums = []
        let listed =
            #"[{"name":"\#(Self.name)","url":"\#(entry.address)","size":\#(archive.count),"sha256":"\#(checksum)","lang":"en-us","type":"small"}]"#
        try shelf.put(Array(listed.utf8), "served/list.json")
        var tools = InstallTools()
        tools.listAddress = "\(server.address)/plain/list.json"
        #expect(try await !shelf.installation(.catalog(entry), tools: tools).downloadAndInstall().wasInstalled)
        #expect(server.requests.map { $0.split(separator: " ")[1] } == ["/plain/list.json", "/plain/m.zip"])
        #expect(try shelf.store.catalog.model(for: "en-us").checksums.map(\.hexadecimal) == [checksum])
    }
}
