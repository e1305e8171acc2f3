import Foundation
import System
import TestSupport
import Testing

@testable import Outbox

@Suite("A long queue")
struct LongQueueTests {
    private let folder = TemporaryFolder(in: "/dev/shm")
    private static let count = Tier.count(2_000, long: 10_000)

    @Test(
        "is drained in the memory that its begin takes, and that is a fraction of what is in it",
        .notSanitized("its own memory is in the figures"))
    func memory() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("queue"), withIntermediateDirectories: false)
        let text = String(repeating: "buy milk and bread, ", count: 100)
        for _ in 0..<Self.count {
            let operation = OutboxOperation(destination: "vault", payload: CapturedText(text: text).payload)
            folder.put(operation.json, in: "queue/" + OutboxStore.name(of: operation.id))
        }
        let finished = await BoundedProgram(
            KilledProcessTests.rig, ["drain", folder.file("queue"), "\(Self.count)"],
            timeLimit: .seconds(Patience.seconds)
        ).run()
        let lines = String(decoding: finished.output, as: UTF8.self).split(separator: "\n")
        let memory = lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        try #require(memory.count == 2, "\(String(decoding: finished.errors, as: UTF8.self))")
        print("memory: \(memory[0]) KiB at the first of \(Self.count), \(memory[1]) at the last")
        // The texts have 20 MB.
        #expect(memory[1] - memory[0] < 10_000)
        #expect(try OutboxStore(folder: folder.file("queue")).index().ids.count <= 3)
    }
}
