import Foundation
import Glibc
import Models
import System

/// Checks that a process may allocate the memory that libvosk needs, under the limit that it inherits (RLIMIT_AS, `ulimit -v`). libvosk
/// can't report that: its matrix library tries for ever to allocate its buffer.
enum AddressSpace {
    /// The bytes that the matrix library (OpenBLAS) allocates for a computing thread.
    private static let matrixBuffer = 128 << 20
    /// The bytes for stacks of threads and everything else that recognition needs.
    private static let margin = 48 << 20

    /// Checks that there is memory for a model.
    ///
    /// - Throws: `SpeechError` `.insufficientResources` if there is not.
    static func expectRoom(for folder: ModelFolder) throws(SpeechError) {
        // Parts of the model are converted while the original is still in memory.
        let needed = matrixBuffer + 2 * size(of: folder.path) + margin
        if Memory.canTake(needed) { return }
        throw SpeechError(
            .insufficientResources,
            "the model \(folder.path) needs about \(needed >> 20) MB more than this process may take; allow it more with ulimit -v"
        )
    }

    /// Returns the size of all files in a folder, in bytes.
    private static func size(of path: String) -> Int {
        let files = FileManager.default.enumerator(atPath: path)
        var total = 0
        while let name = files?.nextObject() as? String {
            if let status = stat(path + "/" + name), status.isFile { total += Int(status.st_size) }
        }
        return total
    }
}
