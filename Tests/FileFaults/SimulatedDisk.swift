import Glibc
import Synchronization
import System

/// A disk in memory that may lose what was not flushed when the power fails: each write to a file is then lost, done or half
/// done, and each change of a folder is lost or done, in every combination.
///
/// Renaming is one change, also between two folders, as in file systems with a journal.
package final class SimulatedDisk: Sendable {
    fileprivate struct Inode {
        var isFolder: Bool
        var linkCount: UInt = 0
        var bytes: [UInt8] = []
        var entries: [String: Int] = [:]
        var durableBytes: [UInt8] = []
        var durableEntries: [String: Int] = [:]
        var unflushed: [Write] = []
    }

    fileprivate struct Write {
        var offset: Int
        var bytes: [UInt8]
        /// The length that the file gets instead of bytes; nil for bytes.
        var length: Int?
    }

    /// Entries that change together; nil removes one.
    fileprivate struct FolderChange {
        var changes: [(folder: Int, name: String, inode: Int?)]
    }

    private struct Open {
        var inode: Int
        var offset = 0
        var appends = false
    }

    private struct State {
        var inodes: [Inode] = [Inode(isFolder: true, linkCount: 1)]
        var unflushed: [FolderChange] = []
        var open: [Int32: Open] = [:]
        var nextDescriptor: Int32 = 10_000
        var lockHolders: [Int: Int32] = [:]
        var callCount = 0
        var diesAt = Int.max
    }

    private let state = Mutex(State())

    package init() {}

    /// How many calls were made.
    package var callCount: Int { state.withLock { $0.callCount } }

    /// Makes the power fail before the call with this number, counted from 0 since the disk was made.
    package func die(at number: Int) { state.withLock { $0.diesAt = number } }

    /// Every state in which the disk may be found after the power failure.
    package func images() -> [SimulatedDisk] {
        state.withLock { state in
            let files = state.inodes.indices.filter { !state.inodes[$0].unflushed.isEmpty }
            let writes = files.flatMap { file in state.inodes[file].unflushed.map { (file, $0) } }
            var results: [SimulatedDisk] = []
            // Go through every choice of changes, and of the three outcomes of every write.
            for kept in 0..<(1 << state.unflushed.count) {
                for fates in 0..<power(3, writes.count) {
                    var inodes = state.inodes.map {
                        Inode(isFolder: $0.isFolder, bytes: $0.durableBytes, entries: $0.durableEntries)
                    }
                    for (index, change) in state.unflushed.enumerated() where kept >> index & 1 == 1 {
                        for (folder, name, inode) in change.changes { inodes[folder].entries[name] = inode }
                    }
                    var fates = fates
                    for (file, write) in writes {
                        let count = [0, write.bytes.count / 2, write.bytes.count][fates % 3]
                        if let length = write.length {
                            if fates % 3 > 0 { cut(&inodes[file].bytes, to: length) }
                        } else if count > 0 {
                            place(write.bytes[..<count], at: write.offset, in: &inodes[file].bytes)
                        }
                        fates /= 3
                    }
                    results.append(SimulatedDisk(found: inodes))
                }
            }
            return results
        }
    }

    private convenience init(found: [Inode]) {
        self.init()
        var inodes = found
        for index in inodes.indices {
            inodes[index].durableBytes = inodes[index].bytes
            inodes[index].durableEntries = inodes[index].entries
            for inode in found[index].entries.values { inodes[inode].linkCount += 1 }
        }
        inodes[0].linkCount += 1
        let complete = inodes
        state.withLock { $0.inodes = complete }
    }

    /// The names in a folder, or nil when there is none.
    package func names(in path: String) -> [String]? {
        state.withLock { state in
            guard let inode = Self.find(path, from: 0, state), state.inodes[inode].isFolder else { return nil }
            return state.inodes[inode].entries.keys.sorted()
        }
    }

    /// What a file holds.
    package func bytes(of path: String) -> [UInt8]? {
        state.withLock { state in Self.find(path, from: 0, state).map { state.inodes[$0].bytes } }
    }

    /// Adds a file that is already flushed. Its folder must exist.
    package func put(_ bytes: [UInt8], in path: String) {
        let calls = calls
        let descriptor = calls.open(AT_FDCWD, path, O_WRONLY | O_CREAT, 0o600)
        precondition(descriptor >= 0)
        _ = bytes.withUnsafeBytes { calls.write(descriptor, $0.baseAddress!, bytes.count) }
        state.withLock { state in
            let inode = state.open[descriptor]!.inode
            state.inodes[inode].durableBytes = state.inodes[inode].bytes
            state.inodes[inode].unflushed = []
            for change in state.unflushed { Self.makeDurable(change, &state) }
            state.unflushed = []
        }
        _ = calls.close(descriptor)
    }
}

/// The system calls.
extension SimulatedDisk {
    package var calls: FileCalls {
        var calls = FileCalls()
        calls.open = { folder, path, flags, _ in self.call { try Self.open(folder, path, flags, &$0) } }
        calls.close = { descriptor in
            self.state.withLock { state in
                if let open = state.open.removeValue(forKey: descriptor), state.lockHolders[open.inode] == descriptor {
                    state.lockHolders[open.inode] = nil
                }
            }
            return 0
        }
        calls.read = { descriptor, address, count, offset in
            self.call { state in
                let bytes = state.inodes[try Self.inode(descriptor, state)].bytes.dropFirst(Int(offset)).prefix(count)
                UnsafeMutableRawBufferPointer(start: address, count: count).copyBytes(from: bytes)
                return bytes.count
            }
        }
        calls.write = { descriptor, address, count in
            self.call { state in
                guard var open = state.open[descriptor] else { throw Failure(code: EBADF) }
                if open.appends { open.offset = state.inodes[open.inode].bytes.count }
                Self.write(
                    UnsafeRawBufferPointer(start: address, count: count), at: open.offset, in: &state.inodes[open.inode]
                )
                open.offset += count
                state.open[descriptor] = open
                return count
            }
        }
        calls.writeAt = { descriptor, address, count, offset in
            self.call { state in
                let bytes = UnsafeRawBufferPointer(start: address, count: count)
                Self.write(bytes, at: Int(offset), in: &state.inodes[try Self.inode(descriptor, state)])
                return count
            }
        }
        calls.allocate = { _, _, _ in self.call { _ in 0 } }
        calls.flush = { descriptor in
            self.call { state in
                let inode = try Self.inode(descriptor, state)
                if state.inodes[inode].isFolder {
                    for change in state.unflushed where change.concerns(inode) { Self.makeDurable(change, &state) }
                    state.unflushed.removeAll { $0.concerns(inode) }
                } else {
                    state.inodes[inode].durableBytes = state.inodes[inode].bytes
                    state.inodes[inode].unflushed = []
                }
                return 0
            }
        }
        calls.lock = { descriptor, _ in
            self.call { state in
                let inode = try Self.inode(descriptor, state)
                if let holder = state.lockHolders[inode], holder != descriptor { throw Failure(code: EWOULDBLOCK) }
                state.lockHolders[inode] = descriptor
                return 0
            }
        }
        calls.status = { descriptor, status in
            let found = self.call { state in try Self.inode(descriptor, state) }
            return self.fill(&status, found)
        }
        calls.statusOf = { folder, name, status in
            let found = self.call { state in try Self.existing(folder, name, state) }
            return self.fill(&status, found)
        }
        calls.link = { folder, from, to in
            self.call { state in
                let folder = try Self.inode(folder, state)
                guard let inode = state.inodes[folder].entries[from] else { throw Failure(code: ENOENT) }
                if state.inodes[folder].entries[to] != nil { throw Failure(code: EEXIST) }
                Self.perform(FolderChange(changes: [(folder, to, inode)]), &state)
                return 0
            }
        }
        calls.rename = { folder, from, newFolder, to in
            self.call { state in
                let folder = try Self.inode(folder, state)
                let newFolder = try Self.inode(newFolder, state)
                guard let inode = state.inodes[folder].entries[from] else { throw Failure(code: ENOENT) }
                Self.perform(FolderChange(changes: [(folder, from, nil), (newFolder, to, inode)]), &state)
                return 0
            }
        }
        calls.unlink = { folder, name in
            self.call { state in
                let folder = try Self.inode(folder, state)
                if state.inodes[folder].entries[name] == nil { throw Failure(code: ENOENT) }
                Self.perform(FolderChange(changes: [(folder, name, nil)]), &state)
                return 0
            }
        }
        calls.makeFolder = { folder, path, _ in
            self.call { state in
                if (try? Self.existing(folder, path, state)) != nil { throw Failure(code: EEXIST) }
                try Self.make(folder, path, isFolder: true, &state)
                return 0
            }
        }
        calls.removeFolder = { folder, path in
            self.call { state in
                let inode = try Self.existing(folder, path, state)
                if !state.inodes[inode].isFolder { throw Failure(code: ENOTDIR) }
                if !state.inodes[inode].entries.isEmpty { throw Failure(code: ENOTEMPTY) }
                let names = path.split(separator: "/").map(String.init)
                let parent = try Self.existing(folder, names.dropLast().joined(separator: "/"), state)
                Self.perform(FolderChange(changes: [(parent, names[names.count - 1], nil)]), &state)
                return 0
            }
        }
        calls.truncate = { descriptor, length in
            self.call { state in
                let inode = try Self.inode(descriptor, state)
                state.inodes[inode].unflushed.append(Write(offset: 0, bytes: [], length: Int(length)))
                cut(&state.inodes[inode].bytes, to: Int(length))
                return 0
            }
        }
        // Nobody else opens a file. Modes are not simulated.
        calls.lease = { _ in self.call { _ in 0 } }
        calls.setMode = { _, _ in self.call { _ in 0 } }
        calls.setModeOf = { _, _, _ in self.call { _ in 0 } }
        calls.nameBytes = { folder, body in
            let names = Mutex<[(name: String, isFile: Bool)]>([])
            let code: Int32 = self.call { state in
                let inode = try Self.inode(folder, state)
                let found = state.inodes[inode].entries.sorted { $0.key < $1.key }.map {
                    ($0.key, !state.inodes[$0.value].isFolder)
                }
                names.withLock { $0 = found }
                return 0
            }
            for (name, isFile) in names.withLock({ $0 }) where !Array(name.utf8).withUnsafeBytes({ body($0, isFile) }) {
                break
            }
            return code
        }
        return calls
    }

    private struct Failure: Error {
        var code: Int32
    }

    /// Counts a call, and makes it fail after the power has failed.
    private func call<Number: FixedWidthInteger & Sendable>(_ body: (inout State) throws -> Number) -> Number {
        let result = state.withLock { state -> Result<Number, Failure> in
            defer { state.callCount += 1 }
            if state.callCount >= state.diesAt { return .failure(Failure(code: EIO)) }
            do { return .success(try body(&state)) } catch { return .failure(error as! Failure) }
        }
        switch result {
        case .success(let number): return number
        case .failure(let failure):
            errno = failure.code
            return -1
        }
    }

    private func fill(_ status: inout stat, _ inode: Int) -> Int32 {
        if inode < 0 { return -1 }
        let found = state.withLock { $0.inodes[inode] }
        status.st_ino = ino_t(inode)
        status.st_dev = 1
        status.st_mode = found.isFolder ? S_IFDIR | 0o700 : S_IFREG | 0o600
        status.st_size = off_t(found.bytes.count)
        status.st_nlink = nlink_t(found.linkCount)
        return 0
    }

    private static func inode(_ descriptor: Int32, _ state: State) throws -> Int {
        if descriptor == AT_FDCWD { return 0 }
        guard let open = state.open[descriptor] else { throw Failure(code: EBADF) }
        return open.inode
    }

    private static func find(_ path: String, from folder: Int, _ state: State) -> Int? {
        path.split(separator: "/").reduce(folder) { folder, name in
            folder.flatMap { state.inodes[$0].entries[String(name)] }
        }
    }

    private static func existing(_ folder: Int32, _ path: String, _ state: State) throws -> Int {
        guard let inode = find(path, from: try inode(folder, state), state) else { throw Failure(code: ENOENT) }
        return inode
    }

    private static func make(_ folder: Int32, _ path: String, isFolder: Bool, _ state: inout State) throws {
        let names = path.split(separator: "/").map(String.init)
        let parentPath = names.dropLast().joined(separator: "/")
        guard let parent = find(parentPath, from: try inode(folder, state), state) else { throw Failure(code: ENOENT) }
        state.inodes.append(Inode(isFolder: isFolder))
        perform(FolderChange(changes: [(parent, names[names.count - 1], state.inodes.count - 1)]), &state)
    }

    private static func open(_ folder: Int32, _ path: String, _ flags: Int32, _ state: inout State) throws -> Int32 {
        do {
            _ = try existing(folder, path, state)
            if flags & O_CREAT != 0, flags & O_EXCL != 0 { throw Failure(code: EEXIST) }
        } catch let failure as Failure {
            if failure.code != ENOENT || flags & O_CREAT == 0 { throw failure }
            try make(folder, path, isFolder: false, &state)
        }
        let inode = try existing(folder, path, state)
        if flags & O_DIRECTORY != 0, !state.inodes[inode].isFolder { throw Failure(code: ENOTDIR) }
        state.nextDescriptor += 1
        state.open[state.nextDescriptor] = Open(inode: inode, appends: flags & O_APPEND != 0)
        return state.nextDescriptor
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, in inode: inout Inode) {
        inode.unflushed.append(Write(offset: offset, bytes: Array(bytes)))
        place(Array(bytes)[...], at: offset, in: &inode.bytes)
    }

    private static func perform(_ change: FolderChange, _ state: inout State) {
        for (folder, name, inode) in change.changes {
            if let old = state.inodes[folder].entries[name] { state.inodes[old].linkCount -= 1 }
            if let inode { state.inodes[inode].linkCount += 1 }
            state.inodes[folder].entries[name] = inode
        }
        state.unflushed.append(change)
    }

    private static func makeDurable(_ change: FolderChange, _ state: inout State) {
        for (folder, name, inode) in change.changes { state.inodes[folder].durableEntries[name] = inode }
    }
}

extension SimulatedDisk.FolderChange {
    fileprivate func concerns(_ folder: Int) -> Bool { changes.contains { $0.folder == folder } }
}

private func place(_ bytes: ArraySlice<UInt8>, at offset: Int, in file: inout [UInt8]) {
    // A hole reads as zeros.
    if file.count < offset + bytes.count { file += [UInt8](repeating: 0, count: offset + bytes.count - file.count) }
    file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
}

private func cut(_ file: inout [UInt8], to length: Int) {
    file = Array(file.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - file.count))
}

private func power(_ base: Int, _ exponent: Int) -> Int { (0..<exponent).reduce(1) { product, _ in product * base } }
