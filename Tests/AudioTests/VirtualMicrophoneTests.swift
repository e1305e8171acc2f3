import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The virtual microphone")
struct VirtualMicrophoneTests {
    static let fixture = Fixture.path("digits-rms.wav")

    @Test(
        "What is played at the microphone's own rate is heard bit for bit", .long,
        arguments: [(48_000, 2), (16_000, 1)])
    func hearsWhatIsPlayed(rate: Int, channelCount: Int) async throws {
        let microphone = try await VirtualMicrophone(rate: rate, channelCount: channelCount)
        let played = try await microphone.rendered(Self.fixture)
        let recording = try await Recording(microphone)

        try await microphone.play(Self.fixture)

        let heard = try await recording.finish(after: played)
        let offset = try #require(Alignment.exactOffset(of: played, in: heard))
        #expect(offset % channelCount == 0)
        #expect(heard[..<offset].allSatisfy { $0 == 0 })
        #expect(heard[(offset + played.count)...].allSatisfy { $0 == 0 })
    }

    @Test("Two microphones at the same time each get their own sound")
    func twoMicrophones() async throws {
        async let first = VirtualMicrophone()
        async let second = VirtualMicrophone()
        let microphones = try await [first, second]
        var numbers = SplitMix64(for: "two microphones")
        let noise = (0..<2).map { _ in (0..<48_000).map { _ in Int16.random(in: 1...1_000, using: &numbers) } }
        let recordings = try await [Recording(microphones[0]), Recording(microphones[1])]

        async let playing: Void = microphones[0].play(noise[0])
        try await microphones[1].play(noise[1])
        try await playing

        for (recording, noise) in zip(recordings, noise) {
            let heard = try await recording.finish(after: noise)
            let offset = try #require(Alignment.exactOffset(of: noise, in: heard))
            #expect(heard[..<offset].allSatisfy { $0 == 0 })
        }
    }

    @Test("Each microphone is found by its own name")
    func namesSayWhichServer() async throws {
        let microphones = try await [VirtualMicrophone(), VirtualMicrophone()]
        #expect(microphones[0].deviceName != microphones[1].deviceName)
        let recording = try await Recording(microphones[1], device: microphones[0].deviceName)
        let noise = [Int16](repeating: 77, count: 9_600)
        try await microphones[0].play(noise)
        #expect(Alignment.exactOffset(of: noise, in: try await recording.finish(after: noise)) != nil)
    }

    @Test("The devices exist in this process as well")
    func inThisProcess() async throws {
        let microphone = try await VirtualMicrophone(rate: 16_000, channelCount: 1)
        let capture = try ALSACapture(microphone.deviceName, rate: 16_000)
        let noise = (1...1_600).map { Int16($0) }
        let playback = try microphone.playing(noise)
        var heard: [Int16] = []
        // Not for ever, if it never comes.
        while !heard.contains(1_600) && heard.count < 16_000 * 10 { heard += try capture.read() }
        try await playback.finish()
        #expect(Alignment.exactOffset(of: noise, in: heard) != nil)
    }

    @Test("A recorder ends with an error when the server is killed, and the device no longer exists")
    func death() async throws {
        let microphone = try await VirtualMicrophone()
        let recording = try await Recording(microphone)
        try await microphone.die()
        let finished = try await recording.program.finish()
        #expect(finished.end == .exited(1))
        #expect(finished.errors.contains("Input/output error"))

        let again = try await Recording(microphone, waits: false).program.finish()
        #expect(again.errors.contains("Connection refused"))
    }

    @Test("A recorder ends with an error when the device is removed")
    func removal() async throws {
        let microphone = try await VirtualMicrophone()
        let recording = try await Recording(microphone)
        try await microphone.removeDevice()
        let finished = try await recording.program.finish()
        #expect(finished.end == .exited(1))
        #expect(finished.errors.contains("Input/output error"))
    }

    @Test("After the server was suspended or stopped, the microphone works again")
    func standstill() async throws {
        let microphone = try await VirtualMicrophone()
        let recording = try await Recording(microphone)
        let noise = (1...4_800).map { Int16($0) }
        try await microphone.suspendAndResume()
        try await microphone.freezeAndThaw()
        try await microphone.play(noise)
        #expect(Alignment.exactOffset(of: noise, in: try await recording.finish(after: noise)) != nil)
    }

    @Test("Playing that is cancelled stops before its end")
    func breakingOff() async throws {
        let microphone = try await VirtualMicrophone()
        let recording = try await Recording(microphone)
        let minute = [Int16](repeating: 5, count: 48_000 * 2 * 60)
        let marker = (1...4_800).map { Int16(-$0) }

        let playback = try microphone.playing(minute)
        try await recording.wait(nonzero: 1_000)
        try await playback.stop()
        try await microphone.play(marker)

        let heard = try await recording.finish(after: marker)
        #expect(heard.count { $0 == 5 } < minute.count / 2)
    }

    @Test("The devices are listed with their descriptions")
    func listing() async throws {
        let listing = try await Program(
            ["arecord", "-L"], environment: ALSADevices.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        ).finish().output
        for device in [
            "microphone\n    Virtual microphone\n", "default\n    Virtual microphone, by default\n", "null\n",
        ] {
            #expect(listing.contains(device))
        }
    }

    @Test(
        "Nothing is left when the owner lets it go, whatever has befallen it",
        arguments: ["nothing", "freeze", "die", "removal"])
    func ending(fate: String) async throws {
        var microphone: VirtualMicrophone? = try await VirtualMicrophone()
        let socket = try #require(microphone?.environment["PULSE_SERVER"]?.dropFirst("unix:".count))
        let folder = URL(fileURLWithPath: String(socket)).deletingLastPathComponent().path
        switch fate {
        case "freeze": try await microphone?.freeze()
        case "die": try await microphone?.die()
        case "removal": try await microphone?.removeDevice()
        default: break
        }
        #expect(processes(mentioning: folder).count == (fate == "die" ? 1 : 2))
        microphone = nil
        #expect(processes(mentioning: folder).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(
        "The server ends when its owner is killed, and when the shell between them is killed",
        arguments: ["owner", "shell"])
    func killing(victim: String) async throws {
        let folder = TemporaryFolder()
        let home = folder.file("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try Data("load-module module-null-sink\n".utf8).write(to: URL(fileURLWithPath: home + "/modules.pa"))
        let (reading, writing) = makePipe()
        // It owns the writing end as a test's process does.
        let owner = try Program(
            ["sleep", "1000"], environment: ["PATH": "/usr/bin:/bin"], output: .descriptor(writing))
        let shell = try Program(
            ["sh", ALSADevices.folder + "/run-server.sh", home],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": home, "PULSE_RUNTIME_PATH": home, "LC_ALL": "C",
                "PULSE_CONFIG": ALSADevices.folder + "/pulse-server.conf",
            ], input: .descriptor(reading))
        close(reading)
        close(writing)
        try await shell.wait(forError: "Daemon startup complete")
        #expect(processes(mentioning: home).count == 2)

        (victim == "owner" ? owner : shell).signal(SIGKILL)

        // The server holds stderr open, so this waits for its end too.
        _ = try await shell.finish()
        #expect(processes(mentioning: home).isEmpty)
        #expect(FileManager.default.fileExists(atPath: home) == (victim == "shell"))
        owner.signal(SIGKILL)
        _ = try await owner.finish()
    }
}

private enum Fixture {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static func path(_ name: String) -> String { "\(root)/AudioFixtures/\(name)" }
}

/// A blocking capture of mono S16_LE, with the library that is there when the tests run.
private final class ALSACapture {
    struct Failed: Error { let code: Int }

    private typealias Open =
        @convention(c) (UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, Int32, Int32) -> Int32
    private typealias SetParams = @convention(c) (OpaquePointer, Int32, Int32, UInt32, UInt32, Int32, UInt32) -> Int32
    private typealias ReadFrames = @convention(c) (OpaquePointer, UnsafeMutablePointer<Int16>, UInt) -> Int

    private let handle: OpaquePointer
    private let library = dlopen("libasound.so.2", RTLD_NOW)

    init(_ device: String, rate: UInt32) throws {
        var handle: OpaquePointer?
        let code = unsafeBitCast(dlsym(library, "snd_pcm_open"), to: Open.self)(&handle, device, 1, 0)
        guard let handle else { throw Failed(code: Int(code)) }
        self.handle = handle
        let result = unsafeBitCast(dlsym(library, "snd_pcm_set_params"), to: SetParams.self)(
            handle, 2, 3, 1, rate, 0, 100_000)
        if result < 0 { throw Failed(code: Int(result)) }
    }

    deinit {
        _ = unsafeBitCast(dlsym(library, "snd_pcm_close"), to: (@convention(c) (OpaquePointer) -> Int32).self)(handle)
    }

    func read() throws -> [Int16] {
        var buffer = [Int16](repeating: 0, count: 160)
        let count = unsafeBitCast(dlsym(library, "snd_pcm_readi"), to: ReadFrames.self)(handle, &buffer, 160)
        if count < 0 { throw Failed(code: count) }
        return Array(buffer[..<count])
    }
}

/// Processes by their command lines (with a zero byte behind each word).
private func processes(mentioning text: String) -> [String: pid_t] {
    var found: [String: pid_t] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let processID = pid_t(name), let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
        else {
            continue
        }
        let words = String(decoding: line, as: UTF8.self)
        if words.contains(text) { found[words] = processID }
    }
    return found
}
