import Foundation
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("The catalog")
struct CatalogTests {
    private static let shipped = Fixture.modelPath + "/../" + ModelCatalog.shippedName
    private let catalog = ModelCatalog(folders: [Fixture.modelPath + "/.."])

    private func read(_ json: String) -> CatalogList? { CatalogList(Data(json.utf8)) }

    private func reason(_ reference: String) -> SpeechError? { speechError { try catalog.model(for: reference) } }

    @Test("that comes with utter is read to its last entry")
    func shipped() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Self.shipped))
        let list = try #require(CatalogList(data))
        #expect(list.refusedCount == 0)
        #expect(list.models.count == (try JSONSerialization.jsonObject(with: data) as? [Any])?.count)
        for model in list.models {
            #expect(model.address == "https://alphacephei.com/vosk/models/\(model.name).zip")
            #expect(model.size != nil && model.license != nil && model.details?.hasSuffix(".") == true)
            #expect(
                model.isRecognizer == (model.localeIdentifier != nil && !model.name.contains("recasepunc")),
                "\(model.name)")
            #expect(model.checksums.isEmpty || model.isSizeExact)
            // The description mentions error rates too.
            #expect(model.errorRates.isEmpty == (model.details?.contains("rror rate") != true), "\(model.name)")
            for rate in model.errorRates {
                #expect(model.details?.contains("\(rate.percent)") == true, "\(model.name)")
            }
        }
        #expect(catalog.model(named: "vosk-model-small-en-us-0.15")?.checksums.first?.algorithm == .sha256)
    }

    @Test(
        "finds a model by its name, by a part of it, and by a locale or a language, which stands for the small model",
        arguments: [
            ("vosk-model-en-us-0.22", "vosk-model-en-us-0.22"), ("en-us-0.22", "vosk-model-en-us-0.22"),
            ("Small-EN-us-0.15", "vosk-model-small-en-us-0.15"), ("en-us", "vosk-model-small-en-us-0.15"),
            ("en_US.UTF-8", "vosk-model-small-en-us-0.15"), ("en-IN", "vosk-model-small-en-in-0.4"),
            ("de", "vosk-model-small-de-0.15"), ("de-AT", "vosk-model-small-de-0.15"),
            ("zh-Hans-CN", "vosk-model-small-cn-0.22"),
            ("cn", "vosk-model-small-cn-0.22"), ("vi", "vosk-model-small-vn-0.4"), ("kk", "vosk-model-small-kz-0.15"),
            ("el", "vosk-model-el-gr-0.7"), ("pt-BR", "vosk-model-small-pt-0.3"),
            ("ar-tn", "vosk-model-small-ar-tn-0.1-linto"),
            ("vosk-model-small-de-zamia-0.3", "vosk-model-small-de-zamia-0.3"),
            ("ar", "vosk-model-ar-0.22-linto-1.1.0"), ("german", "vosk-model-small-de-0.15"),
            ("Deutsch", "vosk-model-small-de-0.15"), ("US English", "vosk-model-small-en-us-0.15"),
            ("gigaspeech", "vosk-model-en-us-0.42-gigaspeech"), ("parakeet-tdt_ctc", "parakeet-tdt_ctc-110m"),
        ])
    func found(_ reference: String, _ name: String) throws {
        #expect(try catalog.model(for: reference).name == name)
    }

    @Test("finds a model by its exact name even if another name has the same end, or differs only in letter case")
    func exactName() throws {
        let entries = ["vosk-model-a", "a", "A"].map { #"{"name":"\#($0)","url":"https://a.example/\#($0).zip"}"# }
        for entries in [entries, entries.reversed()] {
            let catalog = ModelCatalog(models: try #require(read("[\(entries.joined(separator: ","))]")).models)
            for name in ["vosk-model-a", "a", "A"] { #expect(try catalog.model(for: name).name == name) }
            #expect(try catalog.model(for: "VOSK-MODEL-A").name == "vosk-model-a")
        }
    }

    @Test("answers an ambiguous name with the choices")
    func ambiguous() {
        let english = reason("en")
        #expect(english?.code == .ambiguousModel)
        #expect(
            english?.description
                == "en means several models; name one of them: vosk-model-small-en-us-0.15 (US English), "
                + "vosk-model-small-en-in-0.4 (Indian English)")
        let ukrainian = reason("uk")
        #expect(ukrainian?.code == .ambiguousModel)
        #expect(ukrainian?.description.contains("vosk-model-small-uk-v3-nano") == true)
        for reference in ["lgraph", "english"] { #expect(reason(reference)?.code == .ambiguousModel) }
    }

    @Test(
        "reports that there is no such model, or no list",
        arguments: ["klingon", "xx", "vosk-model-none", "", "../..", "/etc"])
    func unknown(_ reference: String) throws {
        #expect(reason(reference)?.code == .noModel)
        #expect(reason(reference)?.description.contains("utter models list") == true)
        #expect(throws: SpeechError(.noModel, "the list of models is missing; fetch it with: utter models update")) {
            try ModelCatalog(folders: ["/nowhere"]).model(for: reference)
        }
    }

    @Test("reads the official list as it is published, also with new fields")
    func official() throws {
        let list = try #require(
            read(
                """
                [{"lang":"en-us","lang_text":"US English","md5":"09AB50CCD62B674CBAA231B825F9C1CB","name":"vosk-model-small-en-us-0.15",
                  "obsolete":"false","size":41205931,"size_text":"39.3MiB","type":"small","url":"https://a.example/vosk-model-small-en-us-0.15.zip","version":"0.15"},
                 {"lang":"xyz-q1","lang_text":"Newspeak","md5":null,"name":"vosk-model-new-1","obsolete":true,"size":"many","type":"huge",
                  "url":"http://a.example/n.zip","future":{"a":[1]}}]
                """))
        try #require(list.refusedCount == 0 && list.models.count == 2)
        #expect(list.models[0].checksums == [Checksum(.md5, "09ab50ccd62b674cbaa231b825f9c1cb")!])
        #expect(list.models[0].size == 41_205_931 && list.models[0].isSizeExact && !list.models[0].isObsolete)
        #expect(list.models[0].localeIdentifier == "en-US" && list.models[0].kind == .small)
        #expect(list.models[1].checksums.isEmpty && list.models[1].size == nil && list.models[1].isObsolete)
        #expect(list.models[1].kind.rawValue == "huge" && list.models[1].isRecognizer)
    }

    @Test(
        "skips invalid entries, and keeps the others",
        arguments: [
            "1", "null", "[]", "{}", #"{"name":"a"}"#, #"{"name":"../a","url":"https://a.example/a"}"#,
            #"{"name":".a","url":"https://a.example/a"}"#, #"{"name":"a/b","url":"https://a.example/a"}"#,
            #"{"name":"-rf","url":"https://a.example/a"}"#, #"{"name":"a b","url":"https://a.example/a"}"#,
            #"{"name":"","url":"https://a.example/a"}"#, #"{"name":"a\u001b","url":"https://a.example/a"}"#,
            #"{"name":"a","url":"ftp://a.example/a"}"#, #"{"name":"a","url":"file:///etc/passwd"}"#,
            #"{"name":"a","url":"https://"}"#,
            #"{"name":"a","url":"https://a.example/ --output /tmp/x"}"#, #"{"name":7,"url":"https://a.example/a"}"#,
            #"{"name":"good","url":"https://a.example/twice"}"#,
        ])
    func senseless(_ entry: String) throws {
        let good = #"{"name":"good","url":"https://a.example/good.zip"}"#
        let list = try #require(read("[\(good),\(entry)]"))
        #expect(list.models.map(\.address) == ["https://a.example/good.zip"])
        #expect(list.refusedCount == 1)
    }

    @Test("that is not a list is refused", arguments: ["", "{}", "null", "<html>", "[", "[{]", "\u{FEFF}x"])
    func noList(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test("takes changes from the newer list, and keeps what only it has, but no checksum of another archive")
    func merged() throws {
        let shelf = try ModelShelf()
        try shelf.putList(ModelCatalog.shippedName)
        let md5 = String(repeating: "a", count: 32)
        try shelf.put(
            """
            [{"name":"vosk-model-small-en-us-0.15","url":"https://b.example/e.zip","size":41205931,"md5":"\(md5)","type":"small","lang":"en-us"},
             {"name":"vosk-model-en-us-0.22","url":"https://b.example/l.zip","size":5,"md5":"\(md5)","type":"big","lang":"en-us","obsolete":"true"},
             {"name":"vosk-model-brand-new-1","url":"https://b.example/n.zip","size":6,"md5":"\(md5)","type":"big","lang":"zz"}]
            """, "store/model-list.json")
        let catalog = shelf.store.catalog
        #expect(catalog.updated != nil)
        let small = try #require(catalog.model(named: "vosk-model-small-en-us-0.15"))
        #expect(small.checksums.map(\.algorithm) == [.sha256, .md5])
        #expect(small.address == "https://b.example/e.zip" && small.license == "Apache-2.0" && small.details != nil)
        let large = try #require(catalog.model(named: "vosk-model-en-us-0.22"))
        #expect(large.size == 5 && large.isObsolete && large.checksums.map(\.algorithm) == [.md5])
        #expect(catalog.models.last?.name == "vosk-model-brand-new-1")
        #expect(catalog.models.count == self.catalog.models.count { $0.pass == .first } + 1)
        try shelf.put(
            #"[{"name":"\#(small.name)","url":"\#(small.address)","size":77,"md5":"\#(md5)"}]"#, "store/model-list.json"
        )
        #expect(shelf.store.catalog.model(named: small.name)?.checksums.map(\.algorithm) == [.md5])
    }

    @Test("is read again when a list was added, changed or removed")
    func readAgain() throws {
        let shelf = try ModelShelf()
        let store = shelf.store
        #expect(store.catalog.models.isEmpty)
        for name in ["vosk-model-a-1", "vosk-model-b-1", "vosk-model-longer-1"] {
            try shelf.put(#"[{"name":"\#(name)","url":"https://b.example/e.zip","size":77}]"#, "store/catalog.json")
            #expect(store.catalog.models.map(\.name) == [name])
            #expect(store.catalog.models.map(\.name) == [name])
        }
        try FileManager.default.removeItem(atPath: shelf.storePath + "/catalog.json")
        #expect(store.catalog.models.isEmpty)
    }

    @Test("knows the usual spellings of a language")
    func languages() {
        for (text, identifier) in [
            ("en", "en"), ("EN-us", "en-US"), ("en_US.UTF-8", "en-US"), ("zh-Hans-CN", "zh-CN"), ("cn", "zh-CN"),
            ("ua", "uk-UA"),
            ("fil", "tl"), ("nb_NO.UTF-8", "no-NO"), ("iw", "he"),
            ("de_DE@euro", "de-DE"),
        ] { #expect(SpokenLanguage(text)?.identifier == identifier) }
        for text in ["", "e", "engl", "-us", "1a", "../", "C", "en-", "en--US"] { #expect(SpokenLanguage(text) == nil) }
    }
}
