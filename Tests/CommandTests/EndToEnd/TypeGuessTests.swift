import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

/// Tests of guesses that are typed before their text is final. A pause never decides here, so that what appears is a guess.
extension EndToEndTests.Typing {
    private func begin(
        _ options: String..., on display: Display, _ microphone: VirtualMicrophone, environment: [String: String] = [:]
    ) async throws {
        let words = ["type", "begin", "--volatile", "--endpoint-silence", "10"] + options
        expectDone(try await start(words, on: display, microphone, environment: environment).finish())
    }

    /// What stands in a window: each Backspace has erased a character.
    private func shown(in window: TypedWindow) -> String {
        window.typed.reduce(into: "") { text, character in
            if character == "\u{7F}" || character == "\u{8}" { _ = text.popLast() } else { text.append(character) }
        }
    }

    /// Speaks, and waits until the guess at it stands in a window.
    private func speak(to microphone: VirtualMicrophone, guessIn window: TypedWindow) async throws {
        try await microphone.play(digits.path)
        try await Patience.wait(for: "the guess") { shown(in: window) == digits.transcript }
        #expect(waiting == [] && marks.count == 1)
    }

    private var marks: [String] { sandbox.names(in: "state/utter/typing").filter { $0.hasSuffix(".guess") } }

    @Test("On wish what is said is typed while it is guessed, and stays when it is final")
    func guess() async throws {
        let (display, window) = try await openWindow()
        let microphone = try await VirtualMicrophone()
        try await begin(on: display, microphone)
        try await speak(to: microphone, guessIn: window)
        #expect(sandbox.mode(of: "state/utter/typing/\(marks[0])") == 0o600)
        let typed = window.typed
        expectDone(try await type("type", "end", on: display))
        expectDone(try await type("type", "text", ".", on: display))
        try await window.wait(for: typed + ".")
        #expect(window.typed == typed + "." && waiting == [] && marks == [])
        expectDone(try await type("type", "scratch", on: display))
        expectDone(try await type("type", "scratch", on: display))
        try await Patience.wait(for: "the end of what was typed") { shown(in: window) == "" }
        try await end(display)
    }

    @Test("Where the final text is another, the guess is mended")
    func mendedGuess() async throws {
        let (display, window) = try await openWindow()
        let microphone = try await VirtualMicrophone()
        // The command writes what is final only.
        try await begin("--filter", "sed 's/[^ ]*$/żółć/'", on: display, microphone)
        try await speak(to: microphone, guessIn: window)
        let final = digits.transcript.split(separator: " ").dropLast().joined(separator: " ") + " żółć"
        expectDone(try await type("type", "end", on: display))
        try await Patience.wait(for: "the final text") { shown(in: window) == final }
        #expect(waiting == [] && marks == [])
        try await end(display)
    }

    @Test("The final text takes the place of a guess that is still being typed when the dictation has ended")
    func lateGuess() async throws {
        let (display, window) = try await openWindow()
        let microphone = try await VirtualMicrophone()
        let path = try await putXdotool(
            "*--file*) until [ -e '\(sandbox.file("go"))' ]; do sleep 0.01; done; exec \"$XDOTOOL\" \"$@\" ;;", display)
        try await begin(on: display, microphone, environment: ["PATH": path])
        try await microphone.play(digits.path)
        try await Patience.wait(for: "the guess that is being typed") { marks.count == 1 }
        let ending = try start(["type", "end"], on: display)
        try await waitForListeners()
        expectDone(try await type("status", on: display), "finishing\n")
        #expect(window.typed == "" && waiting.count == 1)
        sandbox.put([], in: "go")
        expectDone(try await ending.finish())
        try await Patience.wait(for: "the final text") { shown(in: window).hasSuffix(digits.transcript) }
        #expect(shown(in: window) == digits.transcript && waiting == [] && marks == [])
        try await end(display)
    }

    @Test(
        "What is cancelled is erased, and so is the guess of a process that dies",
        arguments: Tier.every(2, of: [true, false]))
    func erasedGuess(isCancelled: Bool) async throws {
        let (display, window) = try await openWindow()
        let microphone = try await VirtualMicrophone()
        try await begin(on: display, microphone)
        try await speak(to: microphone, guessIn: window)
        if isCancelled {
            expectDone(try await type("type", "cancel", on: display))
        } else {
            for listener in try await processes(named: "listener") { kill(listener, SIGKILL) }
            #expect(try await type("type", "end", on: display).end == .exited(70))
        }
        #expect(marks == [])
        try await Patience.wait(for: "the end of the guess") { shown(in: window) == "" }
        expectDone(try await type("type", "text", "end", on: display))
        try await window.wait(for: "end")
        #expect(shown(in: window) == "end" && waiting == [])
        try await end(display)
    }

    @Test("If the process that serves is killed with a guess in a window, the final text waits, and a sentence says so")
    func killedWithGuess() async throws {
        let (display, window) = try await openWindow()
        let microphone = try await VirtualMicrophone()
        try await begin(on: display, microphone)
        try await speak(to: microphone, guessIn: window)
        kill(try #require(try await processes(named: "utter").first), SIGKILL)
        try await Patience.wait(for: "the text in the queue") { waiting.count == 1 }
        // Until its process has ended, a dictation is finishing.
        try await waitForListeners()
        let sentence =
            "idle · 1 utterance waits: the process that types had ended, and a guess may be in the window; "
            + "utter type again, or utter type drop\n"
        expectDone(try await type("status", on: display), sentence)
        // Another process that serves says the same.
        expectDone(try await type("type", "text", "|", on: display))
        expectDone(try await type("status", on: display), sentence)
        #expect(marks.count == 1)
        expectDone(try await type("type", "again", on: display))
        try await Patience.wait(for: "the text") { shown(in: window).hasSuffix("|" + digits.transcript) }
        #expect(shown(in: window) == digits.transcript + "|" + digits.transcript && waiting == [] && marks == [])
        try await end(display)
    }

    @Test("If another window has the focus when the text is final, it waits, and a sentence says where its guess is")
    func guessInOtherWindow() async throws {
        let display = try await Display(sandbox)
        let second = try await TypedWindow(sandbox, display, name: "second")
        let first = try await TypedWindow(sandbox, display, name: "first")
        let microphone = try await VirtualMicrophone()
        try await begin("--filter", "tr a-z A-Z", on: display, microphone)
        try await speak(to: microphone, guessIn: first)
        try await second.focus()
        let ended = try await type("type", "end", on: display)
        ended.expectEnd(
            75,
            errors: "utter: the text waits: another window had the focus, and a guess may be in its window; "
                + "utter type again types it here\n")
        #expect(second.typed == "" && marks == [])
        expectDone(try await type("type", "again", on: display))
        try await second.wait(for: digits.transcript.uppercased())
        #expect(shown(in: first) == digits.transcript && second.typed == digits.transcript.uppercased())
        try await end(display)
    }

    @Test("If the program that erases is killed, the final text waits, for nobody knows what is in the window")
    func killedEraser() async throws {
        let (display, window) = try await openWindow()
        let microphone = try await VirtualMicrophone()
        let path = try await putXdotool(
            "*BackSpace) [ -e '\(sandbox.file("go"))' ] && kill -9 $$; exec \"$XDOTOOL\" \"$@\" ;;", display)
        try await begin("--filter", "tr a-z A-Z", on: display, microphone, environment: ["PATH": path])
        try await speak(to: microphone, guessIn: window)
        // A guess may have been mended before.
        sandbox.put([], in: "go")
        let ended = try await type("type", "end", on: display)
        #expect(ended.end == .exited(75) && ended.errors.contains("so a part may be in the window"), "\(ended)")
        #expect(shown(in: window) == digits.transcript && waiting.count == 1)
        expectDone(try await type("type", "drop", on: display))
        try await end(display)
    }
}
