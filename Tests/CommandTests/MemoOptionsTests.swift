import Outbox
import Testing

@testable import utter

@Suite("The options of utter memo")
struct MemoOptionsTests {
    private func notes(_ words: [String], _ environment: [String: String]) throws -> MarkdownVault.Location {
        guard case .arguments(let arguments) = try ArgumentParser.parse(words, by: .memo) else {
            throw UsageError(message: "no arguments", helpCommand: "")
        }
        let settings = try Settings(path: "/none", file: nil, environment)
        return try MemoOptions(settings.completing(arguments), environment: environment).notes
    }

    @Test(
        "The folder of the notes is that of --notes, or else UTTER_NOTES, or else in the XDG data folder or its usual place"
    )
    func notes() throws {
        let all = ["UTTER_NOTES": "/vault", "XDG_DATA_HOME": "/data", "HOME": "/home/me"]
        #expect(try notes(["--notes", "daily"], all) == .named("daily"))
        #expect(try notes([], all) == .named("/vault"))
        #expect(try notes([], all.merging(["UTTER_NOTES": ""]) { $1 }) == .own("/data/utter/notes"))
        #expect(try notes([], ["XDG_DATA_HOME": "/data", "HOME": "/home/me"]) == .own("/data/utter/notes"))
        // A relative path in XDG_DATA_HOME is invalid, and ignored.
        #expect(
            try notes([], ["XDG_DATA_HOME": "data", "HOME": "/home/me"]) == .own("/home/me/.local/share/utter/notes"))
        #expect(try notes([], ["XDG_DATA_HOME": "", "HOME": "/home/me"]) == .own("/home/me/.local/share/utter/notes"))
    }

    @Test(
        "Unknown and conflicting options are refused",
        arguments: [["x"], ["--notes"], ["--jobs", "2"], ["-m", "a", "-l", "b"], ["--save-audio", "memo.wav"]])
    func refused(_ words: [String]) {
        #expect(throws: UsageError.self) { _ = try notes(words, [:]) }
    }
}
