import Foundation
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("The asset inventory")
struct AssetInventoryTests {
    private static let name = "vosk-model-small-eo-9.9"

    /// A server of one model of Esperanto, which is in the shelf's list. The path determines how it serves the archive.
    private static func server(of shelf: ModelShelf, path: String) async throws -> ModelServer {
        let server = try await ModelServer(shelf.served)
        let archive = ZipBuilder.model(name).bytes
        try shelf.put(archive, "served/m.zip")
        let sum = try shelf.entry(name, server.address, of: "m.zip").checksums[0].hexadecimal
        let list =
            #"[{"name":"\#(name)","url":"\#(server.address)/\#(path)/m.zip","lang":"eo","type":"small","size":\#(archive.count),"sha256":"\#(sum)"}]"#
        try shelf.put(Array(list.utf8), "store/model-list.json")
        return server
    }

    @Test(
        "knows whether a model is unsupported, supported, downloading or installed, and returns a request that installs it"
    )
    func states() async throws {
        let shelf = try ModelShelf()
        let server = try await Self.server(of: shelf, path: "hold-once/100")
        let store = shelf.store

        let esperanto = [ModelReference(named: Self.name), ModelReference(locale: Locale(identifier: "eo"))]
        for model in [
            ModelReference(named: "vosk-model-none"), ModelReference(locale: Locale(identifier: "tlh")),
            ModelReference(path: "/nowhere"),
        ] {
            #expect(AssetInventory.status(of: model, in: store) == .unsupported)
            #expect(throws: SpeechError.self) { try AssetInventory.installationRequest(for: model, in: store) }
        }
        for model in esperanto { #expect(AssetInventory.status(of: model, in: store) == .supported) }
        #expect(store.catalog.supportedLocales.map(\.identifier) == ["eo"] && store.installedLocales.isEmpty)

        let request = try #require(try AssetInventory.installationRequest(for: esperanto[1], in: store))
        let task = Task { try await request.downloadAndInstall() }
        try await server.wait(for: "held 100")
        for model in esperanto { #expect(AssetInventory.status(of: model, in: store) == .downloading) }
        task.cancel()
        _ = await task.result
        #expect(AssetInventory.status(of: esperanto[0], in: store) == .supported)

        try await request.downloadAndInstall()
        for model in esperanto {
            #expect(AssetInventory.status(of: model, in: store) == .installed)
            #expect(try AssetInventory.installationRequest(for: model, in: store) == nil)
        }
        #expect(store.installedLocales.map(\.identifier) == ["eo"])
        #expect(try store.installedModel(for: "eo").origin == .own)
        #expect(AssetInventory.Status.unsupported < .supported && AssetInventory.Status.downloading < .installed)
    }

    @Test(
        "answers for several modules as Apple's does: with the lowest status of their models, and a request that installs those"
    )
    func modules() async throws {
        let shelf = try ModelShelf()
        let server = try await Self.server(of: shelf, path: "plain")
        try shelf.putModels("vosk-model-de-1")

        func transcriber(_ locale: String) -> SpeechTranscriber {
            SpeechTranscriber(locale: Locale(identifier: locale), preset: .transcription)
        }
        let (german, esperanto, klingon) = (transcriber("de"), transcriber("eo"), transcriber("tlh"))
        for (modules, status) in [
            ([], .installed), ([german], .installed), ([esperanto], .supported), ([german, esperanto], .supported),
            ([klingon, esperanto], .unsupported),
        ] as [([SpeechTranscriber], AssetInventory.Status)] {
            #expect(await AssetInventory.status(forModules: modules, in: shelf.store) == status)
        }
        #expect(try await AssetInventory.assetInstallationRequest(supporting: [german], in: shelf.store) == nil)
        await #expect(throws: SpeechError.self) {
            try await AssetInventory.assetInstallationRequest(supporting: [german, klingon], in: shelf.store)
        }
        let request = try #require(
            try await AssetInventory.assetInstallationRequest(supporting: [german, esperanto], in: shelf.store))
        try await request.downloadAndInstall()
        #expect(request.progress.isFinished && request.progress.fractionCompleted == 1)
        #expect(request.installations.map(\.progress.isFinished) == [true])
        withExtendedLifetime(server) {}
        #expect(await AssetInventory.status(forModules: [german, esperanto], in: shelf.store) == .installed)
        #expect(
            try await AssetInventory.assetInstallationRequest(supporting: [german, esperanto], in: shelf.store) == nil)
    }

    @Test("returns a finished progress after an installation, however it ended")
    func lateFollower() async throws {
        let shelf = try ModelShelf()
        let failed = try shelf.store.installation(ofArchive: shelf.path + "/none.zip")
        await #expect(throws: (any Error).self) { try await failed.downloadAndInstall() }
        for await _ in failed.progressUpdates {}
        let done = try shelf.store.installation(ofArchive: try shelf.put(ZipBuilder.model(Self.name).bytes, "m.zip"))
        try await done.downloadAndInstall()
        var last: InstallationProgress?
        for await progress in done.progressUpdates { last = progress }
        #expect(last?.phase == .installed)
    }

}
