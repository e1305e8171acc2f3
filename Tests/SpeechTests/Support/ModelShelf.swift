import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// A folder for one test, with a store in `store` and files for a server in `served`.
final class ModelShelf: Sendable {
    private let folder = TemporaryFolder()
    let store: ModelStore

    var path: String { folder.path }
    var storePath: String { path + "/store" }
    var served: String { path + "/served" }

    init() throws {
        store = ModelStore(folders: [folder.file("store")])
        for path in [storePath, served] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    @discardableResult
    func put(_ bytes: [UInt8], _ name: String) throws -> String {
        let file = URL(fileURLWithPath: folder.file(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    @discardableResult
    func put(_ text: String, _ name: String) throws -> String { try put(Array(text.utf8), name) }

    /// Puts models into the store: for the first pass the built-in one under that name, for the second the beginning of a file.
    func putModels(_ names: String...) throws {
        for name in names {
            if name.hasPrefix("vosk-") {
                try FileManager.default.createSymbolicLink(
                    atPath: storePath + "/" + name, withDestinationPath: Fixture.modelPath)
            } else {
                try put(ModelFile.start, "store/\(name)/model.gguf")
            }
        }
    }

    /// Puts a list of models that comes with utter into the store.
    func putList(_ name: String) throws {
        try FileManager.default.copyItem(
            atPath: Fixture.modelPath + "/../" + name, toPath: storePath + "/" + name)
    }

    /// An entry of the catalog for a file that is served, with its checksum.
    func entry(_ name: String, _ address: String, of file: String) throws -> CatalogModel {
        let content = try ArchiveFile(path: served + "/" + file)
        return CatalogModel(
            name: name, languageName: "Test", localeIdentifier: "en-US", kind: .small, size: content.size,
            isSizeExact: true, address: address,
            checksums: [try content.checksum(.sha256, stop: ChildCancellation())], isObsolete: false,
            secondPass: file.hasSuffix(".gguf") ? Self.secondPass : nil)
    }

    func installation(_ source: ModelInstallation.Source, name: String? = nil, tools: InstallTools = InstallTools())
        -> ModelInstallation
    {
        ModelInstallation(source, name: name, checksum: nil, store: store, tools: tools)
    }

    /// The error of an installation, which there must be.
    func failure(_ source: ModelInstallation.Source, tools: InstallTools = InstallTools()) async -> SpeechError? {
        await #expect(throws: SpeechError.self) { try await installation(source, tools: tools).downloadAndInstall() }
    }

    /// What a list says of a model of the second pass.
    private static let secondPass = CatalogList(
        Data(#"[{"name":"a","url":"https://a.example/a","pass":"second","format":"gguf","lang":"en"}]"#.utf8)
    )?.models.first?.secondPass

    /// The content of every file, folder and link below a folder, by path.
    func tree(_ folder: String) throws -> [String: [UInt8]] {
        var tree: [String: [UInt8]] = [:]
        for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
            var status = stat()
            precondition(lstat(folder + "/" + name, &status) == 0)
            switch status.st_mode & S_IFMT {
            case S_IFREG: tree[name] = [UInt8](FileManager.default.contents(atPath: folder + "/" + name) ?? Data())
            case S_IFDIR: tree[name + "/"] = []
            default: tree[name + "@"] = []
            }
        }
        return tree
    }

    /// The files of an installed model, without the manifest.
    func model(_ name: String) throws -> [String: [UInt8]] {
        try tree(storePath + "/" + name).filter { !$0.key.hasSuffix("/") && $0.key != ModelManifest.name }
    }

    /// The expected result of `model` after an archive of `ZipBuilder.model()` was installed.
    static func content(of archive: ZipBuilder, top: String = "vosk-model-test/") -> [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: archive.entries.filter { $0.name.last != UInt8(ascii: "/") }.map {
                (String(String(decoding: $0.name, as: UTF8.self).dropFirst(top.count)), $0.content)
            })
    }
}
