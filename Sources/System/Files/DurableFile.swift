import Glibc

/// Writing files that are there whole or not at all, even after a crash: a file is written under a temporary name, flushed and
/// given its name, and then the folder is flushed. Only the owner may read the files, for they hold what was said.
extension OpenFolder {
    /// What happens to a file that has the name already.
    package enum Placing: Sendable {
        /// The existing file stays.
        case new
        /// The existing file is replaced.
        case replacing
    }

    private static let temporaryPrefix = ".utter-new-"
    /// The prefix of earlier versions. A file of the user's may begin so, too.
    private static let earlierPrefix = ".new-"

    /// Writes a file durably. If this throws, a new file has been removed again, unless the disk refused that too.
    ///
    /// - Returns: false when `placing` is `.new` and the name is taken; the file that has it is on the disk.
    /// - Throws: `StorageError` when the file can't be written or flushed.
    package func write(_ bytes: [UInt8], to name: String, _ placing: Placing) throws(StorageError) -> Bool {
        switch try writeAndHold(bytes, to: name, placing) {
        case .some: true
        case .none: false
        }
    }

    /// Writes a file as `write` does, and keeps it open.
    ///
    /// - Returns: the file, open for adding and locked, as it was before it had its name; nil when something has that name.
    package func writeAndHold(_ bytes: [UInt8], to name: String, _ placing: Placing) throws(StorageError) -> OpenFile? {
        while true {
            let temporary = Self.temporaryName()
            guard let file = try create(temporary) else { continue }
            do throws(StorageError) {
                try file.write(bytes)
                try file.flush()
                switch try give(name, to: temporary, placing) {
                case .given: break
                case .nameTaken:
                    _ = calls.unlink(descriptor, temporary)
                    try flush()
                    return nil
                case .temporaryGone: continue
                }
            } catch {
                _ = calls.unlink(descriptor, temporary)
                throw error
            }
            do throws(StorageError) {
                try flush()
            } catch {
                // The caller sees a failure, so no file may be found. A replaced file can't be brought back.
                if placing == .new { _ = calls.unlink(descriptor, name) }
                throw error
            }
            return file
        }
    }

    /// Creates an empty file under a temporary name. It is locked, so that nobody takes it for a file that a killed process left.
    ///
    /// - Returns: nil when the name is taken, or another process locked the file to remove it; try another name.
    package func create(_ temporary: String) throws(StorageError) -> OpenFile? {
        keepPrivate()
        do throws(StorageError) {
            guard let file = try OpenFile(temporary, in: self, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600) else {
                preconditionFailure("a file that is created is there")
            }
            if try file.tryLock() { return file }
            return nil
        } catch {
            if error.errno == EEXIST { return nil }
            throw error
        }
    }

    /// A random name for a temporary file.
    package static func temporaryName() -> String {
        temporaryPrefix + String(UInt64.random(in: 0...(.max)), radix: 36)
    }

    /// The result of giving a file its final name.
    package enum Given: Sendable {
        /// The file has the name.
        case given
        /// Another file has the name.
        case nameTaken
        /// Another process removed the temporary file before it was locked.
        case temporaryGone
    }

    /// Gives a file its final name. linkat(2), renameat(2)
    package func give(_ name: String, to temporary: String, _ placing: Placing) throws(StorageError) -> Given {
        if placing == .new {
            if calls.link(descriptor, temporary, name) == 0 {
                // If this fails, the next process that reads the folder removes the temporary name.
                _ = calls.unlink(descriptor, temporary)
                return .given
            }
            switch errno {
            case EEXIST: return .nameTaken
            case ENOENT:
                try expectToBeThere()
                return .temporaryGone
            // A file system without hard links: check and rename, although another process may come between the two.
            case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
                var status = stat()
                if calls.statusOf(descriptor, name, &status) == 0 { return .nameTaken }
            default: throw StorageError("create", path: path(of: name), errno: errno)
            }
        }
        if calls.rename(descriptor, temporary, descriptor, name) == 0 { return .given }
        if errno != ENOENT { throw StorageError("create", path: path(of: name), errno: errno) }
        try expectToBeThere()
        return .temporaryGone
    }

    /// Throws when the folder has been removed while it is open.
    private func expectToBeThere() throws(StorageError) {
        var status = stat()
        if calls.status(descriptor, &status) == 0, status.st_nlink > 0 { return }
        throw StorageError("write to", path: path, errno: ENOENT)
    }

    /// Removes a file durably; one that does not exist is no error. unlinkat(2)
    package func remove(_ name: String) throws(StorageError) {
        if calls.unlink(descriptor, name) != 0, errno != ENOENT {
            throw StorageError("remove", path: path(of: name), errno: errno)
        }
        try flush()
    }

    /// Whether `name` is one that `temporaryName()` makes, or in a folder of utter's own one that it made in earlier versions.
    package static func isTemporary(_ name: String, in kind: Kind) -> Bool {
        let prefixes = kind == .own ? [temporaryPrefix, earlierPrefix] : [temporaryPrefix]
        return prefixes.contains { name.hasPrefix($0) && UInt64(name.dropFirst($0.count), radix: 36) != nil }
    }

    /// Removes the temporary files that killed processes left in the folder.
    package func removeLitter() throws(StorageError) {
        let kind = kind
        for name in try names(where: { Self.isTemporary($0, in: kind) }) { try removeIfLitter(name) }
    }

    /// The names in the folder that are wanted, in no order. readdir(3)
    package func names(where isWanted: (String) -> Bool) throws(StorageError) -> [String] {
        var names: [String] = []
        let code = calls.names(descriptor) { name in
            if isWanted(name) { names.append(name) }
            return true
        }
        if code != 0 { throw StorageError("read", path: path, errno: errno) }
        return names
    }

    /// Removes a temporary file that a killed process left. Anything else of that name, such as a folder, is not ours and stays.
    package func removeIfLitter(_ temporary: String) throws(StorageError) {
        do throws(StorageError) {
            guard let file = try OpenFile(temporary, in: self, flags: O_RDONLY), try file.isFile() else { return }
            // A file system without locks says so: there the living can't be told from the dead.
            if calls.tryLock(file.descriptor) == .taken { _ = calls.unlink(descriptor, temporary) }
        } catch {
            if error.code != .inTheWay { throw error }
        }
    }
}
