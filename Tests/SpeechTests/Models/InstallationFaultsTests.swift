import FileFaults
import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// Each call that changes the disk fails, with a real server on loopback and the real curl, unzip and sha256sum.
@Suite("A store of models whose disk fails")
struct InstallationFaultsTests {
    /// What a model is made of.
    enum Source: Sendable {
        case archive
        case file

        var name: String { self == .archive ? "vosk-model-test" : "whisper-test" }
        var fileName: String { self == .archive ? "\(name).zip" : "\(name).gguf" }

        var content: [UInt8] {
            switch self {
            case .archive: ZipBuilder.model(name).bytes
            case .file: GGUFExample.file((0..<5000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
            }
        }
    }

    /// After the end of the process, each call fails with EIO from then on.
    private static let faults: [FaultyCalls.Fault] =
        [.killed, .once(EIO)] + [ENOSPC, EMFILE, EROFS].flatMap { [.once($0), .fromThenOn($0)] }
    private static let bystander = "vosk-model-other"
    /// Holds what the server has, and in its store the models as an installation without a fault leaves them.
    private let shelf: ModelShelf
    private let server: ModelServer

    init() async throws {
        shelf = try ModelShelf()
        server = try await ModelServer(shelf.served)
        for source in [Source.archive, .file] {
            let path = try shelf.put(source.content, "served/" + source.fileName)
            try await shelf.store.installation(ofArchive: path).downloadAndInstall()
        }
    }

    /// Does something in a new store with each fault at some of its calls, until there are no more calls. At each call is an error that
    /// comes once, the same from then on, and the end of the process; the quick tier takes one of `step` calls and a part of the faults.
    ///
    /// - Parameters:
    ///   - prepare: puts into the store what is there before.
    ///   - perform: does it with these calls.
    ///   - check: looks at the store after the fault; receives whether the work has succeeded, and the fault.
    ///   - finish: looks at the store after the work was repeated, or what else sets it right, without a fault.
    private func atEveryCall(
        step: Int, prepare: (ModelShelf) throws -> Void = { _ in },
        perform: (ModelShelf, FileCalls) async throws -> Void,
        check: (ModelShelf, _ isDone: Bool, FaultyCalls.Fault, Comment) throws -> Void,
        finish: (ModelShelf, _ isDone: Bool, Comment) async throws -> Void
    ) async throws {
        let step = Tier.count(step, long: 6)
        var random = SplitMix64(for: "calls that fail")
        let bystander = try shelf.tree(shelf.storePath + "/" + Source.archive.name)
        let faults = Tier.every(3, of: Self.faults)
        for fault in faults {
            // Each fault begins at another call, so that a sample has all parts of the work.
            var number = Int.random(in: 0..<step, using: &random)
            var isReached = true
            while isReached {
                let place = try ModelShelf()
                try copy(Source.archive.name, to: place, as: Self.bystander)
                try prepare(place)
                let faulty = FaultyCalls()
                faulty.plan(fault, at: number)
                var isDone = true
                do { try await perform(place, faulty.calls) } catch {
                    isDone = false
                    expectSentence(error, "\(fault) at call \(number)")
                }
                let names = faulty.names
                isReached = number < names.count
                let what: Comment = "\(fault) at call \(number), \(isReached ? names[number] : "none")"
                #expect(isDone || isReached, what)
                try check(place, isDone, fault, what)
                try await finish(place, isDone, what)
                #expect(try place.tree(place.storePath + "/" + Self.bystander) == bystander, what)
                number += step
            }
            #expect(number > 10)
        }
    }

    private func expectSentence(_ error: any Error, _ what: Comment) {
        let text = "\(error)"
        #expect(error is FileError || error is SpeechError, what)
        #expect(!text.isEmpty && !text.hasSuffix(".") && !text.contains(". ") && !text.contains("\n"), what)
    }

    private func copy(_ name: String, to place: ModelShelf, as copy: String? = nil) throws {
        try FileManager.default.copyItem(
            atPath: shelf.storePath + "/" + name, toPath: place.storePath + "/" + (copy ?? name))
    }

    private func names(in place: ModelShelf) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.storePath).sorted()
    }

    // MARK: An installation

    /// Installs a model where nothing is or where a part of it is missing.
    private func expectInstalled(
        _ source: Source, step: Int, overDamaged: Bool,
        _ installation: (ModelShelf, InstallTools) -> ModelInstallation
    ) async throws {
        let folder = "store/" + source.name
        let whole = try shelf.tree(shelf.path + "/" + folder)
        var damaged: [String: [UInt8]] = [:]
        try await atEveryCall(step: step) { place in
            guard overDamaged else { return }
            try copy(source.name, to: place)
            unlink(place.path + "/" + folder + (source == .archive ? "/am/final.mdl" : "/" + ModelFile.name))
            try place.put([1], folder + "/mine.txt")
            damaged = try place.tree(place.path + "/" + folder)
        } perform: { place, calls in
            var tools = InstallTools()
            tools.calls = calls
            try await installation(place, tools).downloadAndInstall()
        } check: { place, isDone, fault, what in
            let found = try place.tree(place.path + "/" + folder)
            if isDone { #expect(found == whole, what) }
            // What is there is never a part or a mixture. Where nothing works any more, a damaged model can't be moved back.
            let isGone = if case .once = fault { false } else { found.isEmpty }
            #expect(found == whole || found == damaged || isGone, what)
        } finish: { place, _, what in
            try await installation(place, InstallTools()).downloadAndInstall()
            #expect(try place.tree(place.path + "/" + folder) == whole, what)
            #expect(try names(in: place) == [Self.bystander, source.name], what)
            let model = try place.store.installedModel(for: source.name)
            #expect(try await place.store.verifyFiles(of: model) == .unchanged, what)
            for name in whole.keys {
                var status = stat()
                #expect(stat(model.path + "/" + name, &status) == 0)
                #expect(status.st_mode & 0o777 == (name.hasSuffix("/") ? 0o755 : 0o644), what)
            }
        }
    }

    @Test(
        "has a downloaded model whole or not at all, whichever call fails, and nothing else after a repeat",
        arguments: [(Source.archive, true, 47), (.file, true, 37), (.archive, false, 61)])
    func downloaded(_ source: Source, isListed: Bool, step: Int) async throws {
        let address = "\(server.address)/plain/\(source.fileName)"
        let entry = try shelf.entry(source.name, address, of: source.fileName)
        try await expectInstalled(source, step: step, overDamaged: false) { place, tools in
            place.installation(isListed ? .catalog(entry) : .address(HTTPAddress(address)!), tools: tools)
        }
    }

    @Test(
        "has a model from a local file whole, or the damaged one that was there, whichever call fails",
        arguments: [(Source.archive, 47), (.file, 37)])
    func local(_ source: Source, step: Int) async throws {
        let path = shelf.served + "/" + source.fileName
        try await expectInstalled(source, step: step, overDamaged: true) { place, tools in
            place.installation(.archive(path: path), tools: tools)
        }
    }

    // MARK: The catalog and removal

    @Test("has the old catalog or the new one, whichever call of an update fails", arguments: [false, true])
    func update(hasOld: Bool) async throws {
        func list(_ name: String) -> [UInt8] {
            Array(#"[{"name":"\#(name)","url":"https://a.example/\#(name).zip","size":77}]"#.utf8)
        }
        try shelf.put(list("vosk-model-new-1"), "served/list.json")
        let path = "store/" + ModelCatalog.fetchedName
        var tools = InstallTools()
        tools.listAddress = "\(server.address)/plain/list.json"
        try await atEveryCall(step: 23) { place in
            if hasOld { try place.put(list("vosk-model-old-1"), path) }
        } perform: { place, calls in
            tools.calls = calls
            _ = try await place.store.updateCatalog(with: tools)
        } check: { place, isDone, _, what in
            let found = place.store.catalog.models.map(\.name)
            let expected = [["vosk-model-new-1"]] + (isDone ? [] : [hasOld ? ["vosk-model-old-1"] : []])
            #expect(expected.contains(found), what)
        } finish: { place, _, what in
            tools.calls = .system
            _ = try await place.store.updateCatalog(with: tools)
            #expect(place.store.catalog.models.map(\.name) == ["vosk-model-new-1"], what)
            #expect(try names(in: place) == [ModelCatalog.fetchedName, Self.bystander], what)
        }
    }

    @Test("has a model whole or no more, whichever call of its removal fails, and a repeat removes the rest")
    func removal() async throws {
        let name = Source.archive.name
        let whole = try shelf.tree(shelf.storePath + "/" + name)
        try await atEveryCall(step: 23) { place in
            try copy(name, to: place)
            try place.put([1], "store/.install/\(name)/archive.zip")
        } perform: { place, calls in
            _ = try await place.store.remove(named: name, on: FolderTools(calls))
        } check: { place, isDone, _, what in
            let found = try place.tree(place.storePath + "/" + name)
            #expect(found.isEmpty || !isDone && found == whole, what)
        } finish: { place, isDone, what in
            if isDone {
                // The next change of the store takes what was left by a call whose failure does not matter.
                try InstallFolder.sweep(place.storePath, on: FolderTools())
            } else {
                try await place.store.remove(named: name)
            }
            #expect(try names(in: place) == [Self.bystander], what)
        }
    }
}
