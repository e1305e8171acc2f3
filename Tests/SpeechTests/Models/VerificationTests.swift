import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A model that is verified")
struct VerificationTests {
    @Test("is complete, hears the sentence that comes along, and is known to be for English or not")
    func whole() async throws {
        let store = ModelStore(folders: [Fixture.repository + "/Models"])
        let model = InstalledModel(path: Fixture.modelPath)
        #expect(try await store.verifyFiles(of: model) == .complete)
        let text = try await model.hearSentence().text
        #expect(SpokenSentence.doubt(about: text, knowsEnglish: true) == nil)
        #expect(store.knows(InstalledModel(path: Fixture.modelPath), "en"))
        #expect(!store.knows(InstalledModel(path: "/vosk-model-small-ko-0.22"), "en"))
    }
}
