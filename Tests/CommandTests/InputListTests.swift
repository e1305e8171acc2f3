import Foundation
import Glibc
import TestSupport
import System
import Testing

@testable import utter

@Suite("The recordings that a run's inputs stand for")
struct InputListTests {
    private let sandbox = Sandbox()

    private func list(_ arguments: [String], list: String? = nil) throws -> InputList {
        try InputList(arguments, list: list, interruption: Interruption())
    }

    private func put(_ names: String...) throws {
        for name in names {
            let folder = URL(fileURLWithPath: sandbox.file(name)).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            sandbox.put([1], in: name)
        }
    }

    @Test("In the place of a folder stand the recordings in it and below it, by name, and the rest is counted")
    func folders() throws {
        try put(
            "in/b.wav", "in/a/x.MP3", "in/a/cover.jpg", "in/a.ogg", "in/.hidden.wav", "in/.git/y.wav", "in/notes.txt")
        // A pipe would make the run wait, and a link to a folder may lead round in a circle.
        mkfifo(sandbox.file("in/pipe.wav"), 0o600)
        symlink(sandbox.file("in"), sandbox.file("in/a/round"))
        symlink(sandbox.file("in/b.wav"), sandbox.file("in/link.wav"))
        let folder = sandbox.file("in")
        let found = try list(["first.txt", folder, "-", folder + "/a/"])
        #expect(
            found.inputs
                == ["first.txt"] + ["a/x.MP3", "a.ogg", "b.wav", "link.wav"].map { "\(folder)/\($0)" } + [
                    "-", "\(folder)/a/x.MP3",
                ])
        #expect(found.others.count == 4 && found.links.count == 2)
        #expect(
            found.remarks == [
                "left out, for their names are not those of recordings: "
                    + ["a/cover.jpg", "notes.txt", "pipe.wav"].map { "\(folder)/\($0)" }.joined(separator: ", ")
                    + " and 1 more",
                "left out, for links to folders are not followed; name them to hear what is there: "
                    + "\(folder)/a/round, \(folder)/a/round",
            ])
        #expect(try list(["a.wav"]).remarks == [])
    }

    @Test("A folder without a recording, or one that can't be read, stays in the list, where it fails")
    func emptyFolder() throws {
        try put("in/notes.txt")
        #expect(try list([sandbox.file("in")]).inputs == [sandbox.file("in")])
        let input = InputFile(path: sandbox.file("in"), interruption: Interruption())
        #expect { try input.open() } throws: { ($0 as? CommandError)?.message == "there is no recording in it" }
    }

    @Test(
        "A list has a path a line, or one before each zero byte",
        arguments: [
            "a b.wav\n\n./c.wav\n", "a b.wav\n./c.wav", "a b.wav\0./c.wav\0", "a b.wav\r\n\r\n./c.wav\r\n",
            "a b.wav\r\n./c.wav", "\u{FEFF}a b.wav\r\n./c.wav", "\u{FEFF}a b.wav\n./c.wav\n",
        ])
    func lists(_ text: String) throws {
        let path = sandbox.put(text, in: "list")
        #expect(try list(["x.wav"], list: path).inputs == ["x.wav", "a b.wav", "./c.wav"])
    }

    @Test(
        "A line break within a path stands in a list with zero bytes, and a name that is not UTF-8 fails by itself, in a list or in a folder"
    )
    func oddNames() throws {
        #expect(try list([], list: sandbox.put("a\nb.wav\0", in: "list")).inputs == ["a\nb.wav"])
        #expect(try list([], list: sandbox.put("\u{FEFF}a\r\0b\r\0", in: "list")).inputs == ["\u{FEFF}a\r", "b\r"])
        // Only some lines end so: that belongs to the names.
        #expect(try list([], list: sandbox.put("a\r\nb\nc", in: "list")).inputs == ["a\r", "b", "c"])
        #expect { try list([], list: sandbox.file("missing")) } throws: { CommandError($0).exitCode == .noInput }
        mkdir(sandbox.file("in"), 0o700)
        // A file, and one in a folder.
        let names = ["\u{1}.wav", "\u{1}", "\u{1}/x.wav"].map { name in
            (sandbox.file("in/") + name).utf8.map { $0 == 1 ? 0xFF : $0 }
        }
        let ended = names.map { $0.map { CChar(bitPattern: $0) } + [0] }
        close(open(ended[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        mkdir(ended[1], 0o700)
        let lines = [names[0], names[2], Array("good.wav".utf8)].joined(separator: [0x0A])
        let listed = try list([], list: sandbox.put(Array(lines), in: "names")).inputs
        #expect(listed.count == 3 && listed.last == "good.wav")
        for path in try list([sandbox.file("in")]).inputs + listed.prefix(2) {
            #expect {
                try InputFile(path: path, interruption: Interruption()).open()
            } throws: {
                ($0 as? CommandError)?.message
                    == "its name is not UTF-8, so utter can't open it by name; this works: utter transcribe - < FILE"
            }
        }
        #expect {
            try InputFile(path: sandbox.file("in/other \u{FFFD}.wav"), interruption: Interruption()).open()
        } throws: {
            ($0 as? FileError)?.errno == ENOENT
        }
    }

    @Test("The size of a WAV file is its duration, and of a pipe nothing is known")
    func sizes() throws {
        let wav = InputSize(of: Sandbox.fixture("memo.wav"))
        #expect(wav.seconds == 26.04 && wav.kind == "wav")
        let other = InputSize(of: sandbox.put([UInt8](repeating: 0, count: 32_000), in: "a.MP3"))
        #expect(other.seconds == nil && other.bytes == 32_000 && other.kind == "mp3")
        mkfifo(sandbox.file("pipe.wav"), 0o600)
        #expect(InputSize(of: sandbox.file("pipe.wav")).bytes == nil && InputSize(of: "-").bytes == nil)
    }

    @Test("A run's end says how many are done, and what is not")
    func summaries() {
        #expect(RunSummary(done: 3).sentence == "3 done")
        #expect(RunSummary(done: 22, empty: 2).sentence == "22 done, 2 of them empty")
        #expect(
            RunSummary(done: 0, skipped: 4, failed: 1, cutOff: 3, left: 2).sentence
                == "0 done; 4 left out, for they were done already; 1 failed; 3 cut off; 2 not begun")
        #expect(
            RunSummary(skipped: 2, changed: 1).skippedSentence
                == "2 left out, for they were done already, but 1 changed since: to do that again, remove the old transcript"
        )
    }
}
