import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// Tests with a real server on loopback and the real curl and sha256sum.
@Suite("The installation of a model of the second pass")
struct FileInstallationTests {
    private static let name = "whisper-test"
    /// A file of some size, in which no part equals another.
    private static let file = GGUFExample.file((0..<400_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
    private let shelf: ModelShelf
    private let server: ModelServer

    init() async throws {
        shelf = try ModelShelf()
        server = try await ModelServer(shelf.served)
        try shelf.put(Self.file, "served/m.gguf")
    }

    private func entry(_ path: String, checksum: Bool = true, size: Bool = true) throws -> CatalogModel {
        var entry = try shelf.entry(Self.name, server.address + path, of: "m.gguf")
        if !checksum { entry.checksums = [] }
        if !size { (entry.size, entry.isSizeExact) = (nil, false) }
        return entry
    }

    private func install(_ entry: CatalogModel, tools: InstallTools = InstallTools()) async throws
        -> ModelInstallation.Outcome
    {
        try await shelf.installation(.catalog(entry), tools: tools).downloadAndInstall()
    }

    /// Checks the file's bytes and its permissions, and that there is no other file.
    private func expectInstalled(_ name: String = Self.name) throws {
        #expect(try shelf.model(name) == [ModelFile.name: Self.file])
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.storePath) == [name])
        var (file, folder) = (stat(), stat())
        #expect(
            stat(shelf.storePath + "/\(name)/model.gguf", &file) == 0
                && stat(shelf.storePath + "/" + name, &folder) == 0)
        #expect(file.st_mode & 0o777 == 0o644 && folder.st_mode & 0o777 == 0o755)
        #expect(
            try ModelManifest.of(modelAt: shelf.storePath + "/" + name)?.files.map(\.sum)
                == entry("").checksums.map { .sha256($0) })
    }

    @Test(
        "works with every server that has the file, also if it redirects to another host, and downloads it once",
        arguments: [
            ("/plain", 1), ("/weak", 1), ("/norange", 1), ("/unsized", 1), ("/redirect/302/plain", 2),
            ("/other-host/302/plain", 2),
            ("/other-host/307/redirect/301/plain", 3),
        ])
    func plain(_ mode: String, _ requests: Int) async throws {
        let outcome = try await install(entry(mode + "/m.gguf"))
        #expect(!outcome.wasInstalled && outcome.verification == .known && outcome.model.pass == .second)
        try expectInstalled()
        #expect(try await install(entry(mode + "/m.gguf")).wasInstalled)
        #expect(server.requests.count == requests)
        let model = try #require(shelf.store.installed(for: .second).first)
        #expect(try await shelf.store.verifyFiles(of: model) == .unchanged)
    }

    @Test(
        "refuses a file that is whole and no model of speech, wherever it is from, and keeps nothing of it",
        arguments: ["silero_vad", nil])
    func noSpeech(_ architecture: String?) async throws {
        let reason = architecture.map { "its architecture is \($0)" } ?? "it names no architecture"
        let path = shelf.path + "/vad.gguf"
        try shelf.put(GGUFExample.file([1, 2, 3], architecture: architecture), "vad.gguf")
        try shelf.put(GGUFExample.file([1, 2, 3], architecture: architecture), "served/vad.gguf")
        for installation in [
            try shelf.store.installation(ofArchive: path),
            try shelf.store.installation(fromAddress: server.address + "/plain/vad.gguf"),
        ] {
            let error = await #expect(throws: SpeechError.self) { try await installation.downloadAndInstall() }
            #expect(error?.code == .archiveRefused && error?.description.hasSuffix(reason) == true, "\(error as Any)")
            #expect(try shelf.tree(shelf.storePath).isEmpty)
        }
    }

    @Test("refuses a download that is not the file, with a reason, and keeps nothing of it")
    func refused() async throws {
        for (path, reason) in [
            ("/page", "web page instead of a GGUF file"), ("/corrupt/0/m.gguf", "not a GGUF file"),
            ("/corrupt/9000/m.gguf", "the file's SHA256 is not the one"),
            ("/status/404", "does not have it (404); a newer utter may have a newer list"),
        ] {
            let error = await shelf.failure(.catalog(try entry(path)))
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
            #expect(try shelf.tree(shelf.storePath).isEmpty)
        }
        // The next installation works.
        _ = try await install(entry("/plain/m.gguf"))
        try expectInstalled()
    }

    @Test(
        "uses the server's checksum if the list has none, or reports that there is none",
        arguments: [
            ("/hub/plain", .server("127.0.0.1")), ("/digest", .server("127.0.0.1")),
            ("/old-digest", .server("127.0.0.1")),
            ("/plain", .impossible),
        ] as [(String, DownloadVerification)])
    func unlisted(_ mode: String, _ verification: DownloadVerification) async throws {
        #expect(try await install(entry(mode + "/m.gguf", checksum: false)).verification == verification)
        try expectInstalled()
    }

    @Test("refuses a file without the server's checksum", arguments: ["/wrong-hub/plain", "/wrong-digest"])
    func wrongServerChecksum(_ mode: String) async throws {
        let error = await shelf.failure(.catalog(try entry(mode + "/m.gguf", checksum: false)))
        #expect(
            error?.code == .archiveRefused
                && error?.description.hasPrefix("the file's SHA256 is not the one it must have") == true)
        #expect(try shelf.tree(shelf.storePath).isEmpty)
        // The list's checksum takes precedence over the server's.
        #expect(try await install(entry(mode + "/m.gguf")).verification == .known)
    }

    @Test(
        "of a file that is called as in every model's folder has the folder's name, unless another is given or a model can't have that"
    )
    func folderName() async throws {
        try shelf.put(Self.file, "served/model.gguf")
        for (folder, given, name) in [
            ("whisper-mine", nil, "whisper-mine"), ("whisper-mine", "mine", "mine"), ("my own", nil, "model"),
        ] as [(String, String?, String)] {
            let path = try shelf.put(Self.file, "\(folder)/model.gguf")
            let installed = try await shelf.store.installation(ofArchive: path, name: given).downloadAndInstall()
            #expect(installed.model.name == name && !installed.wasInstalled)
        }
        let web = try shelf.store.installation(fromAddress: server.address + "/plain/model.gguf")
        #expect(try await web.downloadAndInstall().model.name == "plain")
    }

    @Test("refuses half a file, from a server that says no length and from the disk, and keeps nothing of it")
    func half() async throws {
        let error = await shelf.failure(.catalog(try entry("/unsized/150000/m.gguf", checksum: false, size: false)))
        let words = "is cut off: it has 150000 of \(Self.file.count) bytes"
        #expect(error?.code == .archiveRefused && error?.description == "what 127.0.0.1 sent \(words)")
        let path = try shelf.put(Array(Self.file.prefix(150_000)), "half.gguf")
        let local = await shelf.failure(.archive(path: path))
        #expect(local?.code == .archiveRefused && local?.description == "\(path) \(words)")
        #expect(try shelf.tree(shelf.storePath).isEmpty)
        // One that was put there by hand is not chosen, and verify finds it.
        try shelf.put(Array(Self.file.prefix(150_000)), "store/half/model.gguf")
        let model = try shelf.store.installedModel(for: "half")
        let refused = #expect(throws: SpeechError.self) { try model.checkFiles() }
        #expect(refused?.code == .modelIncomplete && refused?.description.contains(words) == true)
        await #expect(throws: SpeechError.self) { try await shelf.store.verifyFiles(of: model) }
        _ = try await install(entry("/unsized/m.gguf", checksum: false, size: false))
        #expect(try shelf.model(Self.name) == [ModelFile.name: Self.file])
    }

    @Test("sweeps what killed installations left beside a part that can be continued, and nothing that is in use")
    func litter() async throws {
        for (name, file) in [
            ("part", "model.gguf"), ("part", "model.gguf.note"), ("part", "model.gguf.note.new-1x"),
            ("gone", "archive.zip.note.new-2y"), ("used", "model.gguf.note.new-3z"),
        ] {
            try shelf.put([1], "store/.install/\(name)/\(file)")
        }
        let lock = open(shelf.storePath + "/.install/used", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        _ = try await install(entry("/plain/m.gguf"))
        let left = FileManager.default.enumerator(atPath: shelf.storePath + "/.install")?.compactMap { $0 as? String }
        #expect(
            left?.sorted() == [
                "part", "part/model.gguf", "part/model.gguf.note", "used", "used/model.gguf.note.new-3z",
            ])
    }

    @Test("does not request a complete download again, unless only the server can verify it")
    func whole() async throws {
        for isKnown in [true, false] {
            let entry = try entry("/hub/plain/m.gguf", checksum: isKnown)
            let path = "store/.install/\(Self.name)/model.gguf"
            try shelf.put(Self.file, path)
            try shelf.put(PartialFile.Note(address: entry.address, tag: nil).text, path + ".note")
            _ = try await install(entry)
            try expectInstalled()
            #expect(server.requests.isEmpty == isKnown)
            try await shelf.store.remove(named: Self.name)
        }
    }

    @Test("reports beforehand if the disk has too little room: the file is not unpacked, and takes its size once")
    func room() async throws {
        var tools = InstallTools()
        tools.freeSpace = { _ in Self.file.count + (16 << 20) - 1 }
        let error = await shelf.failure(.catalog(try entry("/plain/m.gguf")), tools: tools)
        #expect(error?.code == .insufficientSpace)
        tools.freeSpace = { _ in Self.file.count + (16 << 20) }
        _ = try await install(entry("/plain/m.gguf"), tools: tools)
        try expectInstalled()
    }

    @Test("accepts a local file or an address, under its name or a given one, but not that of another model")
    func from() async throws {
        let path = shelf.served + "/m.gguf"
        #expect(try await shelf.store.installation(ofArchive: path).downloadAndInstall().model.name == "m")
        try expectInstalled("m")
        try await shelf.store.remove(named: "m")
        let fetched = try await shelf.store.installation(fromAddress: server.address + "/digest/m.gguf", name: "mine")
            .downloadAndInstall()
        #expect(fetched.verification == .server("127.0.0.1"))
        try expectInstalled("mine")
        let wrong = try shelf.store.installation(
            ofArchive: path, checksum: Checksum(.sha256, String(repeating: "0", count: 64)))
        await #expect(throws: SpeechError.self) { try await wrong.downloadAndInstall() }
        let page = try shelf.store.installation(ofArchive: try shelf.put(Array("<html>".utf8), "page.gguf"))
        #expect(
            await #expect(throws: SpeechError.self) { try await page.downloadAndInstall() }?.description.hasSuffix(
                "is not a GGUF file")
                == true)
        try shelf.putModels("vosk-model-de-1")
        let taken = try shelf.store.installation(ofArchive: path, name: "vosk-model-de-1")
        let error = await #expect(throws: SpeechError.self) { try await taken.downloadAndInstall() }
        #expect(error?.description.contains("is a model of the first pass; give this one another name") == true)
        #expect(shelf.store.installed.map(\.name) == ["vosk-model-de-1"])
    }

    @Test("can be repeated when verify finds the file changed, cut or lost")
    func verify() async throws {
        _ = try await install(entry("/plain/m.gguf"))
        let model = try #require(shelf.store.installed(for: .second).first)
        for (bytes, words) in [
            (Self.file.dropLast() + [0], "has files that are not what was installed: model.gguf"),
            (Self.file.dropLast(), "model.gguf"),
            ([], "is not a GGUF file"), (nil, "lacks model.gguf; remove it and install it again"),
        ] as [([UInt8]?, String)] {
            if let bytes {
                try shelf.put(bytes, "store/\(Self.name)/model.gguf")
            } else {
                unlink(model.path + "/model.gguf")
            }
            let error = await #expect(throws: SpeechError.self) { try await shelf.store.verifyFiles(of: model) }
            #expect(
                error?.code == .modelIncomplete && error?.description.contains(words) == true,
                "\(error?.description ?? "")")
        }
        // The pass of a missing file is still known by its name.
        #expect(try shelf.store.installedModel(for: Self.name).pass == .second)
        _ = try await install(entry("/plain/m.gguf"))
        try expectInstalled()
    }
}
