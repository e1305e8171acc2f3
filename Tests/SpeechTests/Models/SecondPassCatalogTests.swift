import Foundation
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("The catalog of the second pass")
struct SecondPassCatalogTests {
    private static let folder = Fixture.modelPath + "/.."
    private let catalog = ModelCatalog(folders: [Self.folder])

    private func read(_ entries: String...) -> CatalogList? {
        CatalogList(Data("[\(entries.joined(separator: ","))]".utf8))
    }

    private func entry(_ name: String, _ more: String) -> String {
        #"{"name":"\#(name)","url":"https://a.example/\#(name)"\#(more)}"#
    }

    @Test("that comes with utter is read to its last entry and member")
    func shipped() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/" + ModelCatalog.secondPassName))
        let list = try #require(CatalogList(data))
        #expect(list.refusedCount == 0)
        #expect(list.models.count == (try JSONSerialization.jsonObject(with: data) as? [Any])?.count)
        for model in list.models {
            let traits = try #require(model.secondPass)
            #expect(
                model.pass == .second && model.isRecognizer && model.isSizeExact && model.license != nil
                    && model.details != nil)
            #expect(model.checksums.map(\.algorithm) == [.sha256])
            #expect(
                traits.family != nil && traits.quantization == "Q8_0" && traits.times != nil
                    && !traits.languages.isEmpty)
            #expect(model.wordErrorRate != nil && traits.speed?.source != nil)
            #expect(model.errorRates.allSatisfy { $0.source != nil && $0.corpus != nil })
            #expect(catalog.model(named: model.name) == model)
        }
        // Both passes are there, and a language still means a model of the first.
        #expect(Set(catalog.models.map(\.pass)) == [.first, .second])
        #expect(try catalog.model(for: "en-us").name == "vosk-model-small-en-us-0.15")
        #expect(try catalog.model(for: "Parakeet-TDT_CTC-110m").pass == .second)
        #expect(catalog.models(for: Locale(identifier: "de-DE")).contains { $0.name == "parakeet-tdt-0.6b-v3" })
        #expect(!catalog.supportedLocales.map(\.identifier).contains("en"))
    }

    @Test("reads an entry without a pass as for the first, and skips one with an unknown pass or format")
    func passes() throws {
        let list = try #require(
            read(
                entry("vosk-model-a", ""), entry("b", #","pass":"first""#),
                entry("c", #","pass":"second","format":"gguf""#),
                entry("d", #","pass":"third","format":"gguf""#), entry("e", #","pass":"second","format":"onnx""#),
                entry("f", #","pass":"second""#), entry("g", #","pass":2"#)))
        #expect(list.models.map(\.name) == ["vosk-model-a", "b", "c"] && list.refusedCount == 4)
        #expect(list.models.map(\.pass) == [.first, .first, .second])
    }

    @Test("ignores invalid members of an entry")
    func odd() throws {
        let list = try #require(
            read(
                entry(
                    "a",
                    #","pass":"second","format":"gguf","lang":"en","languages":["de","de",7],"error_rates":"none","speed":{"times_real_time":-1},"family":3"#
                ),
                entry(
                    "b",
                    #","pass":"second","format":"gguf","languages":["de","x","DE"],"error_rates":[{"percent":2},{"corpus":"c","unit":"words","percent":1.5},{"corpus":"c","unit":"words","percent":-1}]"#
                )))
        let traits = list.models.compactMap(\.secondPass)
        #expect(traits.map(\.languages) == [["en"], ["de"]])
        #expect(list.models.map(\.wordErrorRate) == [nil, 1.5] && traits[0].speed == nil && traits[0].family == nil)
    }

    @Test("is not hidden by an older version's list of the first pass, nor changed by the official list")
    func hidden() throws {
        let shelf = try ModelShelf()
        let official = [entry("vosk-model-new-1", ""), entry("whisper-tiny.en", #","lang":"en","type":"small""#)]
            .joined(separator: ",")
        try shelf.put(Array("[\(entry("vosk-model-old-1", ""))]".utf8), "store/catalog.json")
        try shelf.put(Array("[\(official)]".utf8), "store/model-list.json")
        let store = ModelStore(folders: [shelf.storePath, Self.folder])
        let names = store.catalog.models.map(\.name)
        #expect(
            names.contains("vosk-model-old-1") && names.contains("vosk-model-new-1")
                && names.contains("parakeet-tdt_ctc-110m"))
        #expect(store.catalog.model(named: "whisper-tiny.en") == catalog.model(named: "whisper-tiny.en"))
        // A mirror may have other models of the second pass, and newer ones.
        let newer = entry("whisper-tiny.en", #","pass":"second","format":"gguf","lang":"en","size":5"#)
        try shelf.put(Array("[\(newer)]".utf8), "store/model-list.json")
        #expect(store.catalog.model(named: "whisper-tiny.en")?.address == "https://a.example/whisper-tiny.en")
    }

    @Test(
        "has one standard model for each language: the one for the fewest languages",
        arguments: [
            ("en-us", "parakeet-tdt_ctc-110m"), ("en", "parakeet-tdt_ctc-110m"), ("de", "canary-180m-flash"),
            ("pt_BR.UTF-8", "parakeet-tdt-0.6b-v3"), ("cn", "sensevoice-small"), ("ja", "sensevoice-small"),
            ("hi", "whisper-small"),
            ("eo", nil), ("klingon", nil),
        ] as [(String, String?)])
    func recommended(_ language: String, _ name: String?) {
        #expect(catalog.secondPassModel(for: language)?.name == name)
    }

    @Test(
        "has a standard model that the machine can bear: fast enough, and in half of its memory",
        arguments: [
            ("hi", 16 << 30, 1, "whisper-small"), ("hi", 16 << 30, 0.5, "whisper-base"),
            ("hi", 16 << 30, 0.2, "whisper-tiny"), ("hi", 16 << 30, 0.01, "whisper-tiny"),
            ("fi", 16 << 30, 0.5, "parakeet-tdt-0.6b-v3"), ("fi", 1 << 30, 0.5, "whisper-base"),
            ("fi", 1 << 20, 1, "whisper-tiny"), ("en", 16 << 30, 0.1, "moonshine-streaming-tiny"),
        ] as [(String, Int, Double, String)])
    func fitting(_ language: String, _ memory: Int, _ speed: Double, _ name: String) {
        let machine = Machine(memory: memory, speed: speed)
        #expect(catalog.secondPassModel(for: language, on: machine)?.name == name)
    }
}
