import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Audio

/// Each in a process of its own, since what a process may do is set for all its threads.
@Suite("Real-time priority")
struct RealTimePriorityTests {
    /// What a capture from a device that counts as hardware says of its priority, and what its thread really had.
    private static func capture() async throws -> (claims: Bool, policy: Int32, samples: Int) {
        let device = FakeDevice(FakeDevicePlan())
        let policy = Policy()
        let tap = CaptureTap(.fake(), stopLimit: .seconds(100)) { _ throws(CaptureError) in
            var hardware = device.device
            hardware.isHardware = true
            hardware.close = { [close = hardware.close] pcm in
                // The capture's own thread closes.
                policy.value.store(sched_getscheduler(0), ordering: .relaxed)
                close(pcm)
            }
            return hardware
        }
        try await tap.start()
        await device.settled()
        await tap.stop()
        let captured = await Capture.reading(tap)
        return (tap.statistics.hasRealTimePriority, policy.value.load(ordering: .relaxed), captured.samples.count)
    }

    private final class Policy: Sendable { let value = Atomic<Int32>(-1) }

    private static func limit(to priority: rlim_t) -> Bool {
        var limit = rlimit(rlim_cur: priority, rlim_max: priority)
        return setrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0
    }

    @Test(
        "is used and reported if the system grants it",
        .enabled(if: RealTimePriority.isGranted(), "the system grants none here"))
    func granted() async throws {
        await #expect(processExitsWith: .success) {
            let capture = try await Self.capture()
            #expect(capture.claims && capture.policy == SCHED_FIFO && capture.samples > 0)
        }
    }

    @Test(
        "is not claimed where the system refuses it, and the capture goes on without",
        .notSanitized("its search for leaks is killed in a process that has changed its user"))
    func refused() async throws {
        await #expect(processExitsWith: .success) {
            try #require(Self.limit(to: 0))
            // Root may do it all the same, and nobody else.
            if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
            let capture = try await Self.capture()
            #expect(!capture.claims && capture.policy == SCHED_OTHER && capture.samples > 0)
        }
    }
}
