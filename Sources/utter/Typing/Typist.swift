import System

/// Types text into the window that has the focus, with the programs that the session has: on X11 xdotool, or the clipboard for text
/// that no keys of the layout produce; on Wayland wtype, or the clipboard where the compositor lets no program type.
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
            if BoundedProgram.isThere("wtype") || canPasteOnWayland { return nil }
            return "nothing types here: install wtype, or for GNOME and KDE wl-clipboard and dotool or ydotool"
        }
        if !session.isX11 { return "there is no graphical session: neither WAYLAND_DISPLAY nor DISPLAY is set" }
        return BoundedProgram.isThere("xdotool") ? nil : "xdotool is missing, which types on X11: install it"
    }

    private var canPasteOnWayland: Bool { UinputKeys.isThere && ClipboardProgram.wlClipboard.isThere }

    /// Why a text is not typed, if its window has not the focus.
    static let otherWindow = "another window had the focus"
    /// The first words of xdotool's arguments: keys that the user holds down, as for a hotkey, would change what is typed. They are not
    /// pressed again afterwards, for the user may have released them meanwhile.
    static let withoutModifiers = [
        "keyup", "--delay", "0", "Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L", "Alt_R", "Super_L", "Super_R",
        "ISO_Level3_Shift",
    ]
    /// After so many characters it looks again where the focus is.
    private static let pieceLength = 40

    /// Types a text. Return and Tab are typed for a newline and a tab.
    ///
    /// - Parameter window: the window that must have the focus; nil for any.
    func type(_ text: String, into window: String?) async -> Outcome {
        if let missing = whatIsMissing { return .nothing(missing) }
        if session.isX11, await !keysProduce(text) {
            guard ClipboardProgram.xclip.isThere else {
                return .nothing("the keys do not produce this text as it is, and xclip is missing: install it")
            }
            return await ClipboardPaste(session: session, keys: nil).paste(text, into: window)
        }
        if let keys = await uinputKeys() {
            return await ClipboardPaste(session: session, keys: keys).paste(text, into: window)
        }
        return await inPieces(Self.pieces(of: text), in: window) { await typeKeys($0) }
    }

    /// Types a short text with keys only, never through the clipboard: a guess, which is soon another.
    ///
    /// - Parameter window: the window that must have the focus; nil for any.
    func typeWithKeys(_ text: String, into window: String?) async -> Outcome {
        if let missing = whatIsMissing { return .nothing(missing) }
        let hasKeys = session.isX11 ? await keysProduce(text) : await uinputKeys() == nil
        guard hasKeys else { return .nothing("the keys do not produce this text as it is") }
        return await inPieces(Self.pieces(of: text), in: window) { await typeKeys($0) }
    }

    /// What presses keys instead of wtype: nil on X11, and where wtype can type.
    private func uinputKeys() async -> UinputKeys? {
        guard session.isWayland, canPasteOnWayland else { return nil }
        // wtype finds out before it reads a text.
        let finished = await session.run("wtype", ["-"], limit: .seconds(2))
        if finished.end == .exited(0) { return nil }
        return await UinputKeys(in: session)
    }

    /// Erases a text that was typed, with a Backspace for each character.
    ///
    /// - Parameter window: the window that must have the focus; nil for any.
    func erase(_ text: String, in window: String?) async -> Outcome {
        if let missing = whatIsMissing { return .nothing(missing) }
        // Of a character of several parts, some programs erase one part at a time.
        guard text.allSatisfy({ $0.unicodeScalars.count == 1 }) else {
            return .nothing("what was typed last can't be erased key by key")
        }
        let uinputKeys = await uinputKeys()
        let starts = stride(from: 0, to: text.count, by: Self.pieceLength)
        let counts = starts.map { min(Self.pieceLength, text.count - $0) }
        return await inPieces(counts, in: window) { count in
            if let uinputKeys { return await uinputKeys.press(.backspaces(count)) }
            let keys =
                session.isWayland
                ? (0..<count).flatMap { _ in ["-k", "BackSpace"] } + Self.lastKey
                : Self.withoutModifiers + ["key", "--delay", "1", "--repeat", "\(count)", "BackSpace"]
            return await press(keys)
        }
    }

    /// A key that is released and does nothing. wtype makes a keyboard of the keys that it presses, and a program with GTK 3 has no
    /// command for the last one.
    private static let lastKey = ["-p", "VoidSymbol"]

    /// Types one piece after another, as long as the window has the focus.
    private func inPieces<Piece>(
        _ pieces: [Piece], in window: String?, _ type: (Piece) async -> Outcome
    ) async -> Outcome {
        for (index, piece) in pieces.enumerated() {
            let isFirst = index == 0
            if let window, await session.focusedWindow() != window {
                return isFirst ? .nothing(Self.otherWindow) : .partly(Self.otherWindow)
            }
            let outcome = await type(piece)
            if case .nothing(let reason) = outcome, !isFirst { return .partly(reason) }
            if outcome != .typed { return outcome }
        }
        return .typed
    }

    /// Divides a text into lines and the breaks between them, and long lines into pieces.
    static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        for character in text {
            if character == "\n" || pieces.last == "\n" || pieces.last.map({ $0.count >= pieceLength }) ?? true {
                pieces.append("")
            }
            pieces[pieces.count - 1].append(character)
        }
        return pieces
    }

    /// Has a program type what is on its standard input, where other users can't read it, as they can arguments.
    private func typeKeys(_ text: String) async -> Outcome {
        // The X server keeps every key's event, so no longer delay is needed for a program to follow.
        // For a line break it types the key Linefeed, of which most windows know nothing.
        let typing = text == "\n" ? ["key", "Return"] : ["type", "--delay", "1", "--file", "-"]
        return await press(session.isWayland ? ["-"] : Self.withoutModifiers + typing, input: text)
    }

    private func press(_ arguments: [String], input: String = "") async -> Outcome {
        let program = session.isWayland ? "wtype" : "xdotool"
        let finished = await session.run(program, arguments, input: input, limit: .seconds(30))
        switch finished.end {
        case .exited(0): return .typed
        case .exited(let status):
            // They write no text of ours, only what they lack.
            let words = String(decoding: finished.errors, as: UTF8.self).split(separator: "\n").last.map { ": \($0)" }
            let sentence = "\(program) ended with exit status \(status)\(words ?? "")"
            // What wtype says before it types.
            if !sentence.contains("does not support") { return .partly(sentence) }
            return .nothing("wtype may not type here; install wl-clipboard, and dotool or ydotool")
        case .killed(let signal):
            await session.releaseKeys()
            return .partly("\(program) was ended by signal \(signal)")
        case .stopped:
            await session.releaseKeys()
            return .partly("\(program) did not end")
        case .notStarted(let code): return .nothing("\(program) can't be started: \(code.systemErrorText)")
        }
    }

    /// Whether the keys produce a text as it is: the layout has its characters, and Caps Lock is off. xmodmap(1), xset(1)
    private func keysProduce(_ text: String) async -> Bool {
        let table = await session.run("xmodmap", ["-pk"], limit: .seconds(1))
        let layout = KeyboardLayout(table: String(decoding: table.output, as: UTF8.self)) ?? .unknown
        guard layout.has(text) else { return false }
        let state = await session.run("xset", ["q"], limit: .seconds(1))
        return String(decoding: state.output, as: UTF8.self).firstMatch(of: #/Caps Lock: +on/#) == nil
    }
}
