import Foundation
import Glibc
import Outbox
import System
import Testing

@testable import utter

/// Tests of the parts of `utter type` that need no display.
@Suite struct TypingTests {
    private let table = """
        There are 7 KeySyms per KeyCode; KeyCodes range from 8 to 255.

            KeyCode\tKeysym (Keysym)\t...
            Value  \tValue   (Name) \t...

              9    \t0xff1b (Escape)\t0x0000 (NoSymbol)\t0xff1b (Escape)\t
             38    \t0x0061 (a)\t0x0041 (A)\t0x0061 (a)\t0x0041 (A)\t0x00e6 (ae)\t0x00c6 (AE)\t
             49    \t0xfe52 (dead_circumflex)\t0x00b0 (degree)\t
             50    \t0x20ac (EuroSign)\t0x1000430 (Cyrillic_A)\t
        """

    @Test("Each program that presses keys through the kernel is told them in its own words")
    func uinputKeys() {
        func command(_ keys: UinputKeys.Keys, _ program: UinputKeys.Program) -> [String] {
            let (arguments, input) = UinputKeys.command(keys, program)
            return arguments + [input]
        }
        // KEY_LEFTSHIFT is 42, KEY_INSERT 110, KEY_BACKSPACE 14.
        #expect(command(.shiftInsert, .ydotool) == ["key", "42:1", "110:1", "110:0", "42:0", ""])
        #expect(command(.backspaces(2), .ydotool) == ["key", "--key-delay", "2", "14:1", "14:0", "14:1", "14:0", ""])
        #expect(command(.shiftInsert, .oldYdotool) == ["key", "shift+insert", ""])
        #expect(command(.backspaces(40), .oldYdotool) == ["key", "--repeat", "40", "backspace", ""])
        #expect(command(.shiftInsert, .dotool) == ["key shift+insert\n"])
        #expect(command(.backspaces(2), .dotool) == ["key backspace\nkey backspace\n"])
    }

    @Test("Where a program has pressed nothing, that is known; else a part of the keys may have been pressed")
    func uinputOutcome() {
        func outcome(_ end: BoundedProgram.End, _ said: String = "") -> Typist.Outcome {
            UinputKeys.outcome(of: .init(end: end, errors: Array(said.utf8)), .ydotool)
        }
        let denied = Typist.Outcome.nothing("ydotool may not press keys: it needs write access to /dev/uinput")
        #expect(outcome(.exited(0)) == .typed)
        // ydotool 0.1.8
        #expect(outcome(.killed(signal: SIGABRT), "  what():  failed to open uinput device") == denied)
        #expect(outcome(.exited(1), "could not open /dev/uinput") == denied)
        // ydotool 1.0.4
        #expect(
            outcome(.exited(2), "failed to connect socket `/run/user/1/.ydotool_socket': No such file or directory")
                == .nothing("ydotool does not reach its daemon: start ydotoold"))
        #expect(outcome(.notStarted(errno: EACCES)) == .nothing("ydotool can't be started: Permission denied"))
        #expect(outcome(.killed(signal: SIGKILL)) == .partly("ydotool could not press all keys"))
        #expect(outcome(.exited(3)) == .partly("ydotool could not press all keys"))
        #expect(outcome(.stopped) == .partly("ydotool did not end"))
    }

    @Test("The selections of a session are named to each program for them in its own words")
    func clipboardPrograms() {
        func words(_ command: ClipboardProgram.Command?) -> String {
            command.map { ([$0.program] + $0.arguments).joined(separator: " ") } ?? ""
        }
        #expect(ClipboardProgram(WindowSession(["WAYLAND_DISPLAY": "wayland-1", "DISPLAY": ":0"])) == .wlClipboard)
        #expect(ClipboardProgram(WindowSession(["DISPLAY": ":0"])) == .xclip)
        #expect(words(ClipboardProgram.wlClipboard.listing("clipboard")) == "wl-paste --list-types")
        #expect(
            words(ClipboardProgram.wlClipboard.reading("primary", as: "image/png"))
                == "wl-paste --primary --no-newline --type image/png")
        #expect(words(ClipboardProgram.wlClipboard.clearing("primary")) == "wl-copy --primary --clear")
        #expect(
            words(ClipboardProgram.wlClipboard.offeringOnce("clipboard")) == "wl-copy --paste-once --type text/plain")
        #expect(words(ClipboardProgram.xclip.clearing("clipboard")) == "")
        #expect(
            words(ClipboardProgram.xclip.reading("primary", as: "STRING")) == "xclip -o -selection primary -t STRING")
    }

    @Test("A layout has the characters of its keys, and neither dead keys nor others")
    func layout() throws {
        let layout = try #require(KeyboardLayout(table: table))
        #expect(layout.has("aA æÆ°€\u{430}\n\t".filter { $0 != " " }))
        for missing in ["^", "b", " ", "ä", "😀"] { #expect(!layout.has(missing), "\(missing)") }
    }

    @Test("Without a table only characters count that are no dead keys anywhere", arguments: ["", "xmodmap: error"])
    func unknownLayout(_ table: String) {
        #expect(KeyboardLayout(table: table) == nil)
        #expect(KeyboardLayout.unknown.has("Hello, 5 of them.\n"))
        for missing in ["^", "~", "`", "'", "ä"] { #expect(!KeyboardLayout.unknown.has(missing)) }
    }

    @Test("A text is typed in lines and short pieces, with nothing added or lost")
    func pieces() {
        #expect(Typist.pieces(of: "one\n\ntwo") == ["one", "\n", "\n", "two"])
        let long = String(repeating: "abcdefg ", count: 12) + "\n"
        let pieces = Typist.pieces(of: long)
        #expect(pieces.joined() == long && pieces.map(\.count) == [40, 40, 16, 1])
        #expect(Typist.pieces(of: "") == [])
    }

    @Test("Requests, answers and statuses are read as they were written")
    func roundTrip() {
        for action in TypingRequest.Action.allCases {
            let request = TypingRequest(
                action: action, options: ["--locale=de", "--phrase=a \"b\""], text: action == .text ? "ä\n" : nil,
                environment: ["DISPLAY": ":5", "UTTER_DEVICE": "x"])
            #expect(request.line.hasSuffix("\n") && TypingRequest(line: Array(request.line.utf8.dropLast())) == request)
        }
        let statuses = TypingStatus.State.allCases.map {
            TypingStatus(
                state: $0, waitingCount: 2, reason: "another window has the focus", failure: "no microphone",
                trouble: "silence", warning: "a warning")
        }
        for status in statuses + [TypingStatus()] {
            for error in [nil, CommandError("it waits", .tempFail)] {
                for warnings in [[], ["a warning", "another"]] {
                    let answer = TypingAnswer(status: status, error: error, warnings: warnings)
                    #expect(TypingAnswer(json: answer.line.utf8) == answer && answer.warnings == warnings)
                }
            }
        }
        // What a process of an earlier version answers.
        #expect(TypingAnswer(json: #"{"status":{"state":"idle","waiting":0}}"#.utf8) == TypingAnswer(status: .init()))
        for remark: ListenSession.Remark in [.warning("a \"b\""), .trouble("silence"), .trouble(nil)] {
            #expect(HeardRemark(json: HeardRemark(remark).jsonLine.utf8)?.remark == remark)
        }
        #expect(HeardRemark(json: #"{"type":"status","state":"listening"}"#.utf8)?.remark == nil)
        for nonsense in ["", "{}", "[1]", #"{"do":"dance"}"#] {
            #expect(TypingRequest(line: Array(nonsense.utf8)) == nil && TypingAnswer(json: nonsense.utf8) == nil)
        }
    }

    @Test("A request brings no variables but those that a session needs, and those of the settings")
    func variables() {
        let settings = [
            "UTTER_MODEL": "m", "UTTER_SECOND_PASS": "none", "UTTER_RULES": "none", "UTTER_REPLACEMENTS": "/r",
            "UTTER_FILTER": "cat",
        ]
        let known = settings.merging(["DISPLAY": ":5"]) { $1 }
        let request = TypingRequest(
            action: .begin, environment: known.merging(["LD_PRELOAD": "x.so", "PATH": "/tmp"]) { $1 })
        #expect(TypingRequest(line: Array(request.line.utf8))?.environment == known)
    }

    @Test("A dictation's options have paths that are right in every folder; names and words stay as they were typed")
    func options() throws {
        func spelled(_ words: String...) throws -> Set<String> {
            guard case .arguments(let arguments) = try ArgumentParser.parse(words, by: .listen) else { return [] }
            return Set(arguments.spelledOptions(in: "/f"))
        }
        #expect(
            try spelled("--model", "./m", "--second-pass", "x.gguf", "--vocabulary=w", "--replacements=r", "--quiet")
                == [
                    "--model=/f/./m", "--second-pass=/f/x.gguf", "--vocabulary=/f/w", "--replacements=/f/r", "--quiet",
                ])
        let right = ["--model=tiny", "--second-pass=none", "--vocabulary=/w", "--replacements=none"]
        #expect(try spelled(right[0], right[1], right[2], right[3]) == Set(right))
    }

    @Test("A status is one line, for people and for waybar")
    func status() {
        let status = TypingStatus(state: .listening, waitingCount: 1, reason: "another window has the focus")
        #expect(
            status.line
                == "listening · 1 utterance waits: another window has the focus; utter type again, or utter type drop")
        #expect(TypingStatus().line == "idle")
        for status in [TypingStatus(failure: "x"), TypingStatus(trouble: "x"), TypingStatus(warning: "x")] {
            #expect(status.line == "idle · x")
            #expect(status.json.contains(#""text":"idle !","alt":"idle","class":"attention","tooltip":"idle · x""#))
        }
        #expect(
            status.json.hasPrefix(#"{"state":"listening","waiting":1,"reason":"another window has the focus","text":"#))
        #expect(status.json.contains(#""class":"attention""#) && TypingStatus().json.contains(#""class":"idle""#))
    }

    @Test("The focused window of sway is found wherever it is")
    func sway() throws {
        let tree = """
            {"id":1,"focused":false,"nodes":[{"id":2,"focused":false,"nodes":[],"floating_nodes":[{"id":9,"focused":true}]},
            {"id":3,"focused":false,"nodes":[]}]}
            """
        #expect(WindowSession.focused(in: try JSONParser.parse(Array(tree.utf8))) == 9)
        #expect(WindowSession.focused(in: try JSONParser.parse(Array(#"{"id":1,"nodes":[]}"#.utf8))) == nil)
    }

    @Test("A text of the queue is read as it was written, and nothing else is")
    func payload() {
        let time = Date(timeIntervalSince1970: 1)
        func read(_ payload: Data) -> TypedText? {
            TypedText(OutboxOperation(destination: TypingQueue.destination, payload: payload, createdAt: time))
        }
        for (window, takesBack) in [(nil, true), ("window 5 of :0", false)] {
            let place = WindowPlace(session: WindowSession(["DISPLAY": ":0", "HOME": "/"]), window: window)
            let text = TypedText(
                text: takesBack ? "" : "ä \"b\"\n", dictation: "d", place: place, takesBack: takesBack,
                queuedAt: time)
            #expect(read(text.payload) == text && text.place.session.environment == ["DISPLAY": ":0"])
        }
        #expect(read(Data("{}".utf8)) == nil)
    }

    @Test("The arguments of the process that listens are its own, and no command of a user's")
    func arguments() {
        let place = WindowPlace(session: WindowSession(["DISPLAY": ":0"]), window: "window 5 of :0")
        let arguments = TypingListener.Arguments(dictation: "d", place: place, options: ["--locale=de"])
        let read = TypingListener.Arguments.read(arguments.words)
        #expect(read?.options.suffix(1) == ["--locale=de"] && read?.place == place && read?.dictation == "d")
        #expect(TypingListener.Arguments.read(["listen", "a", "b"]) == nil)
    }
}
