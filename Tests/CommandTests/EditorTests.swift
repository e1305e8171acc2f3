import Testing

@testable import utter

struct EditorTests {
    @Test("VISUAL comes before EDITOR, and those of a terminal begin at the line")
    func command() {
        #expect(
            Editor(["VISUAL": "nvim -R", "EDITOR": "nano"]).arguments("/a b.md", line: 7)
                == ["sh", "-c", "nvim -R \"$@\"", "sh", "+7", "/a b.md"])
        #expect(Editor(["VISUAL": "", "EDITOR": "/usr/bin/nano"]).arguments("x", line: 7).suffix(2) == ["+7", "x"])
        #expect(Editor(["VISUAL": "code -w"]).arguments("x", line: 7) == ["sh", "-c", "code -w \"$@\"", "sh", "x"])
        #expect(Editor([:]).command.contains("vi"))
    }
}
