import Foundation
import TestSupport

/// A file for the second pass that a server serves, and a list that names it.
final class ServedModelFile: Sendable {
    static let name = "whisper-served"

    let server: ModelServer
    let bytes: [UInt8]
    let sha256: String
    private let sandbox: Sandbox

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - sandbox: the sandbox with the file and the store.
    ///   - source: the path of a model; nil for a file that is as long as its table of contents says, and no model.
    init(_ sandbox: Sandbox, copying source: String? = nil) async throws {
        self.sandbox = sandbox
        let folder = sandbox.file("served")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/m.gguf"
        if let source {
            try FileManager.default.copyItem(atPath: source, toPath: path)
        } else {
            sandbox.put(
                GGUFExample.file((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }),
                in: "served/m.gguf")
        }
        bytes = [UInt8](FileManager.default.contents(atPath: path)!)
        let sum = try await Program(["sha256sum", path], environment: sandbox.environment()).finish()
        sha256 = String(sum.output.prefix(64))
        server = try await ModelServer(folder)
    }

    /// Writes a list with the file to the place of the one that `utter models update` fetches.
    ///
    /// - Parameters:
    ///   - address: the file's path on the server, or another address.
    ///   - language: the model's language.
    ///   - hasChecksum: whether the list has the SHA-256.
    ///   - more: further entries.
    func list(_ address: String = "/plain/m.gguf", language: String = "en", hasChecksum: Bool = true, more: String = "")
    {
        let address = address.hasPrefix("http") ? address : server.address + address
        let checksum = hasChecksum ? #","sha256":"\#(sha256)""# : ""
        let entry = """
            {"name":"\(Self.name)","pass":"second","format":"gguf","lang":"\(language)","lang_text":"Served","languages":["\(language)"],
             "family":"whisper","quantization":"F16","times":"segment","license":"MIT","size":\(bytes.count),"url":"\(address)"\(checksum),
             "error_rates":[{"corpus":"LibriSpeech test-clean","unit":"words","percent":1.5,"source":"https://a.example/page"}]}
            """
        sandbox.put("[\(entry)\(more)]", in: "data/utter/models/model-list.json")
    }

    /// Whether the file is installed with all its bytes.
    var isInstalled: Bool {
        FileManager.default.contents(atPath: sandbox.file("data/utter/models/\(Self.name)/model.gguf")) == Data(bytes)
    }

    /// The part of the file that was downloaded so far.
    var part: [UInt8] {
        [UInt8](
            FileManager.default.contents(atPath: sandbox.file("data/utter/models/.install/\(Self.name)/model.gguf"))
                ?? Data())
    }

    /// The names in the store's folder.
    var store: [String] { sandbox.names(in: "data/utter/models") }

    /// The names in the store's folder after an installation.
    static let tidy = ["model-list.json", name]
}
