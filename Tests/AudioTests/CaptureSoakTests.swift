import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Audio

@Suite("Hours of capture")
struct CaptureSoakTests {
    /// `UTTER_SOAK_HOURS` sets how many hours of sound.
    @Test("lose no sample, and memory does not grow")
    func soak() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let hours = Tier.amount(0.02, long: 0.2, "UTTER_SOAK_HOURS")
            // At the recognizer's own rate, so that every sample is known.
            let frameCount = Int(hours * 3_600 * 16_000)
            let reader = Mutex<CaptureSession?>(nil)
            let gate = Gate()
            let device = FakeDevice { plan in
                plan.frameCount = frameCount
                plan.isWatched = false
                // It runs ahead of the reader by what a second's room holds, and no further.
                plan.gate = {
                    gate.wait {
                        reader.withLock { session in
                            session.map { $0.ring.samplesWritten - $0.ring.samplesConsumed < 8_000 } ?? true
                        }
                    }
                }
            }
            let tap = device.tap(.fake(bufferDuration: 1))
            reader.withLock { $0 = tap.blocks.session }
            try await tap.start()
            let stopping = Task {
                await device.settled()
                await tap.stop()
            }
            var position = 0
            var wrong = 0
            var (early, late): (Int?, Int?)
            for try await block in tap.blocks {
                gate.open()
                if block.position != Int64(position) { wrong += 1 }
                for (index, sample) in block.samples.enumerated()
                where sample != FakeDevicePlan.number(position + index) { wrong += 1 }
                position += block.samples.count
                if early == nil, position > frameCount / 10 { early = privateMemory() }
                // Before the end, which brings code and data that were not needed until then.
                if late == nil, position > frameCount / 20 * 19 { late = privateMemory() }
            }
            await stopping.value
            let (first, last) = (early ?? 0, late ?? .max)
            let statistics = tap.statistics
            print(
                "\(hours) h: \(position) samples, \(wrong) wrong, \(statistics.samplesDropped) dropped, "
                    + "\(first / 1024) KiB of memory, then \(last / 1024)")
            fflush(nil)
            #expect(position == frameCount)
            #expect(wrong == 0)
            #expect(statistics.samplesDropped == 0 && statistics.samplesMissing == 0)
            #expect(statistics.samplesCaptured == Int64(frameCount))
            // AddressSanitizer keeps what was freed for a while, up to 256 MiB.
            #expect(last < first + 1 << 19 || Sanitizer.isPresent)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// In bytes: the memory that the process has written to. The pages of its program and its libraries do not count, for the first to
/// measure brings those in by itself.
private func privateMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}
