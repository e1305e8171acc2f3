import System

/// Types text into the window that has the focus, with the programs that the session has: on Wayland wtype, and on X11 xdotool,
/// or the clipboard for text that no keys of the layout produce.
struct Typist {
    let session: WindowSession

    enum Outcome: Equatable {
        case typed
        /// Nothing was typed, for the reason of this sentence.
        case nothing(String)
        /// A part may have been typed.
        case partly(String)
    }

    /// Why nothing can be typed in this session, a sentence; nil when something can.
    var whatIsMissing: String? {
        if session.isWayland {
            return BoundedProgram.isThere("wtype") ? nil : "wtype is missing, which types on Wayland: install it"
        }
        if !session.isX11 { return "there is no graphical session: neither WAYLAND_DISPLAY nor DISPLAY is set" }
        return BoundedProgram.isThere("xdotool") ? nil : "xdotool is missing, which types on X11: install it"
    }

    /// Types a text. Return and Tab are typed for a newline and a tab.
    func type(_ text: String) async -> Outcome {
        if let missing = whatIsMissing { return .nothing(missing) }
        if session.isWayland { return await typeKeys("wtype", ["-"], text) }
        if await layout.has(text) {
            // The server keeps every key's event, so no delay is needed for a program to follow.
            return await typeKeys("xdotool", ["type", "--clearmodifiers", "--delay", "1", "--file", "-"], text)
        }
        guard BoundedProgram.isThere("xclip") else {
            return .nothing("the text has characters that the keyboard has not, and xclip is missing: install it")
        }
        return await ClipboardPaste(session: session).paste(text)
    }

    /// Releases the keys that a killed xdotool may have left pressed: a key that is down can't be pressed, so its character would be
    /// missing from the next text, and Shift would change all that the user types.
    func releaseKeys() async {
        guard session.isX11 else { return }
        // The codes of the keys that have characters, and of Shift and AltGr. X keycodes are those of Linux and 8.
        let codes = Array(10...62) + [65, 94, 108]
        _ = await session.run("xdotool", ["keyup"] + codes.map { String($0) })
    }

    private var layout: KeyboardLayout {
        get async {
            let table = await session.run("xmodmap", ["-pk"], limit: .seconds(1))
            return KeyboardLayout(table: String(decoding: table.output, as: UTF8.self)) ?? .unknown
        }
    }

    /// Has a program type what is on its standard input, where other users can't read it, as they can arguments.
    private func typeKeys(_ program: String, _ arguments: [String], _ text: String) async -> Outcome {
        let limit = Duration.seconds(10) + .milliseconds(50) * text.unicodeScalars.count
        let finished = await session.run(program, arguments, input: text, limit: limit)
        switch finished.end {
        case .exited(0): return .typed
        case .exited(let status):
            // They write no text of ours, only what they lack.
            let words = String(decoding: finished.errors, as: UTF8.self).split(separator: "\n").last.map { ": \($0)" }
            return .nothing("\(program) ended with exit status \(status)\(words ?? "")")
        case .killed(let signal):
            await releaseKeys()
            return .partly("\(program) was ended by signal \(signal)")
        case .stopped:
            await releaseKeys()
            return .partly("\(program) did not end")
        case .notStarted(let code): return .nothing("\(program) can't be started: \(code.systemErrorText)")
        }
    }
}
