import Glibc

/// Files that are there whole or not at all, whatever happens: written to a temporary name, flushed, given their name, the
/// folder flushed. Readable by their owner only, for they hold what people said.
extension OpenFolder {
    /// How a file gets its name.
    package enum Placing: Sendable {
        /// What has the name stays.
        case new
        case replacing
    }

    private static let temporaryPrefix = ".new-"

    /// Writes a file. When this throws, nothing has the name that did not have it before, as far as the disk still obeys.
    ///
    /// - Returns: false when `placing` is `.new` and something has that name; it is on the disk then.
    package func write(_ bytes: [UInt8], to name: String, _ placing: Placing) throws(OutboxError) -> Bool {
        while true {
            let temporary = Self.temporaryName()
            guard let file = try create(temporary) else { continue }
            do throws(OutboxError) {
                try file.write(bytes)
                try file.flush()
                switch try give(name, to: temporary, placing) {
                case .given: break
                case .nameTaken:
                    _ = calls.unlink(descriptor, temporary)
                    try flush()
                    return false
                case .temporaryGone: continue
                }
            } catch {
                _ = calls.unlink(descriptor, temporary)
                throw error
            }
            do throws(OutboxError) {
                try flush()
            } catch {
                // Nobody may find what its writer was told isn't there. What was replaced can't come back.
                if placing == .new { _ = calls.unlink(descriptor, name) }
                throw error
            }
            return true
        }
    }

    /// Makes an empty file under a temporary name, locked, so that the living are told from litter.
    ///
    /// - Returns: nil when the name is taken, or somebody took the new file for litter; another name will do.
    package func create(_ temporary: String) throws(OutboxError) -> OpenFile? {
        keepPrivate()
        do throws(OutboxError) {
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

    package static func temporaryName() -> String {
        temporaryPrefix + String(UInt64.random(in: 0...(.max)), radix: 36)
    }

    package enum Given: Sendable {
        case given
        case nameTaken
        /// Somebody took it for litter before it was locked.
        case temporaryGone
    }

    /// Gives a file its final name. linkat(2), renameat(2)
    package func give(_ name: String, to temporary: String, _ placing: Placing) throws(OutboxError) -> Given {
        if placing == .new {
            if calls.link(descriptor, temporary, name) == 0 {
                // Left over, it is litter, which the next to look removes.
                _ = calls.unlink(descriptor, temporary)
                return .given
            }
            switch errno {
            case EEXIST: return .nameTaken
            case ENOENT:
                try expectToBeThere()
                return .temporaryGone
            // A file system without second names: then the look and the renaming are two steps.
            case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
                var status = stat()
                if calls.statusOf(descriptor, name, &status) == 0 { return .nameTaken }
            default: throw OutboxError("create", path: path(of: name), errno: errno)
            }
        }
        if calls.rename(descriptor, temporary, descriptor, name) == 0 { return .given }
        if errno != ENOENT { throw OutboxError("create", path: path(of: name), errno: errno) }
        try expectToBeThere()
        return .temporaryGone
    }

    /// Throws when the folder has been removed from under us.
    private func expectToBeThere() throws(OutboxError) {
        var status = stat()
        if calls.status(descriptor, &status) == 0, status.st_nlink > 0 { return }
        throw OutboxError("write to", path: path, errno: ENOENT)
    }

    /// Removes a file, if it is there, durably. unlinkat(2)
    package func remove(_ name: String) throws(OutboxError) {
        if calls.unlink(descriptor, name) != 0, errno != ENOENT {
            throw OutboxError("remove", path: path(of: name), errno: errno)
        }
        try flush()
    }

    /// Whether `name` is a temporary one.
    package static func isTemporary(_ name: String) -> Bool { name.hasPrefix(temporaryPrefix) }

    /// Removes a temporary file that a killed process left. What has such a name and is no file was not left by us, and stays.
    package func removeIfLitter(_ temporary: String) throws(OutboxError) {
        do throws(OutboxError) {
            guard let file = try OpenFile(temporary, in: self, flags: O_RDONLY), try file.isFile() else { return }
            if try file.tryLock() { _ = calls.unlink(descriptor, temporary) }
        } catch {
            if error.code != .inTheWay { throw error }
        }
    }
}
