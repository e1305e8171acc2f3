import CALSA
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Audio

@Suite("Opening a device")
struct CaptureOpeningTests {
    @Test("ALSA's messages about a device that can't be opened are in the error, and not on the standard error")
    func messages() async throws {
        let finished = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
                for device in ["nosuch", "hw:99", "hw:CARD=Nosuch", "plug:'", "microphone:unix:/nosuch/socket"] {
                    let tap = CaptureTap(CaptureConfiguration(device: device, bufferDuration: 1))
                    print("<\(await tap.refusal()?.description ?? "opened")>")
                }
                // The same for what its programs would have by default.
                setenv("PULSE_SERVER", "unix:/nosuch/socket", 1)
                print("<\(await CaptureTap().refusal()?.description ?? "opened")>")
                fflush(nil)
            })
        let output = String(decoding: finished.standardOutputContent, as: UTF8.self)
        let sentences = output.split(separator: "\n").filter { $0.hasPrefix("<") }.map {
            String($0.dropFirst().dropLast())
        }
        #expect(
            sentences == [
                "there is no capture device nosuch: connect a microphone, or choose another device (ALSA says: Unknown PCM nosuch)",
                "there is no capture device hw:99: connect a microphone, or choose another device "
                    + "(ALSA says: Cannot get card index for 99)",
                "there is no capture device hw:CARD=Nosuch: connect a microphone, or choose another device "
                    + "(ALSA says: Cannot get card index for Nosuch)",
                "there is no capture device plug:': connect a microphone, or choose another device "
                    + "(ALSA says: Unterminated string; Parse arguments error: Invalid argument; Unknown PCM plug:')",
                "the capture device microphone:unix:/nosuch/socket does not answer: start the sound server (PulseAudio or PipeWire), "
                    + "or choose another device (ALSA says: PulseAudio: Unable to connect: Connection refused)",
                "the capture device default does not answer: start the sound server (PulseAudio or PipeWire), "
                    + "or choose another device (ALSA says: PulseAudio: Unable to connect: Connection refused)",
            ])
        #expect(String(decoding: finished.standardErrorContent, as: UTF8.self) == "")
    }

    @Test("Without the capture of its messages ALSA writes them to the standard error, and does so again afterwards")
    func withoutCollecting() async throws {
        let finished = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                var pcm: OpaquePointer?
                let (_, messages) = ALSAMessages.collecting { snd_pcm_open(&pcm, "first", SND_PCM_STREAM_CAPTURE, 0) }
                #expect(messages == ["Unknown PCM first"])
                _ = snd_pcm_open(&pcm, "second", SND_PCM_STREAM_CAPTURE, 0)
                fflush(nil)
            })
        let errors = String(decoding: finished.standardErrorContent, as: UTF8.self)
        #expect(errors.contains("Unknown PCM second"))
        #expect(!errors.contains("first"))
    }

    @Test(
        "Each way in which a device can refuse has its code and its sentence",
        arguments: [
            (
                [ENOENT, ENODEV], .noDevice,
                "there is no capture device a:b: connect a microphone, or choose another device"
            ),
            (
                [EBUSY, EAGAIN], .busy,
                "the capture device a:b is busy: end the program that records from it, or choose another device"
            ),
            (
                [EACCES, EPERM], .permissionDenied,
                "the capture device a:b may not be opened by this user: join the group audio, and log in again"
            ),
            (
                [ECONNREFUSED], .unreachable,
                "the capture device a:b does not answer: start the sound server (PulseAudio or PipeWire), or choose another device"
            ),
            (
                [EINVAL], .unsupportedFormat,
                "the capture device a:b has no format, rate or channel that will do: choose another device"
            ),
            ([EIO], .failed, "the capture device a:b failed: Input/output error"),
            ([EMFILE], .failed, "the capture device a:b failed: Too many open files"),
        ] as [([Int32], CaptureError.Code, String)])
    func refusals(numbers: [Int32], code: CaptureError.Code, sentence: String) async throws {
        for errno in numbers {
            let tap = CaptureTap(CaptureConfiguration(device: "a:b", bufferDuration: 1)) {
                configuration throws(CaptureError) in
                throw CaptureError(opening: configuration.device, result: -errno, messages: ["slave", "card 3"])
            }
            let error = try #require(await tap.refusal())
            #expect(error == CaptureError(code, device: "a:b", errno: errno, messages: ["slave", "card 3"]))
            #expect("\(error)" == sentence + " (ALSA says: slave; card 3)")
            #expect("\(CaptureError(code, device: "a:b", errno: errno))" == sentence)
            // Who reads all the same is not left waiting.
            #expect(await Capture.reading(tap).blocks.isEmpty)
            await tap.stop()
            #expect(tap.deviceFormat == nil)
            #expect(await tap.refusal()?.code == .alreadyUsed)
        }
    }

    @Test(
        "So has each way in which a capture can end",
        arguments: [
            (
                .unplugged,
                "the capture device a:b is gone, unplugged or its sound server ended; what it heard before is kept"
            ),
            (.silent, "the capture device a:b runs, but no sound has come for ten seconds: choose another device"),
            (.failed, "the capture device a:b failed: Input/output error"),
            (.conversionFailed, "the capture device a:b failed: Invalid argument"),
            (.stopped, nil),
        ] as [(CaptureEnd.Reason, String?)])
    func ends(reason: CaptureEnd.Reason, sentence: String?) {
        let error = CaptureError(CaptureEnd(reason: reason, code: reason == .silent ? 0 : EIO), device: "a:b")
        #expect(error?.description == sentence)
    }

    @Test("A tap is started once")
    func once() async throws {
        let tap = FakeDevice(FakeDevicePlan()).tap()
        try await tap.start()
        let error = try #require(await tap.refusal())
        #expect("\(error)" == "the capture of fake was started before; a tap is started once")
        await tap.stop()
        #expect(await tap.refusal()?.code == .alreadyUsed)
    }

    @Test("When no descriptors are left, there is an error and no endless wait")
    func noDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            // What Dispatch and the tap's first use need is open by then.
            let device = FakeDevice(FakeDevicePlan())
            _ = try await Capture.whole(of: device)
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var usual = limit
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            // A sanitizer wants some when the process ends.
            defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) }
            let tap = FakeDevice(FakeDevicePlan()).tap()
            #expect(await tap.refusal() == CaptureError(.failed, device: "fake", errno: EMFILE))
            #expect(await Capture.reading(tap).blocks.isEmpty)
            await tap.stop()
        }
    }
}
