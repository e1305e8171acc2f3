import Foundation
import Glibc
import System

/// The folder in which a model is assembled, on the same file system as its final place, so that one rename installs
/// it.
///
/// The holder has its lock, which the kernel releases when the process dies. A part of a download stays for the next
/// holder.
package final class InstallFolder {
    /// The name of the folder of all these folders, in the store's. It is hidden, so that it is never taken for a
    /// model.
    static let parentName = ".install"

    let path: String
    private let descriptor: Int32
    private let disk: FolderTools

    var archivePath: String { path + "/archive.zip" }
    /// The download of the file of a model for the second pass.
    var filePath: String { path + "/" + ModelFile.name }
    var unpackedPath: String { path + "/unpacked" }
    var replacedPath: String { path + "/replaced" }

    /// Opens the folder. openat(2)
    private init(_ path: String, _ disk: FolderTools) throws {
        self.path = path
        self.disk = disk
        descriptor = disk.calls.open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0)
        if descriptor < 0 { throw FileError(.open, path: path, errno: errno) }
    }

    deinit {
        // A child that is just being started may have a copy of the descriptor, and with it the lock, for a moment
        // longer. flock(2)
        _ = disk.calls.lock(descriptor, LOCK_UN)
        _ = disk.calls.close(descriptor)
    }

    /// Locks the folder of a model, and waits while another process has the lock. flock(2)
    ///
    /// - Parameter whenWaiting: called once, before the wait.
    static func lock(
        _ name: String, in store: String, on disk: FolderTools, stop: ChildCancellation,
        whenWaiting: () -> Void
    ) throws -> InstallFolder {
        var isWaiting = false
        while true {
            try stop.check()
            let folder = try open(name, in: store, disk)
            if let folder, try folder.tryLock() {
                try disk.remove(folder.unpackedPath)
                try disk.remove(folder.replacedPath)
                return folder
            }
            if folder != nil, !isWaiting {
                isWaiting = true
                whenWaiting()
            }
            // Poll, because a cancellation can't interrupt flock(2).
            usleep(20_000)
        }
    }

    /// Opens the folder, which is created if it does not exist.
    ///
    /// - Returns: nil if another process removed the folder meanwhile.
    private static func open(_ name: String, in store: String, _ disk: FolderTools) throws -> InstallFolder? {
        let path = "\(store)/\(parentName)/\(name)"
        do {
            try disk.make(path)
            return try InstallFolder(path, disk)
        } catch let error as FileError where error.errno == ENOENT {
            return nil
        }
    }

    private func tryLock() throws -> Bool {
        switch disk.calls.tryLock(descriptor) {
        case .taken, .unknown: break
        case .held: return false
        case .failed(let code): throw FileError(.open, path: path, errno: code)
        }
        // Its last holder may have removed the folder meanwhile.
        var (own, named) = (stat(), stat())
        guard disk.calls.status(descriptor, &own) == 0, disk.calls.statusOf(AT_FDCWD, path, &named) == 0 else {
            // Anything else would go on failing, and be waited for without an end.
            if errno == ENOENT { return false }
            throw FileError(.open, path: path, errno: errno)
        }
        return own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }

    /// Whether a process has the lock of a model's folder.
    package static func isLocked(_ name: String, in store: String) -> Bool {
        let descriptor = Glibc.open("\(store)/\(parentName)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Removes the folder with its content.
    func remove() throws {
        try disk.remove(path)
        disk.removeIfEmpty(FolderTools.parent(of: path))
    }

    /// Removes what killed processes left, except downloads that can be continued.
    static func sweep(_ store: String, on disk: FolderTools) throws {
        for name in try disk.names(in: store) where name.hasPrefix(removingPrefix) {
            try disk.remove(store + "/" + name)
        }
        let parent = "\(store)/\(parentName)"
        for name in try disk.names(in: parent) {
            let path = parent + "/" + name
            guard let folder = try? InstallFolder(path, disk), try folder.tryLock() else { continue }
            // A process was killed after it had installed the model.
            let model = InstalledModel(path: store + "/" + name)
            for (pass, download) in [(RecognitionPass.first, folder.archivePath), (.second, folder.filePath)] {
                if model.isWhole(for: pass) { try disk.remove(download) }
                if !FileManager.default.fileExists(atPath: download) {
                    try disk.remove(PartialFile.notePath(download))
                }
            }
            let parts = [folder.archivePath, folder.filePath]
            let kept = parts + parts.map(PartialFile.notePath)
            for name in try disk.names(in: path) where !kept.contains(path + "/" + name) {
                try disk.remove(path + "/" + name)
            }
            disk.removeIfEmpty(path)
        }
        disk.removeIfEmpty(parent)
    }

    static let removingPrefix = ".removing-"
}
