import Foundation
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("The choice among the models of the second pass")
struct SecondPassFilesTests {
    private let shelf: ModelShelf
    private let files: SecondPassFiles

    init() throws {
        shelf = try ModelShelf()
        files = SecondPassFiles(libraryFolders: [], store: shelf.store)
        try shelf.putList(ModelCatalog.secondPassName)
    }

    private func refusal(_ reference: String) -> String? { speechError { try files.model(reference) }?.description }

    @Test("takes the model with the fewest errors of those that know the language and keep up with speech")
    func rule() throws {
        #expect(files.model(forLanguage: "en") == nil)
        for (name, english, german) in [
            // The list does not have this model, so its languages are unknown.
            ("my-own", nil, nil), ("my-own.en", "my-own.en", nil), ("whisper-tiny.en", "whisper-tiny.en", nil),
            // This model is slower than speech, so it is used only if there is no other.
            ("whisper-large-v3-turbo", "whisper-tiny.en", "whisper-large-v3-turbo"),
            ("whisper-tiny", "whisper-tiny.en", "whisper-tiny"),
            ("whisper-base.en", "whisper-base.en", "whisper-tiny"),
            ("sensevoice-small", "sensevoice-small", "whisper-tiny"),
            ("parakeet-tdt_ctc-110m", "parakeet-tdt_ctc-110m", "whisper-tiny"),
            ("parakeet-tdt-0.6b-v3", "parakeet-tdt-0.6b-v3", "parakeet-tdt-0.6b-v3"),
        ] as [(String, String?, String?)] {
            try shelf.putModels(name)
            #expect(files.model(forLanguage: "en-us")?.name == english, "\(name)")
            #expect(files.model(forLanguage: "de")?.name == german, "\(name)")
        }
        #expect(files.model(forLanguage: "ja")?.name == "sensevoice-small" && files.model(forLanguage: "eo") == nil)
    }

    @Test("knows the languages of a model that is not in the list from its file, also whether it detects one")
    func ownLanguages() throws {
        try shelf.putModels("my-own")
        #expect(files.model(forLanguage: "de") == nil && shelf.store.model(detecting: []) == nil)
        func put(_ name: String, _ languages: [String], architecture: String = "whisper") throws {
            try shelf.put(
                GGUFExample.file([1], architecture: architecture, languages: languages), "store/\(name)/model.gguf")
        }
        try put("my-canary", ["de", "fr"], architecture: "canary")
        #expect(files.model(forLanguage: "fr")?.name == "my-canary" && files.model(forLanguage: "en") == nil)
        #expect(shelf.store.model(detecting: []) == nil)
        try put("many", ["en", "de"])
        #expect(files.model(forLanguage: "en")?.name == "many" && files.model(forLanguage: "ko") == nil)
        #expect(shelf.store.model(detecting: ["de", "en"])?.name == "many")
        let path = shelf.storePath + "/many/model.gguf"
        #expect(files.knows("many", "de") && files.knows(path, "de") && !files.knows(path, "ko"))
        #expect(!files.knows("my-own", "en") && !files.knows("nonesuch", "en"))
        // What the list says of a name counts, and what a file that is cut off says before that.
        try put("whisper-tiny.en", ["de"])
        #expect(!files.knows("whisper-tiny.en", "de"))
        for count in [0, 30, 100] {
            try shelf.put(Array(GGUFExample.file([], languages: ["ko", "ja"]).prefix(count)), "store/many/model.gguf")
            #expect(!files.knows("many", "ja"), "\(count)")
        }
    }

    @Test("skips what is no model, and without a list takes the one that setup makes, for English only")
    func broken() throws {
        try shelf.put("<html>", "store/parakeet-tdt_ctc-110m/model.gguf")
        try shelf.putModels("whisper-tiny.en")
        #expect(files.model(forLanguage: "en")?.name == "whisper-tiny.en")
        try FileManager.default.removeItem(atPath: shelf.storePath + "/" + ModelCatalog.secondPassName)
        #expect(files.model(forLanguage: "en")?.name == "whisper-tiny.en" && files.model(forLanguage: "de") == nil)
    }

    @Test(
        "accepts a name or the path of a file or a folder, and reports what to type instead for a model of the first pass"
    )
    func references() throws {
        try shelf.putModels("my-own")
        let folder = shelf.storePath + "/my-own"
        for reference in ["my-own", folder, folder + "/model.gguf"] {
            #expect(try files.model(reference) == folder + "/model.gguf")
        }
        try shelf.putModels("vosk-model-de-1")
        let end = "is a model of the first pass, which gives text while you speak; to use it: --model "
        for reference in ["vosk-model-de-1", shelf.storePath + "/vosk-model-de-1"] {
            #expect(refusal(reference) == "\(reference) \(end)\(reference)")
        }
        #expect(refusal("nonesuch") == "no model named nonesuch is installed for the second pass; there are: my-own")
        let known = refusal("whisper-base")
        #expect(
            known?.hasSuffix("there are: my-own; to get one: utter models install whisper-base") == true,
            "\(known ?? "")")
        #expect(refusal("/nonexistent.gguf")?.hasSuffix("give the path of a GGUF file") == true)
    }

    @Test("is separate from the first pass: there a name, folder or file is refused with what to type instead")
    func asFirst() throws {
        try shelf.putModels("my-own")
        let folder = shelf.storePath + "/my-own"
        let end =
            "is a model of the second pass, which decodes again what the first pass has heard; to use it: --second-pass "
        for reference in ["my-own", "whisper-base"] {
            let error = #expect(throws: SpeechError.self) {
                try ModelReference(named: reference).resolved(in: shelf.store)
            }
            #expect(error?.description == "\(reference) \(end)\(reference)")
        }
        for path in [folder, folder + "/model.gguf"] {
            #expect(ModelFolder(path: path).problem?.description == "\(path) \(end)\(path)")
        }
        #expect(shelf.store.installed.isEmpty && shelf.store.installed(for: .second).map(\.name) == ["my-own"])
        #expect(AssetInventory.status(of: ModelReference(named: "whisper-base"), in: shelf.store) == .unsupported)
    }
}
