import Foundation
import Glibc
import Outbox
import System
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests of `utter type` in a real X server, with a real terminal window and a real microphone.
    @Suite(.needs("Xvfb"), .needs("xterm"), .needs("xdotool"), .needs("xclip"), .needs("xmodmap"))
    struct Typing {
        let sandbox = Sandbox()
        let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")
        /// A short path, for a socket's address holds no long one.
        private let runtime = NSTemporaryDirectory() + "x\(UInt16.random(in: .min ... .max))"
        private let other = "„Grüße“ — żółć 한국어 😀 ^`~"

        func type(
            _ words: String..., on display: Display?, displayName: String? = nil, _ microphone: VirtualMicrophone? = nil
        ) async throws -> Program.Finished {
            try await start(words, on: display, displayName: displayName, microphone).finish()
        }

        func start(
            _ words: [String], on display: Display?, displayName: String? = nil, _ microphone: VirtualMicrophone? = nil,
            environment more: [String: String] = [:]
        ) throws -> Program {
            mkdir(runtime, 0o700)
            var environment = (microphone?.environment ?? [:]).merging(["XDG_RUNTIME_DIR": runtime]) { $1 }
            environment["DISPLAY"] = display?.name ?? displayName
            environment.merge(more) { $1 }
            let device = microphone.map { ["--device", $0.deviceName] } ?? []
            return try sandbox.startUtter(words + device, environment: environment)
        }

        func expectDone(_ finished: Program.Finished, _ output: String = "") {
            #expect(finished.end == .exited(0) && finished.errors == "" && finished.output == output, "\(finished)")
        }

        var waiting: [String] {
            sandbox.names(in: "state/utter/typing").filter { $0.hasSuffix(".json") }
        }

        /// Opens a window on a display of its own, and gives it the focus.
        func openWindow() async throws -> (Display, TypedWindow) {
            let display = try await Display(sandbox)
            return (display, try await TypedWindow(sandbox, display))
        }

        func end(_ display: Display) async throws {
            expectDone(try await type("type", "stop", on: display))
            try? FileManager.default.removeItem(atPath: runtime)
        }

        @Test("A text arrives as it is, whatever its characters, and the clipboard is as it was")
        func text() async throws {
            let (display, window) = try await openWindow()
            let clip = sandbox.put("from before", in: "clip")
            // It goes on in the background, with its descriptors.
            try await display.run("sh", "-c", "xclip -selection clipboard '\(clip)' > /dev/null 2>&1")
            let plain = "Hello, World: {it} [works]; $HOME & \"quotes\"\ttab\nline"
            for text in [plain, other, plain] {
                expectDone(try await type("type", "text", "--", text, on: display))
            }
            try await window.wait(for: plain + other + plain)
            #expect(window.typed == plain + other + plain)
            #expect(try await display.run("xclip", "-o", "-selection", "clipboard") == "from before")
            #expect(waiting == [])
            #expect(sandbox.mode(of: "state/utter/typing") == 0o700)
            try await end(display)
        }

        @Test("Keys of a German layout and dead keys arrive in any locale, and nothing is changed by Caps Lock")
        func layout() async throws {
            let (display, window) = try await openWindow()
            try await display.run("setxkbmap", "de")
            let text = "Größe: ^ ` ´ @ { } € | \\ ~ Z y"
            expectDone(try await start(["type", "text", text], on: display, environment: ["LC_ALL": "C"]).finish())
            try await window.wait(for: text)
            try await display.run("xdotool", "key", "Caps_Lock")
            expectDone(try await type("type", "text", "Zwei", on: display))
            try await window.wait(for: text + "Zwei")
            #expect(window.typed == text + "Zwei")
            try await end(display)
        }

        /// Erases what was typed last in a window in which nothing was.
        private func expectNothingErased(on display: Display) async throws {
            let refused = try await type("type", "scratch", on: display)
            refused.expectEnd(66, errors: "utter: nothing was typed in this window that can be erased\n")
        }

        @Test("What was typed last is erased, then what was typed before it, and nothing in another window")
        func scratch() async throws {
            let (display, window) = try await openWindow()
            try await expectNothingErased(on: display)
            for text in ["One. ", "Fünf."] { expectDone(try await type("type", "text", text, on: display)) }
            let other = try await TypedWindow(sandbox, display, name: "other")
            try await expectNothingErased(on: display)
            try await window.focus()
            for _ in 0..<2 { expectDone(try await type("type", "scratch", on: display)) }
            try await expectNothingErased(on: display)
            expectDone(try await type("type", "text", "Two.", on: display))
            try await window.wait(for: "Two.")
            // xterm sends the one or the other for Backspace.
            let typed = window.typed.replacing("\u{8}", with: "\u{7F}")
            #expect(typed == "One. Fünf." + String(repeating: "\u{7F}", count: 10) + "Two.")
            #expect(other.typed == "" && waiting == [])
            try await end(display)
        }

        @Test("Where the session does not tell the window, a key erases what was typed last")
        func scratchAnywhere() async throws {
            mkdir(sandbox.file("programs"), 0o700)
            let keys = sandbox.file("keys")
            let wtype = """
                #!/bin/sh
                [ "$*" = - ] && exec cat >> '\(keys)'
                until [ -e '\(sandbox.file("go"))' ]; do sleep 0.01; done
                for key; do [ "$key" != BackSpace ] || printf '<' >> '\(keys)'; done

                """
            chmod(sandbox.put(wtype, in: "programs/wtype"), 0o700)
            let path = "\(sandbox.file("programs")):/usr/bin:/bin"
            func utter(_ words: String...) throws -> Program {
                try start(["type"] + words, on: nil, environment: ["WAYLAND_DISPLAY": "wayland-9", "PATH": path])
            }
            for text in ["One.", "Two."] { expectDone(try await utter("text", text).finish()) }
            sandbox.put([], in: "go")
            for _ in 0..<2 { expectDone(try await utter("scratch").finish()) }
            try await utter("scratch").finish().expectEnd(
                66, errors: "utter: nothing was typed in this window that can be erased\n")
            #expect(sandbox.text(of: "keys") == "One.Two.<<<<<<<<" && waiting == [])

            // A key that is pressed once too often, before the first press is done, leaves nothing that waits.
            expectDone(try await utter("text", "No.").finish())
            unlink(sandbox.file("go"))
            var presses: [Program] = []
            for count in 1...2 {
                presses.append(try utter("scratch"))
                try await Patience.wait(for: "the press in the queue") { waiting.count == count }
            }
            expectDone(try await type("status", on: nil), "finishing\n")
            sandbox.put([], in: "go")
            for press in presses { expectDone(try await press.finish()) }
            #expect(sandbox.text(of: "keys") == "One.Two.<<<<<<<<No.<<<" && waiting == [])
            expectDone(try await utter("stop").finish())
            try? FileManager.default.removeItem(atPath: runtime)
        }

        @Test("What was pasted of several parts can't be erased key by key; it waits for the user")
        func scratchParts() async throws {
            let (display, window) = try await openWindow()
            expectDone(try await type("type", "text", "👩‍👩‍👧", on: display))
            try await window.wait(for: "👩‍👩‍👧")
            let refused = try await type("type", "scratch", on: display)
            #expect(
                refused.end == .exited(75)
                    && refused.errors.contains("nothing is erased: what was typed last can't be erased key by key"))
            // It takes back nothing that is typed later.
            expectDone(try await type("type", "text", "Two.", on: display))
            let again = try await type("type", "again", on: display)
            #expect(again.end == .exited(75) && again.errors.contains("was not typed last in this window"))
            expectDone(try await type("type", "drop", on: display))
            try await window.wait(for: "👩‍👩‍👧Two.")
            #expect(window.typed == "👩‍👩‍👧Two.")
            try await end(display)
        }

        @Test("What is said is typed as it is heard, with a space between two utterances")
        func dictation() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "toggle", on: display, microphone))
            // A microphone of the tests is silent while nothing is played, which the status says after a while.
            #expect(try await type("status", on: display).output.hasPrefix("listening"))
            // A key that is held down begins nothing anew.
            expectDone(try await type("type", "begin", on: display, microphone))
            try await microphone.play(digits.path)
            try await window.wait(for: digits.transcript)
            try await microphone.play(date.path)
            expectDone(try await type("type", "toggle", on: display, microphone))
            try await window.wait(for: date.transcript)
            #expect(window.typed == digits.transcript + " " + date.transcript)
            expectDone(try await type("status", on: display), "idle\n")
            #expect(waiting == [])
            try await end(display)
        }

        @Test("A dictation that begins while an earlier one is finishing is typed after it")
        func overlapping() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "begin", on: display, microphone))
            try await microphone.play(date.path)
            let ending = try start(["type", "end"], on: display)
            try await Patience.wait(for: "the end of the first") {
                try await !type("status", on: display).output.hasPrefix("listening")
            }
            expectDone(try await type("type", "begin", "--space", on: display, microphone))
            try await microphone.play(digits.path)
            expectDone(try await type("type", "end", on: display))
            expectDone(try await ending.finish())
            try await window.wait(for: digits.transcript + " ")
            #expect(window.typed == date.transcript + digits.transcript + " ")
            try await end(display)
        }

        @Test(
            "A microphone that gives only silence is a part of the status as long as it does, and no warning at the end"
        )
        func silentMicrophone() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "begin", on: display, microphone))
            let following = try start(["status", "--follow", "--json"], on: display)
            let silent =
                #""trouble":"hears only silence: is it muted?","text":"listening !","alt":"listening","class":"attention""#
            try await following.wait(forOutput: silent)
            expectDone(try await type("status", on: display), "listening · hears only silence: is it muted?\n")
            try await microphone.play(digits.path)
            try await window.wait(for: digits.transcript)
            let lines = following.outputSoFar.split(separator: "\n")
            let first = try #require(lines.firstIndex { $0.contains(silent) })
            #expect(lines[(first + 1)...].contains { $0.contains(#""class":"listening""#) }, "\(lines)")
            expectDone(try await type("type", "end", on: display))
            expectDone(try await type("status", on: display), "idle\n")
            following.signal(SIGTERM)
            _ = try await following.finish()
            try await end(display)
        }

        @Test(
            "What the process that listens warns of is in the status and told at the end, until another dictation begins"
        )
        func warnings() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            // What a filter says itself may hold what was said, so nobody hears of it.
            let filter = ["--filter", "cat >&2; exit 3"]
            expectDone(try await start(["type", "begin"] + filter, on: display, microphone).finish())
            for _ in 0..<2 { try await microphone.play(digits.path) }
            try await window.wait(for: digits.transcript + " " + digits.transcript)
            let warning =
                "the command of --filter ended with exit status 3, so the text stays as it was; this is reported once"
            let status = try await type("status", on: display).output
            #expect(status.hasPrefix("listening · ") && status.hasSuffix("\(warning)\n"), "\(status)")
            try await type("type", "end", on: display).expectEnd(0, errors: "utter: \(warning)\n")
            expectDone(try await type("status", on: display), "idle · \(warning)\n")
            let json = try await type("status", "--json", on: display).output
            #expect(json.contains("\"warning\":\"\(warning)\"") && json.contains(#""class":"attention""#), "\(json)")
            expectDone(try await type("type", "begin", on: display, microphone))
            #expect(try await !type("status", on: display).output.contains("--filter"))
            expectDone(try await type("type", "cancel", on: display))
            try await end(display)
        }

        @Test("The process that serves and those that it starts are called utter, also after an upgrade")
        func names() async throws {
            let (display, window) = try await openWindow()
            defer { withExtendedLifetime(window) {} }
            let microphone = try await VirtualMicrophone()
            // Beside the built one, for it finds its libraries and models from there.
            let program = Sandbox.utter + "-\(UUID().uuidString.prefix(8))"
            try FileManager.default.copyItem(atPath: Sandbox.utter, toPath: program)
            defer { unlink(program) }
            let name = String(URL(fileURLWithPath: program).lastPathComponent)
            mkdir(runtime, 0o700)
            let environment = microphone.environment.merging(
                ["XDG_RUNTIME_DIR": runtime, "DISPLAY": display.name]) { $1 }
            func run(_ words: String...) async throws {
                let words = [program] + words
                expectDone(try await Program(words, environment: sandbox.environment(environment)).finish())
            }
            try await run("type", "text", "x")
            let server = try #require(try await processes(named: "utter").first)
            // As an upgrade does.
            try FileManager.default.removeItem(atPath: program)
            expectDone(try await type("type", "begin", on: display, microphone))
            let listener = try #require(try await processes(named: "listener").first)
            for process in [server, listener] {
                let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0)
                #expect(words?.first.map { String(decoding: $0, as: UTF8.self) } == name)
                let comm = try String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
                #expect(comm == name.prefix(15) + "\n")
            }
            let workers = try await Program(["pgrep", "-P", "\(listener)"], environment: ["PATH": "/usr/bin:/bin"])
                .finish().outputLines
            let commands = try workers.map { try String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8) }
            #expect(!commands.isEmpty && commands.allSatisfy { $0 == name.prefix(15) + "\n" }, "\(commands)")
            expectDone(try await type("type", "cancel", on: display))
            try await end(display)
        }

        /// Waits until the first text of a dictation waits for the user.
        private func waitForWaiting(on display: Display) async throws {
            try await Patience.wait(for: "the text that waits") {
                try await type("status", on: display).output.hasPrefix("listening · 1 utterance waits: ")
            }
        }

        @Test("If another window has the focus, the text and what follows it wait, and are typed where the user says")
        func focus() async throws {
            let display = try await Display(sandbox)
            let second = try await TypedWindow(sandbox, display, name: "second")
            let first = try await TypedWindow(sandbox, display, name: "first")
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "begin", on: display, microphone))
            try await second.focus()
            try await microphone.play(digits.path)
            try await waitForWaiting(on: display)
            // What follows in its own window is not typed before it.
            try await first.focus()
            try await microphone.play(date.path)
            try await Patience.wait(for: "what follows it") {
                waiting.contains {
                    sandbox.text(of: "state/utter/typing/" + $0)?.contains("an earlier one waits") == true
                }
            }
            let ended = try await type("type", "end", on: display)
            ended.expectEnd(
                75, errors: "utter: the text waits: another window had the focus; utter type again types it here\n")
            expectDone(
                try await type("status", on: display),
                "idle · 2 utterances wait: another window had the focus; utter type again, or utter type drop\n")
            #expect(first.typed == "" && second.typed == "" && waiting.count == 2)
            #expect(sandbox.mode(of: "state/utter/typing/\(waiting[0])") == 0o600)
            try await second.focus()
            expectDone(try await type("type", "again", on: display))
            let text = digits.transcript + " " + date.transcript
            try await second.wait(for: text)
            #expect(first.typed == "" && second.typed == text && waiting == [])
            try await end(display)
        }

        @Test("What was said last and waits is taken back before what was typed")
        func scratchWaiting() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "begin", on: display, microphone))
            expectDone(try await type("type", "text", "One.", on: display))
            try await window.wait(for: "One.")
            let other = try await TypedWindow(sandbox, display, name: "other")
            try await microphone.play(digits.path)
            try await waitForWaiting(on: display)
            try await window.focus()
            expectDone(try await type("type", "scratch", on: display))
            #expect(waiting == [])
            // What is said next is typed.
            try await microphone.play(date.path)
            expectDone(try await type("type", "end", on: display))
            try await window.wait(for: date.transcript)
            #expect(window.typed == "One. " + date.transcript && other.typed == "")
            try await end(display)
        }

        @Test("What is cancelled is not typed, and what waits can be dropped")
        func cancelled() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "begin", on: display, microphone))
            try await microphone.play(digits.path)
            expectDone(try await type("type", "cancel", on: display))
            expectDone(try await type("status", on: display), "idle\n")
            expectDone(try await type("type", "text", "end", on: display))
            try await window.wait(for: "end")
            #expect(window.typed == "end" && waiting == [])
            try await end(display)
        }

        @Test("If the process that serves is killed while somebody speaks, what was said waits, and is typed once")
        func killedServer() async throws {
            let (display, window) = try await openWindow()
            let microphone = try await VirtualMicrophone()
            expectDone(try await type("type", "begin", on: display, microphone))
            let server = try #require(try await processes(named: "utter").first)
            let variables = try #require(environmentVariables(of: server))
            #expect(variables.range(of: Data("PULSE_SERVER=".utf8)) == nil, "the microphone is that of one command")
            try await microphone.play(digits.path)
            kill(server, SIGKILL)
            try await Patience.wait(for: "the text in the queue") { waiting.count == 1 }
            try await waitForListeners()
            expectDone(
                try await type("status", on: display),
                "idle · 1 utterance waits: the process that types had ended; utter type again, or utter type drop\n")
            let store = OutboxStore(folder: sandbox.file("state/utter/typing"))
            let id = try #require(try store.index().ids.first)
            try store.change(id) { $0.mayHaveArrived = true }
            expectDone(
                try await type("status", on: display),
                "idle · 1 utterance waits: utter was ended while it typed, so a part may be in the window; "
                    + "utter type again, or utter type drop\n")
            try store.change(id) { $0.mayHaveArrived = false }
            let ended = try await type("type", "end", on: display)
            #expect(ended.end == .exited(75) && ended.errors.contains("the process that types had ended"))
            expectDone(try await type("type", "again", on: display))
            try await window.wait(for: digits.transcript)
            #expect(window.typed == digits.transcript && waiting == [])
            try await end(display)
        }

        @Test("As long as a dictation of a killed process may bring text, the status is finishing")
        func heardForEarlier() async throws {
            let lock = try TypingQueue(sandbox.environment()).lockListening()
            expectDone(try await type("status", on: nil), "finishing\n")
            // Another process serves now.
            let following = try start(["status", "--follow"], on: nil)
            #expect(try await following.line(0) == "finishing")
            expectDone(try await type("status", on: nil), "finishing\n")
            lock.unlock()
            #expect(try await following.line(1) == "idle")
            following.signal(SIGTERM)
            _ = try await following.finish()
            expectDone(try await type("type", "stop", on: nil))
            try FileManager.default.removeItem(atPath: runtime)
        }

        @Test("Who follows the status gets a line for each change, also where another process serves")
        func followed() async throws {
            let following = try start(["status", "--follow"], on: nil)
            #expect(try await following.line(0) == "idle")
            expectDone(try await type("type", "stop", on: nil))
            let place = WindowPlace(session: WindowSession(["DISPLAY": ":0"]), window: nil)
            try TypingQueue(sandbox.environment()).add(TypedText(text: "One.", dictation: "1", place: place))
            let waits =
                "idle · 1 utterance waits: the process that types had ended; utter type again, or utter type drop"
            #expect(try await following.line(1) == waits)
            expectDone(try await type("type", "drop", on: nil))
            #expect(try await following.line(2) == "idle")
            following.signal(SIGTERM)
            #expect(try await following.finish().outputLines == ["idle", waits, "idle"])
            expectDone(try await type("type", "stop", on: nil))
            try FileManager.default.removeItem(atPath: runtime)
        }

        /// The processes of a program that the commands of this test have started.
        func processes(named name: String) async throws -> [pid_t] {
            let mark = Data("XDG_STATE_HOME=\(sandbox.file("state"))\0".utf8)
            let pattern = ["utter": "type serve$", "listener": "--listen-to-type"][name]
            let found = try await Program(
                ["pgrep", pattern == nil ? "-x" : "-f", "--", pattern ?? name],
                environment: ["PATH": "/usr/bin:/bin"]
            ).finish()
            return found.outputLines.compactMap { pid_t($0) }.filter {
                environmentVariables(of: $0)?.range(of: mark) != nil
            }
        }

        /// Waits for the ends of the processes that hear.
        func waitForListeners() async throws {
            try await Patience.wait(for: "the end of the dictation") { try await processes(named: "listener").isEmpty }
        }

        /// Has a text pasted, and runs commands of sh(1) in place of xdotool when it presses Shift-Insert.
        private func paste(_ text: String, on display: Display, _ commands: String) async throws -> Program.Finished {
            let path = try await putXdotool("*shift+Insert) \(commands) ;;", display)
            return try await start(["type", "text", text], on: display, environment: ["PATH": path]).finish()
        }

        /// Puts a program in the place of xdotool that runs the cases of sh(1), and else xdotool, which is `$XDOTOOL` there.
        ///
        /// - Returns: the folders of programs.
        func putXdotool(_ cases: String, _ display: Display) async throws -> String {
            let real = try await display.run("sh", "-c", "command -v xdotool | tr -d '\\n'")
            let script = "#!/bin/sh\nXDOTOOL=\(real)\ncase \"$*\" in \(cases) *) exec \(real) \"$@\" ;; esac\n"
            let folder = sandbox.file("programs")
            mkdir(folder, 0o700)
            chmod(sandbox.put(script, in: "programs/xdotool"), 0o700)
            return "\(folder):/usr/local/bin:/usr/bin:/bin"
        }

        @Test("If the program that pastes is killed with keys pressed, they are released")
        func pressedKeys() async throws {
            let (display, window) = try await openWindow()
            let pasted = try await paste(
                other, on: display, "\"$XDOTOOL\" keydown Shift_L keydown Insert; kill -9 $$")
            // The window may have pasted before the kill.
            #expect(pasted.end == .exited(0) || pasted.end == .exited(75), "\(pasted)")
            try await display.run("xdotool", "key", "a")
            try await Patience.wait(for: "the key") { window.typed.lowercased().contains("a") }
            #expect(window.typed.last == "a")
            try await end(display)
        }

        @Test("What somebody copies while a text is pasted stays in the clipboard")
        func copiedMeanwhile() async throws {
            let (display, window) = try await openWindow()
            defer { withExtendedLifetime(window) {} }
            let clip = sandbox.put("copied", in: "clip")
            let pasted = try await paste(other, on: display, "xclip -selection clipboard '\(clip)' > /dev/null 2>&1")
            #expect(
                pasted.end == .exited(75) && pasted.errors.contains("another program has taken the clipboard"),
                "\(pasted)")
            #expect(try await display.run("xclip", "-o", "-selection", "clipboard") == "copied")
            try await end(display)
        }

        @Test("If the process that serves is killed while it pastes, a window that asks gets the text")
        func killedPaste() async throws {
            let (display, window) = try await openWindow()
            defer { withExtendedLifetime(window) {} }
            let pasted = try await paste(other, on: display, "kill -9 $PPID")
            #expect(pasted.end == .exited(70), "\(pasted)")
            for selection in ["clipboard", "primary"] {
                // A text field asks more than once: first for the forms that there are.
                for _ in 0..<4 {
                    #expect(try await display.run("timeout", "10", "xclip", "-o", "-selection", selection) == other)
                }
            }
            try await end(display)
        }

        @Test("Without a session, a program that types or a microphone, begin says so in a sentence")
        func missing() async throws {
            let display = try await Display(sandbox)
            let without = try await type("type", "begin", on: nil)
            without.expectEnd(
                69, errors: "utter: there is no graphical session: neither WAYLAND_DISPLAY nor DISPLAY is set\n")
            let empty = try await type("type", "begin", on: display)
            empty.expectEnd(
                69, errors: "utter: no window of \(display.name) has the focus, or \(display.name) can't be reached\n")
            let window = try await TypedWindow(sandbox, display)
            defer { withExtendedLifetime(window) {} }
            let device = try await type("type", "begin", "--device", "nowhere", on: display)
            #expect(device.end == .exited(69) && device.errorLines.count == 1, "\(device.errors)")
            #expect(device.errors.hasPrefix("utter: there is no capture device nowhere"), "\(device.errors)")
            let model = try await type("type", "begin", "--model", "nowhere", "--device", "null", on: display)
            #expect(model.end == .exited(69) && model.errorLines.count == 1, "\(model)")
            #expect(model.errors.hasPrefix("utter: no model named nowhere is installed"), "\(model.errors)")
            let ended = try await type("type", "end", on: display)
            #expect(ended.end == model.end && ended.errors == model.errors)
            let other = try await type("type", "text", "nothing", on: nil, displayName: ":nowhere")
            other.expectEnd(69, errors: "utter: no window of :nowhere has the focus, or :nowhere can't be reached\n")
            let wrong = try await type("type", "begin", "--nonsense", on: display)
            #expect(wrong.end == .exited(64))
            try await end(display)
        }

        @Test(
            "If the process that serves ends before it has read a request, the next one takes it",
            arguments: [true, false])
        func unread(isAccepted: Bool) async throws {
            let (display, window) = try await openWindow()
            mkdir(runtime, 0o700)
            mkdir(runtime + "/utter", 0o700)
            let socket = try LocalSocket.listen(at: runtime + "/utter/type.socket")
            let typing = try start(["type", "text", "once"], on: display)
            try await Patience.wait(for: "the connection") { isReadable(socket) }
            var connection: Int32?
            if isAccepted {
                let accepted = accept(socket, nil, nil)
                connection = accepted
                try await Patience.wait(for: "the request") { isReadable(accepted) }
            }
            close(socket)
            if let connection { close(connection) }
            expectDone(try await typing.finish())
            try await window.wait(for: "once")
            #expect(window.typed == "once" && waiting == [])
            try await end(display)
        }

        private func isReadable(_ descriptor: Int32) -> Bool {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&wait, 1, 0) == 1
        }

        @Test(
            "The status tells of a process that still types but answers nobody, and so does what it does not take",
            .long)
        func unanswered() async throws {
            let queue = TypingQueue(sandbox.environment())
            let lock = try queue.lock()
            defer { withExtendedLifetime(lock) {} }
            mkdir(runtime, 0o700)
            mkdir(runtime + "/utter", 0o700)
            close(try LocalSocket.listen(at: runtime + "/utter/type.socket"))
            expectDone(try await type("status", on: nil), "idle\n")
            let place = WindowPlace(session: WindowSession(["DISPLAY": ":0"]), window: nil)
            for text in ["One.", "Two."] { try queue.add(TypedText(text: text, dictation: text, place: place)) }
            let first = try #require(try queue.operations().first).operation.id
            try queue.store.change(first) { $0.waitForUser("a reason", mayHaveArrived: false, at: Date()) }
            expectDone(
                try await type("status", on: nil),
                "finishing · 1 utterance waits: a reason; utter type again, or utter type drop\n")
            let drop = try await type("type", "drop", on: nil)
            drop.expectEnd(
                75,
                errors: "utter: the process that types does not answer: it ends when all is typed, or has another "
                    + "XDG_RUNTIME_DIR\n")
            try FileManager.default.removeItem(atPath: runtime)
        }

        @Test("Where another process serves elsewhere, the status does not say that nothing listens")
        func servedElsewhere() async throws {
            let display = try await Display(sandbox)
            expectDone(try await type("status", on: nil), "idle\n")
            let following = try start(["status", "--follow"], on: display)
            #expect(try await following.line(0) == "idle")
            mkdir(sandbox.file("other"), 0o700)
            for environment in [[:], ["XDG_RUNTIME_DIR": sandbox.file("other")]] {
                let status = try await sandbox.utter(["status"], environment: environment)
                status.expectEnd(
                    75,
                    errors: "utter: the process that types does not answer: it ends when all is typed, or has another "
                        + "XDG_RUNTIME_DIR\n")
            }
            following.signal(SIGTERM)
            _ = try await following.finish()
            try await end(display)
        }

        @Test("A second process can't serve, and only this user may reach the first")
        func secondServer() async throws {
            let display = try await Display(sandbox)
            let following = try start(["status", "--follow", "--json"], on: display)
            try await following.wait(forOutput: "\n")
            let second = try await type("type", "serve", on: display)
            #expect(second.end == .exited(75) && second.errors == "utter: another process serves utter type\n")
            var status = stat()
            #expect(stat(runtime + "/utter/type.socket", &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(stat(runtime + "/utter", &status) == 0 && status.st_mode & 0o777 == 0o700)
            expectDone(try await type("type", "stop", on: display))
            following.signal(SIGTERM)
            _ = try await following.finish()
            #expect(following.outputSoFar.hasPrefix(#"{"state":"idle","waiting":0,"#))
            try FileManager.default.removeItem(atPath: runtime)
        }
    }
}
