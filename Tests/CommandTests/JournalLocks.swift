import Foundation
import Glibc

/// Waits until nobody holds a lock on the files of a folder. A process that another test starts at this moment has, until it
/// runs another program, all descriptors of this one, and with them its locks.
func waitUntilUnlocked(_ folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        flock(descriptor, LOCK_EX)
        close(descriptor)
    }
}
