import System

/// Presses keys through the kernel, which works under every compositor, and on Wayland also where no program may type: on GNOME and KDE.
/// Which character a key has is not known, so text is pasted. dotool(1), ydotool(1)
struct UinputKeys: Equatable {
    enum Program: Equatable {
        case dotool
        case ydotool
        /// ydotool before 1.0, which takes names of keys. Debian 12 has it.
        case oldYdotool

        var name: String { self == .dotool ? "dotool" : "ydotool" }
    }

    let session: WindowSession
    let program: Program

    /// Finds a program that presses keys; nil if there is none.
    init?(in session: WindowSession) async {
        self.session = session
        if BoundedProgram.isThere("dotool") {
            program = .dotool
        } else if BoundedProgram.isThere("ydotool") {
            // The old one does not know the option, and says what it knows.
            let help = await session.run("ydotool", ["--help"], limit: .seconds(2))
            let text = String(decoding: help.output + help.errors, as: UTF8.self)
            program = text.contains("YDOTOOL_SOCKET") ? .ydotool : .oldYdotool
        } else {
            return nil
        }
    }

    /// Whether one of the programs is installed.
    static var isThere: Bool { BoundedProgram.isThere("dotool") || BoundedProgram.isThere("ydotool") }

    /// A combination of keys.
    enum Keys: Equatable {
        case shiftInsert
        case backspaces(Int)
    }

    /// Presses keys.
    ///
    /// - Returns: why it could not, a sentence; nil if it could.
    func press(_ keys: Keys) async -> String? {
        let (arguments, input) = Self.command(keys, program)
        let finished = await session.run(program.name, arguments, input: input, limit: .seconds(30))
        switch finished.end {
        case .exited(0): return nil
        case .stopped: return "\(program.name) did not end"
        case .notStarted(let code): return "\(program.name) can't be started: \(code.systemErrorText)"
        case .exited, .killed:
            let said = String(decoding: finished.output + finished.errors, as: UTF8.self)
            return Self.sentence(program, said)
        }
    }

    /// The arguments and the standard input of a program that presses keys. linux/input-event-codes.h
    static func command(_ keys: Keys, _ program: Program) -> (arguments: [String], input: String) {
        switch (program, keys) {
        case (.dotool, .shiftInsert): ([], "key shift+insert\n")
        case (.dotool, .backspaces(let count)): ([], String(repeating: "key backspace\n", count: count))
        case (.ydotool, .shiftInsert): (["key", "42:1", "110:1", "110:0", "42:0"], "")
        case (.ydotool, .backspaces(let count)):
            (["key", "--key-delay", "2"] + (0..<count).flatMap { _ in ["14:1", "14:0"] }, "")
        case (.oldYdotool, .shiftInsert): (["key", "shift+insert"], "")
        case (.oldYdotool, .backspaces(let count)): (["key", "--repeat", "\(count)", "backspace"], "")
        }
    }

    /// Why a program has pressed nothing. They say no more than what they lack: /dev/uinput, or ydotool's daemon.
    private static func sentence(_ program: Program, _ said: String) -> String {
        if said.contains("uinput") {
            return "\(program.name) may not press keys: it needs write access to /dev/uinput"
        }
        if said.contains("connect") { return "ydotool does not reach its daemon: start ydotoold" }
        let last = said.split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
        return "\(program.name) could not press keys\(last)"
    }
}
