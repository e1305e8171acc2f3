import Foundation
import Glibc
import Synchronization

/// A program that a test runs, with pipes as its standard input, output and error.
package final class Program: Sendable {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The output, the exit status and the resources of a program that has ended.
    package struct Finished: Sendable {
        package var end: End
        package var output: String
        package var errors: String
        /// The peak of its memory, in KiB.
        package var peakMemory: Int

        package var exitCode: Int32? { if case .exited(let code) = end { code } else { nil } }
        package var outputLines: [String] { output.split(separator: "\n").map(String.init) }
        package var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    package enum Failure: Error {
        case cannotStart(String, errno: Int32)
        case takesTooLong([String], output: String, errors: String)
        case endedBefore(String, output: String, errors: String)
    }

    /// What a standard descriptor of the program is.
    package enum Attachment: Sendable {
        case pipe
        case nothing
        case closed
        /// A descriptor of the test, which stays open there.
        case descriptor(Int32)
    }

    /// The end of its standard input that the test writes to.
    package let input: Int32
    package let processID: pid_t
    private let command: [String]
    private let output: Collector
    private let errors: Collector
    /// Whether `finish` waits for its end.
    private let isAwaited = Atomic(false)

    /// Starts a program. Its environment is `environment` alone, and the variables for coverage.
    package init(
        _ command: [String], environment: [String: String], input: Attachment = .nothing, output: Attachment = .pipe,
        errors: Attachment = .pipe
    ) throws {
        self.command = command
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ours: [Int32] = []
        var theirs: [Int32] = []
        for (number, attachment) in zip(Int32(0)..., [input, output, errors]) {
            var our: Int32 = -1
            switch attachment {
            case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .closed: posix_spawn_file_actions_addclose(&actions, number)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            case .pipe:
                let (reading, writing) = makePipe()
                our = number == 0 ? writing : reading
                let their = number == 0 ? reading : writing
                posix_spawn_file_actions_adddup2(&actions, their, number)
                theirs.append(their)
            }
            ours.append(our)
        }
        defer { for descriptor in theirs { close(descriptor) } }
        // The program has the default signal actions, as when a shell starts it, even for signals that this process ignores.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Threads of Dispatch block signals, and the child would inherit that as well.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var words = command.map { strdup($0) } + [nil]
        var variables =
            environment.merging(Coverage.environment) { own, _ in own }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var processID: pid_t = 0
        let code = posix_spawnp(&processID, command[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw Failure.cannotStart(command[0], errno: code) }
        self.processID = processID
        self.input = ours[0]
        self.output = Collector(ours[1])
        self.errors = Collector(ours[2])
    }

    // Reap it: Swift Testing waits for any child, and a zombie would keep it from noticing the end of its own children.
    deinit {
        guard !isAwaited.load(ordering: .relaxed) else { return }
        Thread.detachNewThread { [processID] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        }
    }

    /// Waits until the output so far, or that on stderr, holds `text`.
    package func wait(forOutput text: String) async throws { try await wait(for: text, in: output) }
    package func wait(forError text: String) async throws { try await wait(for: text, in: errors) }

    /// Waits until the output has a whole line with this number, counted from 0, and returns it.
    package func line(_ number: Int) async throws -> String {
        let (command, output, errors) = (command, output, errors)
        return try await onThread {
            func lines() -> [Substring] { output.text.split(separator: "\n", omittingEmptySubsequences: false) }
            guard output.wait(until: { lines().count > number + 1 }) else {
                throw Failure.endedBefore("\(command) said line \(number)", output: output.text, errors: errors.text)
            }
            return String(lines()[number])
        }
    }

    private func wait(for text: String, in collector: Collector) async throws {
        let (command, output, errors) = (command, output, errors)
        try await onThread {
            guard collector.wait(for: text) else {
                throw Failure.endedBefore("\(command) said \(text)", output: output.text, errors: errors.text)
            }
        }
    }

    /// Sends a line to its standard input and waits until the program has written the same line, so that everything that it wrote
    /// before is in `outputSoFar`. Blocks the thread, so the program must answer at once.
    package func synchronize(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        if Glibc.write(input, bytes, bytes.count) == bytes.count { _ = output.wait(for: line + "\n") }
    }

    /// What the program has written to standard output so far.
    package var outputSoFar: String { output.text }

    package func signal(_ number: Int32) { kill(processID, number) }

    /// Writes to its standard input, `atOnce` bytes with each call, and closes it unless `closes` is false.
    package func write(_ bytes: [UInt8], atOnce: Int = .max, closes: Bool = true) async throws {
        let input = input
        try await onThread {
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(atOnce))
                let count = Glibc.write(input, part, part.count)
                if count < 0 && errno != EINTR { break }
                rest = rest.dropFirst(max(0, count))
            }
            if closes { close(input) }
        }
    }

    /// Waits for its end and for all of its output.
    package func finish() async throws -> Finished {
        isAwaited.store(true, ordering: .relaxed)
        let (command, processID, output, errors) = (command, processID, output, errors)
        return try await onThread {
            let isLate = Atomic(false)
            let watch = DispatchWorkItem {
                isLate.store(true, ordering: .relaxed)
                kill(processID, SIGKILL)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Patience.seconds), execute: watch)
            var status: Int32 = 0
            var usage = rusage()
            while wait4(processID, &status, 0, &usage) < 0 && errno == EINTR {}
            watch.cancel()
            if isLate.load(ordering: .relaxed) {
                throw Failure.takesTooLong(command, output: output.text, errors: errors.text)
            }
            output.waitForEnd()
            errors.waitForEnd()
            return Finished(
                end: status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F),
                output: output.text,
                errors: errors.text, peakMemory: usage.ru_maxrss)
        }
    }
}

/// Reads everything from a pipe on a thread of its own.
private final class Collector: Sendable {
    private struct State: Sendable {
        var bytes: [UInt8] = []
        var isAtEnd = false
    }

    private let condition = NSCondition()
    private let state: Mutex<State>

    init(_ descriptor: Int32) {
        state = Mutex(State(isAtEnd: descriptor < 0))
        guard descriptor >= 0 else { return }
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                // Before anybody learns of the end: tests count what is open.
                if count <= 0 { close(descriptor) }
                condition.lock()
                state.withLock { state in
                    if count > 0 { state.bytes += buffer[..<count] } else { state.isAtEnd = true }
                }
                condition.broadcast()
                condition.unlock()
                if count <= 0 { break }
            }
        }
    }

    /// The text so far. It is decoded under the lock: a copy of the bytes would be safe thanks to its reference count, which
    /// ThreadSanitizer doesn't see.
    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Waits until the output holds a text.
    ///
    /// - Returns: false when the output has ended without it.
    func wait(for text: String) -> Bool { wait { self.text.contains(text) } }

    /// Waits until the output is as it should be.
    ///
    /// - Returns: false when the output has ended before.
    func wait(until isSo: () -> Bool) -> Bool {
        let limit = Patience.limit
        condition.lock()
        defer { condition.unlock() }
        while !isSo() {
            if state.withLock({ $0.isAtEnd }) || !condition.wait(until: limit) { return false }
        }
        return true
    }

    func waitForEnd() {
        condition.lock()
        while !state.withLock({ $0.isAtEnd }) { condition.wait() }
        condition.unlock()
    }
}

/// A pipe that no other child inherits.
package func makePipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    precondition(pipe2(&ends, O_CLOEXEC) == 0)
    return (ends[0], ends[1])
}

/// Makes a pipe of 4,096 bytes that holds dashes, and has so much room left. F_SETPIPE_SZ: fcntl(2)
package func makeNarrowPipe(room: Int) -> (reading: Int32, writing: Int32) {
    let (reading, writing) = makePipe()
    let junk = [UInt8](repeating: UInt8(ascii: "-"), count: 4_096 - room)
    // 1031 is F_SETPIPE_SZ, which is not in the Glibc module.
    precondition(fcntl(writing, 1031, 4_096) == 4_096 && write(writing, junk, junk.count) == junk.count)
    return (reading, writing)
}

// pipe2(2) is not in the Glibc module. With pipe and fcntl, a child that another thread starts between the two calls would
// inherit the descriptors.
private let pipe2 = unsafeBitCast(
    dlsym(nil, "pipe2")!, to: (@convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32).self)

/// Runs a body that blocks on a thread of its own.
package func onThread<Value>(_ body: @escaping @Sendable () throws -> sending Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let work = Work(body)
        Thread.detachNewThread { continuation.resume(with: Result { try work.take()() }) }
    }
}

/// A body that its thread releases as soon as it has returned, not some time after the caller continues. A sandbox that the body
/// captures is removed with its last reference, which must happen before the tests' process ends.
private final class Work<Value>: Sendable {
    private let body: Mutex<(@Sendable () throws -> sending Value)?>

    init(_ body: @escaping @Sendable () throws -> sending Value) { self.body = Mutex(body) }

    func take() -> @Sendable () throws -> sending Value {
        body.withLock { body in
            defer { body = nil }
            return body!
        }
    }
}
