import Foundation
import Glibc
import TestSupport

/// The built-in model under another name, as a zip archive that a server serves, and a list that names it.
final class ModelArchive: Sendable {
    /// The model's name, which `utter models install eo` means.
    static let name = "vosk-model-small-eo-9.9"

    let name: String
    let server: ModelServer
    let bytes: [UInt8]
    let sha256: String
    private let sandbox: Sandbox

    init(_ sandbox: Sandbox, name: String = ModelArchive.name) async throws {
        self.sandbox = sandbox
        self.name = name
        let folder = sandbox.file("served")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: sandbox.file("packed"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Sandbox.model, toPath: sandbox.file("packed/" + name))
        try await sandbox.run(
            "python3", "-c", "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2], sys.argv[3])",
            folder + "/m",
            sandbox.file("packed"), name)
        bytes = [UInt8](FileManager.default.contents(atPath: folder + "/m.zip")!)
        let sum = try await Program(["sha256sum", folder + "/m.zip"], environment: sandbox.environment()).finish()
        sha256 = String(sum.output.prefix(64))
        server = try await ModelServer(folder)
    }

    var path: String { sandbox.file("served/m.zip") }

    /// Writes a list with the archive to the place of the one that `utter models update` fetches.
    func list(_ address: String = "/plain/m.zip") {
        sandbox.put(listText(address), in: "data/utter/models/model-list.json")
    }

    func listText(_ address: String) -> String {
        let address = address.hasPrefix("http") ? address : server.address + address
        return """
            [{"lang":"eo","lang_text":"Esperanto","name":"\(Self.name)","obsolete":"false","size":\(bytes.count),"size_text":"2MiB",
              "type":"small","url":"\(address)","version":"9.9","sha256":"\(sha256)"},
             {"lang":"eo","name":"vosk-model-small-eo-0.42","obsolete":"true","type":"small","url":"\(server.address)/old.zip"}]
            """
    }

    /// Whether the model is installed with all its bytes.
    var isInstalled: Bool { isInstalled(in: "data/utter/models") }

    func isInstalled(in store: String) -> Bool {
        let manager = FileManager.default
        let (one, other) = (sandbox.file("packed/" + name), sandbox.file(store + "/" + name))
        let files = (try? manager.subpathsOfDirectory(atPath: one)) ?? []
        let there = ((try? manager.subpathsOfDirectory(atPath: other)) ?? []).filter { $0 != ".utter-manifest" }
        return !files.isEmpty && Set(files) == Set(there) && manager.fileExists(atPath: other + "/.utter-manifest")
            && files.allSatisfy {
                manager.contents(atPath: one + "/" + $0) == manager.contents(atPath: other + "/" + $0)
            }
    }

    /// The names in the store's folder.
    var store: [String] { sandbox.names(in: "data/utter/models") }

    /// The names in the store's folder after an installation.
    static let tidy = ["model-list.json", name]
}

extension Sandbox {
    func models(
        _ arguments: String..., under wrapper: [String] = [], environment: [String: String] = [:]
    ) async throws -> Program.Finished {
        try await utter(["models"] + arguments, under: wrapper, environment: environment)
    }
}
