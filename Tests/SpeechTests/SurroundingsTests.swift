import Foundation
import TestSupport
import Testing

@testable import Speech

/// Tests of settings of a whole process, each in a process of its own.
@Suite("The process")
struct SurroundingsTests {
    @Test("may have a locale with a decimal comma: text and times are still right", .long)
    func commaLocale() async throws {
        let fixture = Fixture.named("digits-awb")
        let expected = said(try await Options().run(fixture.samples()))
        #expect(expected.count == 5)
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let folder = FileManager.default.temporaryDirectory.path + "/utter-locales-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let localedef = Process()
            localedef.executableURL = URL(fileURLWithPath: "/usr/bin/localedef")
            localedef.arguments = ["-i", "de_DE", "-f", "UTF-8", folder + "/de_DE.UTF-8"]
            try localedef.run()
            localedef.waitUntilExit()
            setenv("LOCPATH", folder, 1)
            guard setlocale(LC_ALL, "de_DE.UTF-8") != nil else {
                fail("no German locale; the Debian package locales is missing")
            }
            // Prove that the locale is in effect.
            var text = [CChar](repeating: 0, count: 32)
            _ = withVaList([1.5]) { vsnprintf(&text, text.count, "%.1f", $0) }
            guard text.prefix(4) == [0x31, 0x2C, 0x35, 0] else { fail("the locale has no comma") }

            let outcome = try await Options().run(Fixture.named("digits-awb").samples())
            print("\nSAID " + said(outcome).joined(separator: "|"))
            var alternatives = Options()
            alternatives.configuration.maximumAlternatives = 3
            alternatives.reportsVolatile = true
            alternatives.configuration.volatileWordTimes = true
            let other = try await alternatives.run(Fixture.named("digits-awb").samples())
            guard other.text == outcome.text, other.words.map(\.range) == outcome.words.map(\.range) else {
                fail("n-best results suffered from the comma")
            }
            fflush(nil)
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("SAID " + expected.joined(separator: "|")))
    }

    @Test("has no message of libvosk on its stderr")
    func quiet() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let outcome = try await Options(phrases: ["nine", "florp nine"]).run(Fixture.named("digits-rms").samples())
            guard outcome.ledger.delivered > 0 else { fail("nothing was heard") }
            let copy = try ModelCopy {
                try Data(contentsOf: URL(fileURLWithPath: $0 + "/am/final.mdl")).prefix(1000)
                    .write(to: URL(fileURLWithPath: $0 + "/am/final.mdl"))
            }
            guard (try? copy.load()) == nil else { fail("a damaged model was loaded") }
            // Unknown words that bypass the checks, so that libvosk complains at run time.
            let model = try ModelCopy().load()
            _ = try model.makeRecognizer(RecognizerConfiguration(phrases: ["florp"]))
            fflush(nil)
        }
        #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
    }

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
