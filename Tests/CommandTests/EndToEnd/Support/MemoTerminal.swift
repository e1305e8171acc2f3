import Foundation
import Glibc
import TestSupport
import Testing

/// A shell in a terminal, with `memo` as a function for `utter memo`.
final class MemoTerminal: Sendable {
    let sandbox: Sandbox
    private let tmux: Tmux

    init(
        _ sandbox: Sandbox, _ microphone: VirtualMicrophone? = nil, columns: Int = 200, rows: Int = 24,
        environment: [String: String] = [:]
    ) async throws {
        self.sandbox = sandbox
        let devices =
            microphone?.environment ?? ALSADevices.environment.merging(["PULSE_SERVER": "unix:/nonexistent"]) { $1 }
        let variables = devices.merging([
            "UTTER_NOTES": sandbox.file("notes"), "SWIFT_BACKTRACE": "enable=no", "UTTER_MODEL": "vosk-model-tiny-en",
        ]) { $1 }.merging(environment) { $1 }
        let exports = variables.map { "export \($0)='\($1)'\n" }.joined()
        // The tests' own TERM may be one with which tmux does not start, or that can't clear the screen.
        let script = sandbox.put(
            "\(exports)PS1='> '\nPS2=\nUTTER='\(Sandbox.utter)'\nalias memo='\(Sandbox.utter) memo'\nalias clear='TERM=screen clear'\nset +o history\n",
            in: "rc-\(UUID().uuidString)")
        tmux = try Tmux(
            "exec bash --noprofile --rcfile '\(script)' -i", columns: columns, rows: rows,
            environment: sandbox.environment())
        try await expect("a prompt") { $0 == [">"] }
    }

    func end() async throws { try await tmux.end() }

    // MARK: Keys

    func type(_ text: String) async throws {
        _ = try await command("send-keys -l -- '\(text.replacingOccurrences(of: "'", with: "'\\''"))'")
    }

    /// Presses keys by tmux's names for them.
    func press(_ keys: String...) async throws { _ = try await command("send-keys \(keys.joined(separator: " "))") }

    /// Types a line for the shell.
    func run(_ line: String) async throws {
        try await type(line)
        try await press("Enter")
    }

    /// Starts a memo and waits until it shows one of these states.
    func start(_ line: String = "memo", until states: String...) async throws {
        try await run(line)
        try await expect("\(states)") { lines in states.contains { lines.last?.hasPrefix($0) == true } }
    }

    func resize(columns: Int, rows: Int) async throws { _ = try await command("refresh-client -C \(columns)x\(rows)") }

    func command(_ words: String) async throws -> [String] { try await onThread { [tmux] in try tmux.command(words) } }

    // MARK: The screen

    /// The lines of the screen, without spaces at their ends and without the empty ones at its end.
    ///
    /// - Parameter all: whether to include the lines that have scrolled off the screen.
    func screen(all: Bool = false) async throws -> [String] {
        try await onThread { [tmux] in try Self.screen(tmux, "-p -J\(all ? " -S -" : "")") }
    }

    /// The lines of the screen, with dim text in angle brackets.
    func dimmedScreen() async throws -> [String] { try await onThread { [tmux] in try Self.dimmedScreen(tmux) } }

    private static func screen(_ tmux: Tmux, _ options: String) throws -> [String] {
        var lines = try tmux.command("capture-pane \(options)").map { line in
            String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func dimmedScreen(_ tmux: Tmux) throws -> [String] {
        // An attribute continues on the next line.
        var isDim = false
        return try screen(tmux, "-p -J -e").map { line in
            var shown = isDim ? "<" : ""
            var rest = line[...]
            while let sequence = rest.firstMatch(of: /\x1B\[([0-9;]*)m/) {
                shown += rest[..<sequence.range.lowerBound]
                let dims = sequence.output.1 == "2" || sequence.output.1 == "0;2"
                if dims != isDim { shown += dims ? "<" : ">" }
                isDim = dims
                rest = rest[sequence.range.upperBound...]
            }
            shown += rest
            return isDim ? shown + ">" : shown
        }
    }

    @discardableResult
    func expect(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ isSo: @escaping @Sendable ([String]) -> Bool
    ) async throws -> [String] {
        try await expect(what, sourceLocation: sourceLocation, isSo) { try Self.screen($0, "-p -J") }
    }

    @discardableResult
    func expectStopped(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await expect("the shell", sourceLocation: sourceLocation) {
            $0.contains { $0.contains("Stopped") } && $0.last == ">"
        }
    }

    /// Waits until the screen, with dim text in angle brackets, is as it should be.
    @discardableResult
    func expectDimmed(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ isSo: @escaping @Sendable ([String]) -> Bool
    ) async throws -> [String] {
        try await expect(what, sourceLocation: sourceLocation, isSo, Self.dimmedScreen)
    }

    private func expect(
        _ what: String, sourceLocation: SourceLocation, _ isSo: @escaping @Sendable ([String]) -> Bool,
        _ capture: @escaping @Sendable (Tmux) throws -> [String]
    ) async throws -> [String] {
        let found = try await onThread { [tmux] in
            try tmux.waiting { try capture(tmux).asOptional(if: isSo) }
        }
        let last = found == nil ? try await dimmedScreen() : []
        return try #require(
            found, "\(what) has not come:\n\(last.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    /// Waits until the screen has these lines, apart from messages about a silent microphone.
    func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expect("\(lines)", sourceLocation: sourceLocation) {
            $0.filter { $0 != "hears only silence: is it muted?" } == lines
        }
    }

    func expectCursor(column: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let found = try await onThread { [tmux] in
            try tmux.waiting { try tmux.command("display-message -p '#{cursor_x}'") == ["\(column)"] ? true : nil }
        }
        #expect(found == true, "the cursor is not in column \(column)", sourceLocation: sourceLocation)
    }

    /// Waits until the shell has the terminal again.
    @discardableResult
    func expectPrompt(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await expect("a prompt", sourceLocation: sourceLocation) { $0.count > 1 && $0.last == ">" }
    }

    /// Presses Enter, with which the memo ends, and waits until the shell has the terminal again.
    @discardableResult
    func endWithEnter(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await press("Enter")
        return try await expectPrompt(sourceLocation: sourceLocation)
    }

    /// Removes what a killed memo has left on the terminal.
    func tidyUp() async throws {
        try await run("stty sane; clear")
        try await expect([">"])
    }

    /// Waits until something was written to the terminal `count` times.
    func wait(forChanges count: Int) async throws { try await onThread { [tmux] in try tmux.wait(forChanges: count) } }

    // MARK: Processes and files

    func memoProcess() async throws -> pid_t {
        let shell = try #require(try await command("display-message -p '#{pane_pid}'").first)
        func find(in process: pid_t) -> pid_t? {
            for child in ProcessTable.children(of: process) {
                if (try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)) == "utter\n" { return child }
                if let found = find(in: child) { return found }
            }
            return nil
        }
        return try #require(pid_t(shell).flatMap(find), "no memo runs in the terminal")
    }

    /// The terminal's settings, as the shell's children see them.
    func settings() async throws -> String {
        let name = "stty-\(UUID().uuidString)"
        try await run("stty -a > '\(sandbox.file(name))'; echo set")
        try await expect("settings") { $0.suffix(2) == ["set", ">"] }
        _ = try await command("send-keys -R")
        try await run("clear")
        try await expect([">"])
        return try #require(sandbox.text(of: name))
    }
}

extension Array {
    fileprivate func asOptional(if isSo: ([Element]) -> Bool) -> [Element]? { isSo(self) ? self : nil }
}

extension Sandbox {
    /// The lines of the day's notes, without times and marks.
    var memos: [String] { memos(in: "notes") }

    func memos(in folder: String) -> [String] {
        names(in: folder).flatMap { name in
            (text(of: folder + "/" + name) ?? "").split(separator: "\n").map { line in
                line.components(separatedBy: " ^utter-")[0].replacing(#/^- [0-9]{2}:[0-9]{2} /#, with: "")
            }
        }
    }

    var journalNames: [String] { names(in: "state/utter/memos") }
}
