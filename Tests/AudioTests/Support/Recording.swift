import Foundation
import Glibc
import Synchronization
import TestSupport

/// `arecord` on a virtual microphone, and what it has heard so far.
final class Recording: Sendable {
    /// What was awaited has not come, before the end or for half a minute.
    struct Silent: Error {}

    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
    }

    let program: Program
    private let state = Mutex(State())
    private let condition = NSCondition()

    /// Starts it with the microphone's own format.
    ///
    /// - Parameter waits: whether to wait for the first sound.
    init(_ microphone: VirtualMicrophone, device: String = "microphone", waits: Bool = true) async throws {
        let (reading, writing) = makePipe()
        program = try Program(
            [
                "arecord", "-q", "-D", device, "-t", "raw", "-f", "S16_LE", "-r", "\(microphone.rate)", "-c",
                "\(microphone.channelCount)", "--period-time=10000",
            ], environment: microphone.environment.merging(["PATH": "/usr/bin:/bin", "LC_ALL": "C"]) { $1 },
            output: .descriptor(writing))
        close(writing)
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(reading, &buffer, buffer.count)
                condition.lock()
                state.withLock { state in
                    if count > 0 { state.bytes += buffer[..<count] } else { state.isAtEnd = true }
                }
                condition.broadcast()
                condition.unlock()
                if count <= 0 { break }
            }
            close(reading)
        }
        if waits { try await wait(bytes: 1) }
    }

    /// Waits until it has recorded so many bytes that are not zero and so many in all.
    func wait(nonzero: Int = 0, bytes: Int = 0) async throws {
        try await onThread { [self] in
            var (seen, loud) = (0, 0)
            let limit = Patience.limit
            condition.lock()
            defer { condition.unlock() }
            while true {
                let isAtEnd = state.withLock { state in
                    loud += state.bytes[seen...].count { $0 != 0 }
                    seen = state.bytes.count
                    return state.isAtEnd
                }
                if loud >= nonzero && seen >= bytes { return }
                if isAtEnd || !condition.wait(until: limit) { throw Silent() }
            }
        }
    }

    /// Ends it when it has heard all of what was played.
    func finish(after played: [Int16]) async throws -> [Int16] {
        let loud = Samples.bytes(played).count { $0 != 0 }
        try await wait(nonzero: loud)
        program.signal(SIGINT)
        _ = try await program.finish()
        try await onThread { [self] in
            condition.lock()
            while !state.withLock({ $0.isAtEnd }) { condition.wait() }
            condition.unlock()
        }
        return Samples.read(state.withLock { $0.bytes })
    }
}
