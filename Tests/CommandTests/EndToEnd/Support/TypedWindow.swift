import Foundation
import Glibc
import TestSupport

/// A real X server, without a window manager.
final class Display: Sendable {
    /// Its name, such as `:5`.
    let name: String
    private let server: Program
    private let sandbox: Sandbox

    init(_ sandbox: Sandbox) async throws {
        self.sandbox = sandbox
        // It takes a free number. Without -noreset it would forget everything when its last program leaves.
        server = try Program(
            ["Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "800x600x24"],
            environment: sandbox.environment())
        try await server.wait(forOutput: "\n")
        name = ":" + server.outputSoFar.split(separator: "\n")[0]
    }

    /// Runs a program on this display, which must succeed, and returns its output.
    @discardableResult
    func run(_ command: String...) async throws -> String {
        let finished = try await Program(command, environment: sandbox.environment(["DISPLAY": name])).finish()
        if finished.exitCode != 0 { throw Sandbox.Failed(command: command, errors: finished.errors) }
        return finished.output
    }

    deinit {
        // After SIGTERM it removes its lock and its socket from /tmp.
        let descriptor = pidDescriptor(server.processID, 0)
        server.signal(SIGTERM)
        if descriptor >= 0 { waitForEnd(descriptor) }
    }
}

/// A real terminal window, and what is typed there.
final class TypedWindow: Sendable {
    private let name: String
    private let display: Display
    private let terminal: Program
    private let reader: Program

    /// Opens the window, and gives it the focus.
    init(_ sandbox: Sandbox, _ display: Display, name: String = "window") async throws {
        (self.display, self.name) = (display, name)
        let environment = sandbox.environment(["DISPLAY": display.name])
        let pipe = sandbox.file(name)
        mkfifo(pipe, 0o600)
        reader = try Program(["cat", pipe], environment: environment)
        terminal = try Program(
            ["xterm", "-u8", "-T", name, "-e", "sh", "-c", "stty -icanon -echo; exec cat > '\(pipe)'"],
            environment: environment)
        try await focus()
    }

    deinit { terminal.signal(SIGTERM) }

    /// Gives the window the focus, and returns when it has it.
    func focus() async throws {
        try await display.run(
            "xdotool", "search", "--sync", "--onlyvisible", "--name", "^\(name)$", "windowfocus", "--sync")
    }

    /// Waits until a text was typed.
    func wait(for text: String) async throws { try await reader.wait(forOutput: text) }

    var typed: String { reader.outputSoFar }
}
