import Foundation
import Glibc
import Synchronization

/// Whether this process may still take the memory that libvosk is about to take. Where a limit (RLIMIT_AS, `ulimit -v`) keeps it from
/// that, libvosk can't say so: its matrix library tries for ever to get its buffer, and the rest ends the process.
enum AddressSpace {
    /// What the matrix library (OpenBLAS) takes at once for each thread that computes, and tries for until it has it.
    static let matrixBuffer = 128 << 20
    /// For the stacks of threads and what else is needed until something is heard.
    private static let margin = 48 << 20

    /// How many recognizers there are. There were never more threads that compute at the same time.
    private static let recognizers = Mutex((count: 0, most: 1))

    /// - Throws: `SpeechError` when the model can't be loaded for want of memory.
    static func expectRoom(for folder: ModelFolder) throws(SpeechError) {
        // What is read is turned into other shapes while the first is still there.
        let needed = matrixBuffer + 2 * size(of: folder.path) + margin
        if has(needed) { return }
        throw SpeechError(
            .insufficientResources,
            "the model \(folder.path) needs about \(needed >> 20) MB more than this process may take; allow it more with ulimit -v")
    }

    /// Counts a recognizer that is made.
    ///
    /// - Throws: `SpeechError` when there is no room for one more thread that computes.
    static func beginRecognizer() throws(SpeechError) {
        let isRoomy = recognizers.withLock { recognizers in
            let isFirst = recognizers.count < recognizers.most || recognizers.most >= ProcessInfo.processInfo.activeProcessorCount
            guard isFirst || has(matrixBuffer + margin) else { return false }
            recognizers.count += 1
            recognizers.most = max(recognizers.most, recognizers.count)
            return true
        }
        if isRoomy { return }
        throw SpeechError(
            .insufficientResources,
            "another recognizer needs \((matrixBuffer + margin) >> 20) MB more than this process may take; do less at a time, or allow it "
                + "more with ulimit -v")
    }

    /// Counts one that has ended.
    static func endRecognizer() { recognizers.withLock { $0.count -= 1 } }

    /// Takes it and gives it back. mmap(2)
    private static func has(_ byteCount: Int) -> Bool {
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, byteCount)
        return true
    }

    /// Of the files in a folder, in bytes.
    private static func size(of path: String) -> Int {
        let files = FileManager.default.enumerator(atPath: path)
        var total = 0
        while let name = files?.nextObject() as? String {
            var status = stat()
            if stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG { total += Int(status.st_size) }
        }
        return total
    }
}
