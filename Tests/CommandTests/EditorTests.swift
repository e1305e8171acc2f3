import Testing

@testable import utter

struct EditorTests {
    @Test("VISUAL takes precedence over EDITOR, and the editors of a terminal open at the line")
    func command() throws {
        func arguments(_ environment: [String: String], line: Int? = 7) throws -> [String] {
            try #require(Editor(environment)).arguments("/a b.md", line: line)
        }
        #expect(
            try arguments(["VISUAL": "nvim -R", "EDITOR": "nano"]) == ["-c", "nvim -R \"$@\"", "sh", "+7", "/a b.md"])
        #expect(try arguments(["VISUAL": "", "EDITOR": "/usr/bin/nano"]).suffix(2) == ["+7", "/a b.md"])
        #expect(try arguments(["VISUAL": "code -w"]) == ["-c", "code -w \"$@\"", "sh", "/a b.md"])
        #expect(try arguments(["EDITOR": "nano"], line: nil) == ["-c", "nano \"$@\"", "sh", "/a b.md"])
    }

    @Test("If none is named, it is the first of sensible-editor, nano and vi that exists, or none")
    func usual() {
        let sandbox = Sandbox()
        func command() -> String? { Editor(["PATH": sandbox.path, "EDITOR": ""])?.command }
        #expect(command() == nil)
        for name in ["vi", "nano", "sensible-editor"] {
            _ = sandbox.script(name, "")
            #expect(command() == name)
        }
        #expect(throws: CommandError.self) { _ = try Editor.required(for: "x", ["PATH": sandbox.file("nowhere")]) }
    }
}
