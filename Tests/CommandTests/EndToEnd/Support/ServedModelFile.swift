import Foundation
import TestSupport

/// A file for the second pass that a server serves, and a list that names it.
final class ServedModelFile: Sendable {
    static let name = "whisper-served"

    let server: ModelServer
    let bytes: [UInt8]
    let sha256: String
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - source: the path of a model; nil for something that only begins like one.
    init(_ sandbox: Sandbox, copying source: String? = nil) async throws {
        self.sandbox = sandbox
        let folder = sandbox.file("served")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/m.gguf"
        if let source {
            try FileManager.default.copyItem(atPath: source, toPath: path)
        } else {
            sandbox.put(Array("GGUF".utf8) + (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }, in: "served/m.gguf")
        }
        bytes = [UInt8](FileManager.default.contents(atPath: path)!)
        let sum = try await Program(["sha256sum", path], environment: sandbox.environment()).finish()
        sha256 = String(sum.output.prefix(64))
        server = try await ModelServer(folder)
    }

    /// Puts a list with the file where `utter models update` does.
    ///
    /// - Parameters:
    ///   - hasChecksum: whether the list knows the SHA-256.
    ///   - more: entries besides.
    func list(_ address: String = "/plain/m.gguf", language: String = "en", hasChecksum: Bool = true, more: String = "") {
        let address = address.hasPrefix("http") ? address : server.address + address
        let checksum = hasChecksum ? #","sha256":"\#(sha256)""# : ""
        let entry = """
            {"name":"\(Self.name)","pass":"second","format":"gguf","lang":"\(language)","lang_text":"Served","languages":["\(language)"],
             "family":"whisper","quantization":"F16","times":"segment","license":"MIT","size":\(bytes.count),"url":"\(address)"\(checksum),
             "error_rates":[{"corpus":"LibriSpeech test-clean","unit":"words","percent":1.5,"source":"https://a.example/page"}]}
            """
        sandbox.put(Array("[\(entry)\(more)]".utf8), in: "data/utter/models/model-list.json")
    }

    /// Whether it is installed to its last byte.
    var isInstalled: Bool {
        FileManager.default.contents(atPath: sandbox.file("data/utter/models/\(Self.name)/model.gguf")) == Data(bytes)
    }

    /// What has come of it so far.
    var part: [UInt8] {
        [UInt8](FileManager.default.contents(atPath: sandbox.file("data/utter/models/.install/\(Self.name)/model.gguf")) ?? Data())
    }

    /// What lies in the store's folder.
    var store: [String] { sandbox.names(in: "data/utter/models") }

    /// When all is done.
    static let tidy = ["model-list.json", name]
}
