import Foundation
import Testing

@testable import utter

@Suite("The check of libvosk")
struct RecognizerCheckTests {
    @Test("looks for every function in the header, and for no other")
    func functions() throws {
        let header = try String(contentsOfFile: Sandbox.root + "/Sources/CVosk/vosk.h", encoding: .utf8)
        let declared = header.matches(of: /\b(vosk_[a-z_]+)\(/).map { String($0.output.1) }
        #expect(!declared.isEmpty && Set(declared) == Set(RecognizerCheck.neededFunctions))
    }

    @Test("finds nothing wrong with the installed one")
    func here() { #expect(RecognizerCheck().finding().state == .fine) }
}
