import Foundation
import Glibc
import Synchronization
import TestSupport

/// Other programs that write into a note, each line to the disk: one adds to it, one replaces it by a copy with a line more, as editors
/// do, and one holds it open and adds to it.
///
/// One of them writes at a time, for an editor that saves an older copy loses what others have added meanwhile. Of utter they know nothing.
final class NoteWriters: Sendable {
    private enum Kind: CaseIterable { case adding, replacing, holding }

    private let path: String
    private let written = Mutex<[String]>([])
    private let stops = Atomic(false)
    private let running = DispatchGroup()

    init(path: String, seed: UInt64) {
        self.path = path
        for (number, kind) in zip(UInt64(0)..., Kind.allCases) {
            running.enter()
            Thread.detachNewThread { [self] in
                run(kind, SplitMix64(seed: seed &+ number))
                running.leave()
            }
        }
    }

    /// Lets them end.
    ///
    /// - Returns: the lines that they have written.
    func stop() async throws -> [String] {
        stops.store(true, ordering: .relaxed)
        try await onThread { [running] in running.wait() }
        return written.withLock { $0 }
    }

    private func run(_ kind: Kind, _ random: SplitMix64) {
        var (random, held, rest) = (random, -1 as Int32, 0)
        defer { close(held) }
        for number in 0... {
            if stops.load(ordering: .relaxed) { return }
            written.withLock { written in
                let line = "\(kind) \(number) \(UUID().uuidString)"
                switch kind {
                case .adding:
                    let note = open()
                    add(line, to: note)
                    close(note)
                case .replacing:
                    let old = contents
                    precondition(FileManager.default.createFile(atPath: path + ".copy", contents: old))
                    let copy = Glibc.open(path + ".copy", O_WRONLY | O_APPEND | O_CLOEXEC)
                    add(line, to: copy)
                    close(copy)
                    precondition(rename(path + ".copy", path) == 0)
                case .holding:
                    if rest == 0 || inode(held) != inode(AT_FDCWD) {
                        close(held)
                        held = open()
                        // Now and then for longer than utter waits.
                        rest = Int.random(in: 0..<20, using: &random) == 0 ? 400 : Int.random(in: 1...4, using: &random)
                    }
                    add(line, to: held)
                    rest -= 1
                    if rest == 0 {
                        close(held)
                        held = -1
                    }
                }
                written.append(line)
            }
            for _ in 0..<Int.random(in: 0..<500, using: &random) { sched_yield() }
        }
    }

    /// What is in the note. FileManager would not wait until utter has changed it.
    private var contents: Data {
        let note = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        precondition(note >= 0)
        return FileHandle(fileDescriptor: note, closeOnDealloc: true).readDataToEndOfFile()
    }

    private func open() -> Int32 { Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }

    private func add(_ line: String, to descriptor: Int32) {
        let bytes = Array((line + "\n").utf8)
        precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0)
    }

    /// The number of the file that a descriptor leads to, or of the note.
    private func inode(_ descriptor: Int32) -> ino_t {
        var status = stat()
        let code = descriptor == AT_FDCWD ? stat(path, &status) : fstat(descriptor, &status)
        return code == 0 ? status.st_ino : 0
    }
}
