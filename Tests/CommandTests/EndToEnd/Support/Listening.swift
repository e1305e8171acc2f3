import Foundation
import Glibc
import TestSupport
import Testing

/// `utter listen --format jsonl --save-audio` with a microphone, and the sound that it has saved so far.
struct Listening: Sendable {
    let sandbox: Sandbox
    let microphone: VirtualMicrophone
    let program: Program
    let saved: SavedSound

    init(
        _ sandbox: Sandbox, _ microphone: VirtualMicrophone, _ options: [String] = [], name: String = "saved.wav",
        under wrapper: [String] = [], environment: [String: String] = [:], waits: Bool = true
    ) async throws {
        self.sandbox = sandbox
        self.microphone = microphone
        saved = SavedSound(path: sandbox.file(name))
        program = try sandbox.listen(
            ["--format", "jsonl", "--save-audio", saved.path] + options, to: microphone, under: wrapper,
            environment: environment)
        if waits { try await saved.wait { $0.count > 0 } }
    }

    /// Plays a recording, and returns when all of it has been saved.
    func speak(_ recording: Recording) async throws { try await saved.hear(recording, from: microphone) }

    /// Ends it with a signal, and returns its events.
    func stop(_ signal: Int32 = SIGINT) async throws -> (events: ListenEvents, finished: Program.Finished) {
        program.signal(signal)
        return try await finish()
    }

    func finish() async throws -> (events: ListenEvents, finished: Program.Finished) {
        let finished = try await program.finish().withoutSilence
        return (try ListenEvents(lines: finished.output), finished)
    }

    /// The transcript by `utter transcribe` of the captured samples.
    func transcriptOfSaved(_ options: [String] = []) async throws -> JSONTranscript {
        try await sandbox.transcript(of: saved.path, options)
    }
}

extension Program.Finished {
    /// The result without messages about a silent microphone. A microphone of the tests is silent while nothing is played, and for
    /// how long depends on the machine.
    var withoutSilence: Self {
        var other = self
        other.errors = errors.replacing("utter: hears only silence: is it muted?\n", with: "")
        return other
    }
}

extension Sandbox {
    func listen(
        _ arguments: [String], to microphone: VirtualMicrophone? = nil, under wrapper: [String] = [],
        environment: [String: String] = [:], output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) throws -> Program {
        let devices = microphone?.environment ?? ALSADevices.environment
        return try startUtter(
            ["listen"] + arguments, under: wrapper, environment: devices.merging(environment) { $1 }, output: output,
            errors: errors)
    }

    /// Runs `utter listen` with a device that delivers samples at once, at 16 kHz.
    func listen(_ arguments: [String], to device: FilePCM, channelCount: Int = 1) async throws -> Program.Finished {
        try await listen(
            ["--device", device.deviceName, "--device-rate", "16000", "--device-channels", "\(channelCount)"]
                + arguments
        ).finish().withoutSilence
    }

    /// The transcript of a file by `utter transcribe`.
    func transcript(of path: String, _ options: [String] = []) async throws -> JSONTranscript {
        let finished = try await transcribe(["--format", "jsonl"] + options + [path])
        #expect(finished.end == .exited(0), "\(finished.errors)")
        return try JSONTranscript.parse(lines: finished.output)[path] ?? JSONTranscript()
    }
}

struct ListenEvents {
    var objects: [[String: Any]]

    /// Parses lines, each of which is an object with a type.
    init(lines: String) throws {
        objects = try lines.split(separator: "\n").map { line in
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            _ = try #require(object["type"] as? String, "\(line)")
            return object
        }
    }

    subscript(type: String) -> [[String: Any]] { objects.filter { $0["type"] as? String == type } }

    var states: [String] { self["status"].compactMap { $0["state"] as? String } }
    var finals: [JSONTranscript.Segment] { get throws { try self["final"].map(JSONTranscript.segment) } }
    var text: String { self["final"].compactMap { $0["text"] as? String }.joined(separator: " ") }

    struct Ledger: Equatable {
        var captured: Int
        var delivered: Int
        var dropped: Int
        var missing: Int
    }

    var ledger: Ledger {
        get throws {
            let end = try #require(objects.last)
            func number(_ name: String) throws -> Int { try #require(end[name] as? Int, "\(name)") }
            return Ledger(
                captured: try number("captured"), delivered: try number("delivered"), dropped: try number("dropped"),
                missing: try number("missing"))
        }
    }
}
