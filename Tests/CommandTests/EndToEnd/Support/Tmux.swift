import Foundation
import Glibc
import Synchronization
import TestSupport

/// A terminal in tmux, which reports writes to it. It ends with this object, and with the test's process.
final class Tmux: Sendable {
    enum Failure: Error {
        case command(String, said: [String])
        case ended(String)
    }

    private struct State {
        /// How often the terminal was written to, or its size has changed.
        var changes = 0
        var reply: [String]?
        /// The last complete reply, and whether it is an error.
        var finished: (lines: [String], isError: Bool)?
        /// Whether this client is attached, so that tmux accepts its commands.
        var isAttached = false
        var isAtEnd = false
    }

    private let client: Program
    /// Ends the server with this process: the server does not notice when its client's reader closes.
    private let watchdog: Program
    private let condition = NSCondition()
    private let state = Mutex(State())
    /// Held during a command, so that there is one at a time.
    private let turn = NSLock()

    /// Starts the terminal.
    ///
    /// - Parameters:
    ///   - program: the shell command that runs in the terminal.
    ///   - columns: the terminal's width.
    ///   - rows: the terminal's height.
    ///   - environment: the environment.
    init(_ program: String, columns: Int, rows: Int, environment: [String: String]) throws {
        let (reading, writing) = makePipe()
        let name = "utter-e2e-\(UUID().uuidString)"
        watchdog = try Program(
            ["sh", "-c", "trap '' INT HUP TERM; cat; exec tmux -L \(name) kill-server"], environment: environment,
            input: .pipe,
            output: .nothing, errors: .nothing)
        client = try Program(
            ["tmux", "-C", "-L", name, "-f", "/dev/null", "new-session", program], environment: environment,
            input: .pipe,
            output: .descriptor(writing))
        close(writing)
        Thread.detachNewThread { [self] in read(from: reading) }
        try waitUntilAttached()
        _ = try self.command("refresh-client -C \(columns)x\(rows)")
    }

    /// Ends the terminal and all that runs in it.
    func end() async throws {
        close(watchdog.input)
        _ = try await watchdog.finish()
        close(client.input)
        _ = try await client.finish()
    }

    private func waitUntilAttached() throws {
        condition.lock()
        defer { condition.unlock() }
        while !state.withLock({ $0.isAttached }) {
            if state.withLock({ $0.isAtEnd }) || !condition.wait(until: Patience.limit) {
                throw Failure.ended("attached")
            }
        }
    }

    /// Sends a command to tmux, and returns the lines of the reply.
    func command(_ words: String) throws -> [String] {
        turn.lock()
        defer { turn.unlock() }
        state.withLock { $0.finished = nil }
        let line = Array("\(words)\n".utf8)
        guard write(client.input, line, line.count) == line.count else { throw Failure.ended(words) }
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let (lines, isError) = state.withLock({ $0.finished }) {
                if isError { throw Failure.command(words, said: lines) }
                return lines
            }
            if state.withLock({ $0.isAtEnd }) || !condition.wait(until: Patience.limit) { throw Failure.ended(words) }
        }
    }

    /// Evaluates a body whenever the terminal was written to, until the result is not nil.
    ///
    /// - Returns: the result; nil when the time is over.
    func waiting<Answer>(for answer: () throws -> Answer?) throws -> Answer? {
        let limit = Patience.limit
        while true {
            let changes = state.withLock { $0.changes }
            if let answer = try answer() { return answer }
            condition.lock()
            defer { condition.unlock() }
            while state.withLock({ $0.changes }) == changes {
                if state.withLock({ $0.isAtEnd }) || !condition.wait(until: limit) { return nil }
            }
        }
    }

    /// Returns when the terminal has been written to `count` more times.
    func wait(forChanges count: Int) throws {
        let start = state.withLock { $0.changes }
        _ = try waiting { state.withLock { $0.changes } >= start + count ? true : nil }
    }

    private func read(from descriptor: Int32) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            condition.lock()
            if count <= 0 {
                state.withLock { $0.isAtEnd = true }
            } else {
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    take(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Array(rest[(end + 1)...])
                }
            }
            condition.broadcast()
            condition.unlock()
            if count <= 0 { break }
        }
        close(descriptor)
    }

    private func take(_ line: String) {
        state.withLock { state in
            if line.hasPrefix("%end ") || line.hasPrefix("%error ") {
                if let reply = state.reply { state.finished = (reply, line.hasPrefix("%error ")) }
                state.reply = nil
            } else if state.reply != nil {
                state.reply?.append(line)
            } else if line.hasPrefix("%begin ") {
                // The flag 1 marks replies to commands of this client.
                state.reply = line.hasSuffix(" 1") ? [] : nil
            } else if line.hasPrefix("%session-changed ") {
                state.isAttached = true
            } else if line.hasPrefix("%output ") || line.hasPrefix("%layout-change ") {
                state.changes += 1
            }
        }
    }
}
