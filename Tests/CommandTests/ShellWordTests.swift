import TestSupport
import Testing

@testable import utter

@Suite("Words for a shell")
struct ShellWordTests {
    @Test("stay unquoted if they can")
    func plain() {
        for word in ["vosk-model-small-en-us-0.15", "/home/me/notes", "hw:CARD=1,DEV=0", "a+b@c%d_e"] {
            #expect(ShellWord.quoted(word) == word)
        }
        #expect(
            ShellWord.quoted("it's") == "'it'\\''s'" && ShellWord.quoted("") == "''" && ShellWord.quoted("~") == "'~'")
    }

    @Test("are read back by a shell unchanged, whatever is in them")
    func roundTrip() async throws {
        var random = SplitMix64(for: "shell words")
        let alphabet = Array("ab '\"\\$`!*?[]{}()<>|&;#~=%\n\té–")
        let words = (0..<200).map { _ in
            String((0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
        }
        let finished = try await Program(
            ["sh", "-c", "printf '%s\\1' " + words.map(ShellWord.quoted).joined(separator: " ")],
            environment: ["PATH": "/usr/bin:/bin"]
        ).finish()
        #expect(finished.output == words.map { $0 + "\u{1}" }.joined(), "seed \(random.seed)")
    }
}
