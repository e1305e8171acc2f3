import Foundation
import Glibc
import Synchronization

/// A microphone that needs no sound card: a PulseAudio server of its own with a null sink, whose monitor records what is
/// played into the sink. It delivers in real time, every 20 ms, silence as well.
///
/// What is played at the sink's rate and channels is recorded bit for bit. The server, its folder and everything that it has opened
/// are removed with this object, and also when the test's process is killed.
///
///     let microphone = try await VirtualMicrophone()
///     let tap = try CaptureTap(device: microphone.deviceName)
///     try await microphone.play("AudioFixtures/memo.wav")
package final class VirtualMicrophone: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The rate of the sink and of its monitor, in Hz. An ALSA device on it takes other rates too; the server then converts.
    package let rate: Int
    package let channelCount: Int

    private let folder: String
    private let supervisor: Program
    private let orderCount = Mutex(0)

    /// Starts the server, and waits until the microphone can be opened.
    package init(rate: Int = 48_000, channelCount: Int = 2) async throws {
        // If the server has ended, an order to it must not end the tests' process.
        signal(SIGPIPE, SIG_IGN)
        self.rate = rate
        self.channelCount = channelCount
        // The path of a socket can have at most 107 bytes.
        var template = Array((FileManager.default.temporaryDirectory.path + "/utter-mic.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "no folder for the microphone: errno \(errno)")
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Without rewinds the sink works at most 50 ms ahead, instead of two seconds when it is idle.
        let modules = """
            .fail
            load-module \(Self.device(rate, channelCount).joined(separator: " "))
            load-module module-native-protocol-unix socket=\(folder)/socket auth-anonymous=1

            """
        try Data(modules.utf8).write(to: URL(fileURLWithPath: folder + "/modules.pa"))
        supervisor = try Program(
            ["sh", ALSADevices.folder + "/run-server.sh", folder],
            environment: Self.base(folder).merging([
                "XDG_RUNTIME_DIR": folder, "PULSE_RUNTIME_PATH": folder, "PULSE_STATE_PATH": folder, "LC_ALL": "C",
                "PULSE_CONFIG": ALSADevices.folder + "/pulse-server.conf",
            ]) { $1 }, input: .pipe)
        try await supervisor.wait(forError: "Daemon startup complete")
    }

    deinit {
        _ = give("end", number: 0)
        close(supervisor.input)
        var status: Int32 = 0
        while waitpid(supervisor.processID, &status, 0) < 0 && errno == EINTR {}
    }

    /// The microphone's ALSA name in this process, and in every process with `ALSADevices.environment`. It includes the server.
    package var deviceName: String { "microphone:unix:\(folder)/socket" }

    /// The environment variables with which child processes have it as `microphone` and as `default`.
    package var environment: [String: String] {
        ALSADevices.environment.merging(["PULSE_SERVER": "unix:\(folder)/socket"]) { $1 }
    }

    // MARK: Speaking into it

    /// Plays a WAV file in real time, and returns when the last sample has gone into the sink. A reader of the
    /// microphone may get it some 20 ms later.
    package func play(_ path: String) async throws { try await playing(try await rendered(path)).finish() }

    /// Plays interleaved samples at the sink's rate and channels in real time.
    package func play(_ samples: [Int16]) async throws { try await playing(samples).finish() }

    /// Begins to play interleaved samples at the sink's rate and channels, `times` times.
    package func playing(_ samples: [Int16], times: Int = 1) throws -> Playback {
        let path = folder + "/\(UUID().uuidString).raw"
        var data = Data()
        for _ in 0..<times { samples.withUnsafeBytes { data.append(contentsOf: $0) } }
        try data.write(to: URL(fileURLWithPath: path))
        // Without PULSE_LATENCY_MSEC the buffer is deep, so that it does not run dry on a busy machine.
        return Playback(
            program: try Program(
                [
                    "pacat", "--playback", "--raw", "--format=s16le", "--rate=\(rate)", "--channels=\(channelCount)",
                    "--device=microphone", path,
                ], environment: clientEnvironment), path: path)
    }

    /// The samples that `play` plays for a WAV file: interleaved, at the sink's rate and channels. They are the same each time, and
    /// for a file with the sink's rate and channels they are the file's.
    package func rendered(_ path: String) async throws -> [Int16] {
        let raw = folder + "/\(UUID().uuidString).raw"
        defer { unlink(raw) }
        try await run([
            "sox", "-D", "-R", path, "-t", "raw", "-e", "signed-integer", "-b", "16", "-L", "-r", "\(rate)", "-c",
            "\(channelCount)", raw,
        ])
        return Samples.read(try Data(contentsOf: URL(fileURLWithPath: raw)))
    }

    /// Something that is being played.
    package struct Playback: Sendable {
        let program: Program
        let path: String

        /// Returns when all of it has gone into the sink.
        package func finish() async throws {
            defer { unlink(path) }
            let finished = try await program.finish()
            if finished.end != .exited(0) {
                throw Failure(description: "pacat ended with \(finished.end): \(finished.errors)")
            }
        }

        /// Stops it at once; what is left in the server's buffer is not played.
        package func stop() async throws {
            defer { unlink(path) }
            program.signal(SIGTERM)
            _ = try await program.finish()
        }
    }

    // MARK: Faults of the device

    /// Suspends the sink: the microphone delivers neither sound nor silence.
    package func suspend() async throws { try await pactl("suspend-sink", "microphone", "1") }

    /// Suspends the sink and resumes it. This is one command, as `freezeAndThaw` is one order, because between two a test on a busy
    /// machine may have to wait for longer than a capture waits for sound.
    package func suspendAndResume() async throws {
        try await run(["sh", "-c", "pactl suspend-sink microphone 1 && pactl suspend-sink microphone 0"])
    }

    /// Removes the device; the server stays.
    package func removeDevice() async throws { try await pactl("unload-module", "module-null-sink") }

    /// Makes the device again that `removeDevice()` has removed.
    package func returnDevice() async throws {
        try await run(["pactl", "load-module"] + Self.device(rate, channelCount))
    }

    /// The server's module that is the microphone, with its arguments.
    private static func device(_ rate: Int, _ channelCount: Int) -> [String] {
        [
            "module-null-sink", "sink_name=microphone", "format=s16le", "rate=\(rate)", "channels=\(channelCount)",
            "norewinds=1",
        ]
    }

    /// Kills the server as with kill -9, and returns when it has ended.
    package func die() async throws { try await order("die") }

    /// Stops the server, so that it answers nobody. What was recorded meanwhile is delivered after `thaw`.
    package func freeze() async throws { try await order("freeze") }
    package func thaw() async throws { try await order("thaw") }
    package func freezeAndThaw() async throws { try await order("freeze", "thaw") }

    /// Runs `pactl` with a subcommand on this server.
    package func pactl(_ words: String...) async throws { try await run(["pactl"] + words) }

    /// Sends orders to the microphone's shell, and returns when the last one is done.
    private func order(_ orders: String...) async throws {
        var last = 0
        for order in orders {
            last = orderCount.withLock { count in
                count += 1
                return count
            }
            guard give(order, number: last) else { throw Failure(description: "the microphone's shell has ended") }
        }
        try await supervisor.wait(forOutput: "done \(last).")
    }

    private func give(_ order: String, number: Int) -> Bool {
        let line = Array("\(order) \(number)\n".utf8)
        return write(supervisor.input, line, line.count) == line.count
    }

    private func run(_ command: [String]) async throws {
        let finished = try await Program(command, environment: clientEnvironment).finish()
        guard finished.end == .exited(0) else {
            throw Failure(description: "\(command) ended with \(finished.end): \(finished.errors)")
        }
    }

    private var clientEnvironment: [String: String] {
        var variables = environment.merging(Self.base(folder)) { $1 }
        variables["PULSE_LATENCY_MSEC"] = nil
        return variables
    }

    /// An environment without the user's settings and session bus.
    private static func base(_ folder: String) -> [String: String] {
        ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder]
    }
}
