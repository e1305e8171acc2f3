import Foundation
import Glibc
import Models
import Synchronization

/// Checks that this process may allocate the memory that libvosk needs. If a limit (RLIMIT_AS, `ulimit -v`) prevents
/// it, libvosk can't report that: its matrix library tries for ever to allocate its buffer, and the rest ends the
/// process.
enum AddressSpace {
    /// The bytes that the matrix library (OpenBLAS) allocates for each computing thread, and tries to for ever.
    static let matrixBuffer = 128 << 20
    /// The bytes for stacks of threads and everything else that recognition needs.
    private static let margin = 48 << 20

    /// The number of recognizers now, and the most there ever were, which is also the most threads that have computed
    /// at the same time.
    private static let recognizers = Mutex((count: 0, most: 1))

    /// Checks that there is memory for a model.
    ///
    /// - Throws: `SpeechError` `.insufficientResources` if there is not.
    static func expectRoom(for folder: ModelFolder) throws(SpeechError) {
        // Parts of the model are converted while the original is still in memory.
        let needed = matrixBuffer + 2 * size(of: folder.path) + margin
        if has(needed) { return }
        throw SpeechError(
            .insufficientResources,
            "the model \(folder.path) needs about \(needed >> 20) MB more than this process may take; allow it more with ulimit -v"
        )
    }

    /// Counts a new recognizer.
    ///
    /// - Throws: `SpeechError` `.insufficientResources` if there is no memory for another computing thread.
    static func beginRecognizer() throws(SpeechError) {
        let isRoomy = recognizers.withLock { recognizers in
            let isFirst =
                recognizers.count < recognizers.most || recognizers.most >= ProcessInfo.processInfo.activeProcessorCount
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

    /// Counts a recognizer that has ended.
    static func endRecognizer() { recognizers.withLock { $0.count -= 1 } }

    /// Whether `byteCount` bytes can be allocated: maps them and unmaps them. mmap(2)
    private static func has(_ byteCount: Int) -> Bool {
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, byteCount)
        return true
    }

    /// Returns the size of all files in a folder, in bytes.
    private static func size(of path: String) -> Int {
        let files = FileManager.default.enumerator(atPath: path)
        var total = 0
        while let name = files?.nextObject() as? String {
            var status = stat()
            if stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                total += Int(status.st_size)
            }
        }
        return total
    }
}
