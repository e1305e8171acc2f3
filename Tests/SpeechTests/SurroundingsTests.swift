import Foundation
import TestSupport
import Testing

@testable import Speech

/// Tests of settings of a whole process, each in a process of its own.
@Suite("The process")
struct SurroundingsTests {
    @Test("can get libvosk's messages for its own log, and not on stderr")
    func handler() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            SpeechLog.setHandler { severity, message in print("LOG \(severity) \(message)") }
            let model = try ModelCopy().load()
            print("LOADED")
            _ = try model.makeRecognizer(RecognizerConfiguration(phrases: ["florp"]))
            print("MADE")
            let copy = try ModelCopy { try ModelCopy.remove($0 + "/graph/words.txt") }
            guard (try? copy.load()) == nil else { fail("a damaged model was loaded") }
            print("REFUSED")
            SpeechLog.setHandler(nil)
            _ = try ModelCopy().load()
            fflush(nil)
        }
        #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let parts = output.components(separatedBy: "LOADED\n")
        #expect(parts.count == 2 && parts[0].contains("LOG information"))
        let rest = (parts.last ?? "").components(separatedBy: "MADE\n")
        #expect(rest.count == 2 && rest[0].contains("LOG warning") && rest[0].contains("florp"))
        #expect(rest.last?.contains("LOG error") == true)
        #expect(rest.last?.components(separatedBy: "REFUSED\n").last?.contains("LOG") == false)
    }
}
