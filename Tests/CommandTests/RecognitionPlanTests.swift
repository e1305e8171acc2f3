import Foundation
import Models
import Speech
import TestSupport
import Testing

@testable import utter

/// The plan depends on models by their names only; what is in them does not matter.
@Suite("The plan of a recognition", .needsSecondPass)
struct RecognitionPlanTests {
    private let sandbox = Sandbox()
    private let builtIn = "vosk-model-tiny-en"
    private let english = "vosk-model-small-en-us-0.15"
    private let korean = "vosk-model-small-ko-0.22"
    private let whisper = "whisper-tiny.en"

    private static let american = ["LANG": "en_US.UTF-8"]

    /// A store with models: the built-in one, and these.
    private func store(_ names: String..., chosen: [ChosenModel] = []) throws -> ModelStore {
        let folder = sandbox.file(UUID().uuidString)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["catalog.json", "second-pass.json"] {
            try FileManager.default.copyItem(atPath: Sandbox.root + "/Models/" + name, toPath: "\(folder)/\(name)")
        }
        for name in [builtIn] + names {
            if name.hasPrefix("vosk") {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/\(name)", withDestinationPath: Sandbox.model)
            } else {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                try Data("GGUF".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)/model.gguf"))
            }
        }
        var store = ModelStore(folders: [folder])
        store.chosen = chosen
        return store
    }

    private func plan(
        _ store: ModelStore, model: String? = nil, locale: String? = nil, secondPass: String? = nil,
        guess: RecognitionPlan.Guess? = nil, wantsAlternatives: Bool = false,
        _ environment: [String: String] = american
    ) throws -> RecognitionPlan {
        var options = RecognitionOptions()
        (options.model, options.locale, options.secondPass, options.guess) = (model, locale, secondPass, guess)
        return try RecognitionPlan(options, wantsAlternatives: wantsAlternatives, in: store, environment)
    }

    /// Whether a plan says this; it may add why.
    private func says(_ plan: RecognitionPlan, _ words: String) -> Bool { plan.sentence().hasPrefix(words) }

    @Test("Without a stronger model, or with none wanted, libvosk's decides, and nothing else guesses")
    func libvoskAlone() throws {
        let alone = try plan(try store())
        #expect(alone.deciding == nil && alone.speech?.name == builtIn && alone.isBuiltInByDefault)
        #expect(alone.name == builtIn && says(alone, "\(builtIn) (libvosk) cuts, guesses and decides"))
        let both = try store(whisper, english)
        let none = try plan(both, secondPass: "none")
        #expect(none.deciding == nil && none.speech?.name == english && !none.isBuiltInByDefault)
        let alternatives = try plan(both, secondPass: whisper, wantsAlternatives: true)
        #expect(alternatives.deciding == nil && alternatives.speech?.name == english)
    }

    @Test(
        "Where no model knows the language, the error names the models of both kinds, or libvosk's where no other may decide"
    )
    func noModel() throws {
        let both = try store(whisper)
        for (secondPass, names) in [(nil, "\(builtIn), \(whisper)"), ("none", builtIn)] {
            let error = #expect(throws: SpeechError.self) {
                _ = try plan(both, locale: "de", secondPass: secondPass)
            }
            #expect(
                error?.description
                    == "no model for de is installed; there are: \(names); to get one: utter models install de")
        }
    }

    @Test("Where no model of either kind has a name, the error names the models of both kinds")
    func noModelNamed() throws {
        let error = #expect(throws: SpeechError.self) { try store(whisper).installedModel(for: "whisper-base") }
        #expect(
            error?.description
                == "no model named whisper-base is installed; there are: \(builtIn), \(whisper); to get one: utter models install whisper-base"
        )
    }

    @Test("With the locale auto a model of several languages decides, and is told none")
    func detected() throws {
        let both = try store(whisper, english, "whisper-base")
        let found = try plan(both, locale: "auto")
        #expect(found.deciding?.name == "whisper-base" && found.language == nil && found.speech == nil)
        #expect(
            found.sentence(isLive: false)
                == "the detector of speech cuts, whisper-base decides (it detects the language)")
        #expect(try plan(both, locale: "auto", guess: .pauses).guesses == .atPauses)
        #expect(try plan(both, locale: "auto", secondPass: "whisper-base").deciding?.name == "whisper-base")
        let sentence = #expect(throws: SpeechError.self) { _ = try plan(try store(whisper), locale: "auto") }
        #expect(sentence?.description.contains("utter models install whisper-base") == true)
        #expect(throws: SpeechError.self) { _ = try plan(both, locale: "auto", secondPass: "none") }
        #expect(throws: SpeechError.self) { _ = try plan(both, locale: "auto", guess: .first) }
        #expect(throws: SpeechError.self) { _ = try plan(both, locale: "auto", wantsAlternatives: true) }
    }

    @Test("Of several languages that are named, the model detects which is spoken")
    func severalNamed() throws {
        let both = try store(whisper, english, "whisper-base")
        for locale in ["de,en", "German, en-US", "de_AT,de,en"] {
            let found = try plan(both, locale: locale)
            #expect(found.deciding?.name == "whisper-base" && found.languages == ["de", "en"] && found.language == nil)
            #expect(
                found.sentence(isLive: false)
                    == "the detector of speech cuts, whisper-base decides (it detects the language: de or en)")
        }
        #expect(try plan(both, locale: "de,auto").languages == [])
        let one = try plan(both, locale: "de-AT,de-CH")
        #expect(one.languages == ["de"] && one.language == "de" && one.deciding?.name == "whisper-base")
        func refusal(_ store: ModelStore, _ locale: String) -> String? {
            #expect(throws: SpeechError.self) { _ = try plan(store, locale: locale) }?.description
        }
        // A comma too many is no other language.
        #expect(try plan(both, locale: "de,").languages == ["de"])
        #expect(refusal(both, ",")?.contains(", is not a known language") == true)
        #expect(refusal(both, "de,klingon")?.contains("klingon is not a known language") == true)
        // A code that no model knows is named, and no model is advised that is there.
        #expect(refusal(both, "de,tlh") == "no model that detects which language is spoken knows tlh")
        #expect(refusal(both, "en,yue")?.hasSuffix("; to get one: utter models install whisper-large-v3-turbo") == true)
        // Canary knows both, and must be told which is spoken.
        #expect(refusal(try store("canary-180m-flash"), "de,en")?.contains("can tell de, en from each other") == true)
    }

    @Test("A language has its code, and its name in English, in itself and in the language of the user's locale")
    func languageNames() throws {
        let store = try store()
        let catalog = store.catalog
        for name in ["en", "English", "englisch"] {
            #expect(catalog.language(name, of: ["LANG": "de_DE.UTF-8"])?.language == "en")
        }
        #expect(catalog.language("Deutsch", of: [:])?.language == "de" && catalog.language("Englisch", of: [:]) == nil)
        #expect(RecognitionPlan.unknownLanguage(in: "de, Klingon", store) == "Klingon")
        #expect(RecognitionPlan.unknownLanguage(in: ",", store) == ",")
        #expect(RecognitionPlan.isDetected(" Auto") && !RecognitionPlan.isDetected("de"))
        for known in ["auto", " AUTO", "de,auto", "German, tlh"] {
            #expect(RecognitionPlan.unknownLanguage(in: known, store) == nil)
        }
    }

    @Test(
        "A code that is that of no language is refused, with the one that is meant by a country's or by three letters")
    func codes() throws {
        let models = try store()
        func refusal(_ locale: String) -> String? {
            #expect(throws: SpeechError.self) { _ = try plan(models, locale: locale) }?.description
        }
        for (code, meant) in [
            ("kr", "ko"), ("jp", "ja"), ("cz", "cs"), ("dk", "da"), ("at", "de"), ("us", "en"), ("KR", "ko"),
            ("jp-JP", "ja"), ("deu", "de"), ("kor", "ko"),
        ] {
            #expect(refusal(code) == "\(code) is not a known language; did you mean \(meant)?")
        }
        for code in ["xx", "qqq", "zz"] {
            #expect(refusal(code) == "\(code) is not a known language; see all with: utter models list")
        }
        #expect(refusal("de,xx") == "xx is not a known language; see all with: utter models list")
        // These are languages, or the list of models has them as such.
        for code in ["ga", "gsw", "se", "tlh"] {
            #expect(
                refusal(code)
                    == "no model for \(code) is installed; there are: \(builtIn); see what there is with: utter models list"
            )
        }
        for code in ["cn", "ua", "gr", "vn"] {
            #expect(refusal(code)?.contains("; to get one: utter models install ") == true, "\(code)")
        }
    }

    @Test(
        "A named model hears the language of the locale, if the list or its file says that it knows that, and else English"
    )
    func named() throws {
        let models = try store(whisper, "mine", "whisper-base")
        let path = models.folders[0] + "/mine/model.gguf"
        try Data(GGUFExample.file([1], languages: ["en", "de"])).write(to: URL(fileURLWithPath: path))
        for secondPass in ["mine", path, "whisper-base", whisper] {
            for (locale, language) in [("de_DE.UTF-8", "de"), ("en_US.UTF-8", "en"), ("ko_KR.UTF-8", "ko")] {
                let named = try plan(models, secondPass: secondPass, ["LANG": locale])
                let knows =
                    language == "de" && secondPass != whisper || language == "ko" && secondPass == "whisper-base"
                #expect(named.language == (knows ? language : "en"), "\(secondPass) \(locale)")
            }
        }
    }

    @Test("Where nothing says which language is spoken, a model that detects it does; a locale or a choice says it")
    func noLocale() throws {
        let both = try store(whisper, "whisper-base")
        for environment in [["LANG": "C.UTF-8"], [:]] {
            let found = try plan(both, environment)
            #expect(found.deciding?.name == "whisper-base" && found.language == nil && found.languages == [])
            #expect(try plan(both, locale: "en", environment).languages == ["en"])
            #expect(try plan(both, secondPass: whisper, environment).languages == ["en"])
        }
        #expect(try plan(both).languages == ["en"])
        #expect(try plan(both, ["LANG": "de_DE.UTF-8"]).languages == ["de"])
        let chosen = try store(
            whisper, "whisper-base", chosen: [ChosenModel(pass: .second, language: "en", name: whisper)])
        let ofChosen = try plan(chosen, [:])
        #expect(ofChosen.deciding?.name == whisper && ofChosen.languages == ["en"])
    }

    @Test("A stronger model decides and guesses, and the built-in one of libvosk is not even loaded beside it")
    func strongerAlone() throws {
        for environment in [Self.american, ["LANG": "C.UTF-8"], [:]] {
            let plan = try plan(try store(whisper), environment)
            #expect(plan.deciding?.name == whisper && plan.speech == nil && plan.guesses == .rolling)
            #expect(plan.language == "en" && !plan.isBuiltInByDefault && plan.name == whisper)
            #expect(
                says(plan, "the detector of speech cuts, \(whisper) guesses while you speak, \(whisper) decides"))
        }
        // Also where its user names it, which says which language is spoken.
        let named = try plan(try store(whisper), model: builtIn, [:])
        #expect(named.deciding?.name == whisper && named.speech == nil)
    }

    @Test("A good model of libvosk guesses too, if it is for the language that is spoken or its user names it")
    func libvoskGuesses() throws {
        let fitting = try plan(try store(whisper, english))
        #expect(fitting.deciding?.name == whisper && fitting.speech?.name == english && fitting.guesses == .rolling)
        let other = try plan(try store(whisper, korean))
        #expect(other.deciding?.name == whisper && other.speech == nil && other.language == "en")
        let named = try plan(try store(whisper, korean), model: korean, secondPass: whisper)
        #expect(named.deciding?.name == whisper && named.speech?.name == korean && named.language == "ko")
    }

    @Test("--guess overrides who guesses; the built-in model does only if it is asked for")
    func guesses() throws {
        let both = try store(whisper, english)
        let first = try plan(both, guess: .first)
        #expect(first.speech?.name == english && first.guesses == .atPauses)
        #expect(
            says(
                first,
                "the detector of speech cuts, \(english) (libvosk) guesses, \(whisper) guesses at pauses, \(whisper) decides"
            ))
        let builtIn = try plan(try store(whisper), guess: .first)
        #expect(builtIn.speech?.isBuiltIn == true && builtIn.guesses == .atPauses)
        let second = try plan(both, guess: .second)
        #expect(second.speech == nil && second.guesses == .rolling)
        let pauses = try plan(both, guess: .pauses)
        #expect(pauses.speech == nil && pauses.guesses == .atPauses)
        let none = try plan(both, guess: RecognitionPlan.Guess.none)
        #expect(none.speech == nil && none.guesses == .none)
        #expect(says(none, "the detector of speech cuts, nothing guesses, \(whisper) decides"))
        for plan in [first, second, pauses, none] { #expect(plan.deciding?.name == whisper) }
    }

    @Test(
        "The language is what the user says, or else the machine's if a model knows it, or else that of libvosk's model"
    )
    func language() throws {
        let german = "whisper-tiny"
        let models = try store(whisper, german, korean)
        #expect(try plan(models, locale: "en-GB", ["LANG": "de_DE.UTF-8"]).deciding?.name == whisper)
        #expect(try plan(models, locale: "ko").language == "ko")
        let ofMachine = try plan(models, ["LANG": "de_DE.UTF-8"])
        #expect(ofMachine.language == "de" && ofMachine.deciding?.name == german && ofMachine.speech == nil)
        // LC_ALL is stronger than LANG.
        #expect(try plan(models, ["LANG": "de_DE.UTF-8", "LC_ALL": "en_US.UTF-8"]).language == "en")
        // No model knows it: those for English are used, never one for any other language.
        let unknown = try plan(try store(whisper, korean), ["LANG": "eo"])
        #expect(unknown.language == "en" && unknown.deciding?.name == whisper && unknown.speech == nil)
        // Nothing says which language is spoken.
        #expect(try plan(models, ["LANG": "C"]).language == "ko")
        // A model that the user has chosen for it says it too, and then is the one that guesses.
        let chosen = try store(
            whisper, korean, chosen: [ChosenModel(pass: .first, language: "ko", name: korean)])
        let plan = try plan(chosen, ["LANG": "C"])
        #expect(plan.language == "ko" && plan.deciding == nil && plan.speech?.name == korean)
    }

    @Test("The plan says why it is for a language, and warns where that is not the locale's")
    func reasons() throws {
        func reason(_ plan: RecognitionPlan) -> Substring { plan.sentence().split(separator: "(language: ").last ?? "" }
        let models = try store(whisper, korean)
        #expect(reason(try plan(models)) == "en, that of your locale)")
        #expect(reason(try plan(models, locale: "ko")) == "ko, as it is set)")
        #expect(reason(try plan(models, model: korean)) == "ko, that of the named model)")
        #expect(reason(try plan(models, ["LANG": "C"])) == "ko, that of the installed models)")
        let chosen = try store(korean, chosen: [ChosenModel(pass: .first, language: "ko", name: korean)])
        let ofChosen = try plan(chosen)
        #expect(reason(ofChosen) == "ko, as chosen with utter models use)" && ofChosen.warning("x") == nil)

        for models in [models, try store(korean), try store()] {
            for secondPass in [nil, "none"] {
                let english = try plan(models, secondPass: secondPass)
                #expect(english.language == "en" && english.warning("x") == nil && english.speech?.name != korean)
                let german = try plan(models, secondPass: secondPass, ["LANG": "de_DE.UTF-8"])
                #expect(reason(german) == "en, since no installed model knows de, that of your locale)")
                #expect(
                    german.warning("utter models install de")
                        == "no installed model knows de, the language of your locale, so \(german.name) hears en; "
                        + "to install one: utter models install de; to hear en always: utter config set locale en")
                #expect(german.speech?.name != korean)
            }
        }
    }

    @Test("A model that is named and is not there is an error; one of libvosk that is not needed may be missing")
    func missing() throws {
        let models = try store(whisper)
        #expect(throws: SpeechError.self) { try plan(models, secondPass: "nonesuch") }
        #expect(throws: SpeechError.self) { try plan(models, model: "nonesuch") }
        #expect(throws: SpeechError.self) { try plan(models, locale: "fr") }
        // English is spoken, for which libvosk has only the built-in model.
        #expect(try plan(models, locale: "en-US").deciding?.name == whisper)
        // Without any of libvosk's, the locale of the machine says which language is spoken.
        let bare = try store(whisper)
        try FileManager.default.removeItem(atPath: bare.folders[0] + "/" + builtIn)
        #expect(try plan(bare).deciding?.name == whisper)
        #expect(throws: SpeechError.self) { try plan(bare, guess: .first) }
        #expect(throws: SpeechError.self) { try plan(bare, secondPass: "none") }
    }
}
