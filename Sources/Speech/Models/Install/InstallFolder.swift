import Audio
import Foundation
import Glibc

/// The folder in which one model is put together, beside where it will be, so that giving it its place is one renaming. Who has it holds
/// its lock, which the kernel lets go when the process dies; what is left of a download stays for the next.
final class InstallFolder {
    /// Within the store's folder. Hidden, so it is never taken for a model.
    static let parentName = ".install"

    let path: String
    private let descriptor: Int32

    /// What is downloaded: an archive, or the file of a model of the second pass.
    var archivePath: String { path + "/archive.zip" }
    var filePath: String { path + "/" + ModelFile.name }
    var unpackedPath: String { path + "/unpacked" }
    var replacedPath: String { path + "/replaced" }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        // A child that is just being started may hold a copy of the descriptor, and with it the lock, for a moment longer. flock(2)
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Waits for the lock as long as another process has it. flock(2)
    ///
    /// - Parameter whenWaiting: called once, before the wait.
    static func lock(_ name: String, in store: String, stop: Stop, whenWaiting: () -> Void) throws -> InstallFolder {
        var isWaiting = false
        while true {
            try stop.check()
            let folder = try open(name, in: store)
            if let folder, try folder.tryLock() {
                try FolderTools.remove(folder.unpackedPath)
                try FolderTools.remove(folder.replacedPath)
                return folder
            }
            if folder != nil, !isWaiting {
                isWaiting = true
                whenWaiting()
            }
            // Not flock's own wait, which no cancellation would end.
            usleep(20_000)
        }
    }

    /// - Returns: nil when another process removed it just now.
    private static func open(_ name: String, in store: String) throws -> InstallFolder? {
        let path = "\(store)/\(parentName)/\(name)"
        do { try FolderTools.make(path) } catch let error as FileError where error.errno == ENOENT { return nil }
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor >= 0 { return InstallFolder(path: path, descriptor: descriptor) }
        if errno == ENOENT { return nil }
        throw FileError(.open, path: path, errno: errno)
    }

    private func tryLock() throws -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EWOULDBLOCK, EINTR: return false
            // A file system without locks: there is nobody to wait for.
            case ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL: break
            default: throw FileError(.open, path: path, errno: errno)
            }
        }
        // Its last holder may have removed it.
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }

    /// Whether some process has the lock of a model's folder.
    static func isLocked(_ name: String, in store: String) -> Bool {
        let descriptor = Glibc.open("\(store)/\(parentName)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Removes it with all that is in it.
    func remove() throws {
        try FolderTools.remove(path)
        // Others may be in it.
        rmdir(FolderTools.parent(of: path))
    }

    /// Removes what killed processes left, but for downloads that can go on.
    static func sweep(_ store: String) throws {
        for name in try FolderTools.names(in: store) where name.hasPrefix(removingPrefix) { try FolderTools.remove(store + "/" + name) }
        let parent = "\(store)/\(parentName)"
        for name in try FolderTools.names(in: parent) {
            let path = parent + "/" + name
            let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            let folder = InstallFolder(path: path, descriptor: descriptor)
            guard try folder.tryLock() else { continue }
            // Its model got its place, and then there was no time left.
            let model = InstalledModel(path: store + "/" + name)
            for (pass, download) in [(RecognitionPass.first, folder.archivePath), (.second, folder.filePath)] {
                if model.isWhole(for: pass) { try FolderTools.remove(download) }
                if !FileManager.default.fileExists(atPath: download) { try FolderTools.remove(PartialFile.notePath(download)) }
            }
            try FolderTools.remove(folder.unpackedPath)
            try FolderTools.remove(folder.replacedPath)
            if try FolderTools.names(in: path).isEmpty { rmdir(path) }
        }
        rmdir(parent)
    }

    static let removingPrefix = ".removing-"
}
