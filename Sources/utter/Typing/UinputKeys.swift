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

    enum Keys: Equatable {
        case shiftInsert
        case backspaces(Int)
    }

    func press(_ keys: Keys) async -> Typist.Outcome {
        let (arguments, input) = Self.command(keys, program)
        let finished = await session.run(program.name, arguments, input: input, limit: .seconds(30))
        return Self.outcome(of: finished, program)
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

    /// What a program that has ended has pressed. They say no more than what they lack: /dev/uinput, or ydotool's daemon.
    static func outcome(of finished: BoundedProgram.Finished, _ program: Program) -> Typist.Outcome {
        let said = String(decoding: finished.output + finished.errors, as: UTF8.self)
        switch finished.end {
        case .exited(0): return .typed
        case .notStarted(let code): return .nothing("\(program.name) can't be started: \(code.systemErrorText)")
        case .stopped: return .partly("\(program.name) did not end")
        case .exited where said.contains("uinput"), .killed where said.contains("uinput"):
            return .nothing("\(program.name) may not press keys: it needs write access to /dev/uinput")
        case .exited where said.contains("failed to connect"):
            return .nothing("ydotool does not reach its daemon: start ydotoold")
        case .exited, .killed: return .partly("\(program.name) could not press all keys")
        }
    }
}
