import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A model that is verified by the library")
struct VerificationTests {
    @Test("hears the sentence that comes along, and is known to be for English or not")
    func whole() async throws {
        let store = ModelStore(folders: [Fixture.repository + "/Models"])
        #expect(try await store.verify(InstalledModel(path: Fixture.modelPath)) == .complete)
        #expect(store.knows(InstalledModel(path: Fixture.modelPath), "en"))
        #expect(!store.knows(InstalledModel(path: "/vosk-model-small-ko-0.22"), "en"))
    }
}
