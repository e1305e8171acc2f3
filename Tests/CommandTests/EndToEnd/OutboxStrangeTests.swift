import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests with things that others put into the queue's folder, by hand or by accident.
    @Suite("Strange things in the queue")
    struct OutboxStrange {
        private let sandbox = Sandbox()

        /// Makes things that are not files with names of operations. Devices are made only by root.
        private func makeStrangeThings() throws -> [String] {
            try FileManager.default.createDirectory(
                atPath: sandbox.file("state/utter/outbox"), withIntermediateDirectories: true)
            var names: [String] = []
            func new() -> String {
                names.append(UUID.timeOrdered().name + ".json")
                return sandbox.file("state/utter/outbox/\(names[names.count - 1])")
            }
            #expect(mkfifo(new(), 0o600) == 0 && mkdir(new(), 0o700) == 0)
            #expect(symlink("/nowhere", new()) == 0 && symlink("/dev/zero", new()) == 0)
            names.append(".new-1")
            #expect(symlink("/nowhere", sandbox.file("state/utter/outbox/.new-1")) == 0)
            // These are like /dev/zero and a terminal that waits for a key.
            if geteuid() == 0 {
                #expect(
                    mknod(new(), S_IFCHR | 0o600, dev_t(1 << 8 | 5)) == 0
                        && mknod(new(), S_IFCHR | 0o600, dev_t(5 << 8)) == 0)
            }
            return names.sorted()
        }

        @Test(
            "Pipes, devices, folders and links block nothing, fill nothing, and are reported once; everything else continues"
        )
        func strange() async throws {
            let names = try makeStrangeThings()
            let id = try sandbox.queue()
            let list = try await sandbox.outbox("list")
            #expect(
                list.end == .exited(0) && list.errors == ""
                    && list.outputLines.map { String($0.prefix(36)) } == [id.name])
            let summary = try await sandbox.outbox()
            #expect(
                summary.outputLines == [
                    "notes: 1 pending", Sandbox.unbrought, "not ours: \(names.joined(separator: ", "))",
                ]
                    && summary.peakMemory < 200_000)
            #expect(try await sandbox.outbox("show", String(names.last!.prefix(36))).end == .exited(66))
            #expect(try await sandbox.outbox("add", "--no-drain", "more").end == .exited(0))
            for arguments in [
                ["retry", "--all", "--no-drain"], ["move", "--all", "--to", "notes", "--no-drain"], ["drain"],
            ] {
                let finished = try await sandbox.outbox(arguments)
                #expect(finished.end == .exited(0) && finished.errors == "", "\(arguments) \(finished.errors)")
            }
            #expect(try sandbox.queued == [] && sandbox.memos(in: "data/utter/notes").sorted() == ["buy milk", "more"])
            #expect(try await sandbox.outbox("clear", "--yes").end == .exited(0))
            let left = Set(sandbox.names(in: "state/utter/outbox")).subtracting([".changes", ".drain"])
            #expect(left == Set(names))
        }

        @Test("Endless standard input is refused, and does not fill the memory")
        func endless() async throws {
            let zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC)
            defer { close(zeros) }
            let finished = try await sandbox.utter(["outbox", "add"], input: .descriptor(zeros))
            #expect(finished.end == .exited(65) && finished.peakMemory < 600_000, "\(finished.peakMemory)")
            #expect(finished.errors == "utter: standard input is too large for the queue, which takes 64 MiB at most\n")
        }
    }
}
