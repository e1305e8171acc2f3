import Foundation
import Glibc
import Synchronization

/// A microphone that needs no sound card: a PulseAudio server of its own with a null sink, whose monitor hears what is
/// played into the sink. It delivers in real time, every 20 ms, silence as well.
///
/// What is played at the sink's rate and channels is heard bit for bit. The server, its folder and all that it has opened go
/// with the owner, and also when the test's process is killed.
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

    /// Starts one and waits until it can be opened.
    package init(rate: Int = 48_000, channelCount: Int = 2) async throws {
        // The server's end must not be that of a test that gives it an order.
        signal(SIGPIPE, SIG_IGN)
        self.rate = rate
        self.channelCount = channelCount
        // A socket's path has room for 107 bytes.
        var template = Array((FileManager.default.temporaryDirectory.path + "/utter-mic.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no folder for the microphone: errno \(errno)") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Without rewinds the sink never works more than 50 ms ahead, not two seconds as an idle one would.
        let modules = """
            .fail
            load-module module-null-sink sink_name=microphone format=s16le rate=\(rate) channels=\(channelCount) norewinds=1
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

    /// Its name for ALSA in this process, and in every one with `ALSADevices.environment`: it says which server is meant.
    package var deviceName: String { "microphone:unix:\(folder)/socket" }

    /// What child processes need in their environment to have it as `microphone` and as `default`.
    package var environment: [String: String] {
        ALSADevices.environment.merging(["PULSE_SERVER": "unix:\(folder)/socket"]) { $1 }
    }

    // MARK: Speaking into it

    /// Plays a WAV file in real time and returns when the last sample has gone into the sink. A reader of the
    /// microphone may have it some 20 ms later.
    package func play(_ path: String) async throws { try await playing(try await rendered(path)).finish() }

    /// Plays interleaved samples at the sink's rate and channels in real time.
    package func play(_ samples: [Int16]) async throws { try await playing(samples).finish() }

    /// Begins to play interleaved samples at the sink's rate and channels, so many times.
    package func playing(_ samples: [Int16], times: Int = 1) throws -> Playback {
        let path = folder + "/\(UUID().uuidString).raw"
        var data = Data()
        for _ in 0..<times { samples.withUnsafeBytes { data.append(contentsOf: $0) } }
        try data.write(to: URL(fileURLWithPath: path))
        // Without PULSE_LATENCY_MSEC: a deep buffer, so that nothing runs dry on a busy machine.
        return Playback(
            program: try Program(
                [
                    "pacat", "--playback", "--raw", "--format=s16le", "--rate=\(rate)", "--channels=\(channelCount)",
                    "--device=microphone", path,
                ], environment: clientEnvironment), path: path)
    }

    /// What `play` plays of a WAV file: the samples at the sink's rate and channels, interleaved. The same file gives
    /// the same samples, and a file with the sink's rate and channels its own.
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
            if finished.end != .exited(0) { throw Failure(description: "pacat ended with \(finished.end): \(finished.errors)") }
        }

        /// Breaks it off; what is left in the server's buffer is not played.
        package func stop() async throws {
            defer { unlink(path) }
            program.signal(SIGTERM)
            _ = try await program.finish()
        }
    }

    // MARK: What befalls devices

    /// No sound and no silence either: nothing comes, and time passes.
    package func suspend() async throws { try await pactl("suspend-sink", "microphone", "1") }

    /// It is suspended, and runs again. In one go, as `freezeAndThaw`: on a busy machine a test may have to wait between the two for longer
    /// than a capture waits for sound.
    package func suspendAndResume() async throws {
        try await run(["sh", "-c", "pactl suspend-sink microphone 1 && pactl suspend-sink microphone 0"])
    }

    /// The device goes; the server stays.
    package func removeDevice() async throws { try await pactl("unload-module", "module-null-sink") }

    /// The server dies as by kill -9, and is no more when this returns.
    package func die() async throws { try await order("die") }

    /// The server answers nobody; what was heard meanwhile comes after `thaw`.
    package func freeze() async throws { try await order("freeze") }
    package func thaw() async throws { try await order("thaw") }
    package func freezeAndThaw() async throws { try await order("freeze", "thaw") }

    /// Runs `pactl` with a subcommand on this server.
    package func pactl(_ words: String...) async throws { try await run(["pactl"] + words) }

    /// Gives orders, and returns when the last one is done.
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

    /// Nothing of the user's: neither settings nor a session bus.
    private static func base(_ folder: String) -> [String: String] {
        ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder]
    }
}
