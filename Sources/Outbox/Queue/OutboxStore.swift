import Foundation
import Glibc
import System

/// The queue on the disk: a folder with a JSON file for each operation, named after its id.
///
///     let store = OutboxStore(folder: OutboxStore.defaultFolder())
///     try store.enqueue(OutboxOperation(destination: "mail", payload: Data("buy milk".utf8)))
///
/// A file is there whole or not at all: it is written under a temporary name, flushed, and linked, and the folder is flushed.
/// Several processes may use one folder at the same time. A file that can't be decoded is moved to the folder `aside`, and back
/// as soon as a version that can decode it reads the folder; only `remove` deletes anything.
///
/// Only the owner may read the folder and the files, for they hold what was said.
public struct OutboxStore: Sendable {
    /// The path of the queue's folder.
    public let folder: String
    let calls: FileCalls
    /// The largest size of an operation's file, in bytes, so that a foreign file can't fill the memory.
    package let maximumSize: Int

    /// Creates a store for the queue in a folder, which is created when it is first used.
    public init(folder: String) { self.init(folder: folder, calls: .system) }

    package init(folder: String, calls: FileCalls, maximumSize: Int = 64 << 20) {
        self.folder = folder
        self.calls = calls
        self.maximumSize = maximumSize
    }

    /// The path of the user's queue: `$XDG_STATE_HOME/utter/outbox`.
    public static func defaultFolder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.state.utter(environment) + "/outbox"
    }

    /// Adds an operation to the queue. When this returns, it is on the disk. This does not wait for other processes.
    ///
    /// - Returns: false when the queue has an operation with this id, which stays as it is.
    /// - Throws: `OutboxError` when the operation can't be written; it is then not in the queue.
    @discardableResult
    public func enqueue(_ operation: OutboxOperation) throws(OutboxError) -> Bool {
        let json = operation.json
        if json.count > maximumSize {
            throw OutboxError(
                .tooLarge, path: folder,
                "the text is too large for the queue, which takes \(maximumSize >> 20) MiB at most")
        }
        return try open().write(json, to: Self.name(of: operation.id), .new)
    }

    /// The operation with an id; nil when there is none, or when its file can't be decoded and is put aside.
    ///
    /// - Throws: `OutboxError` when the folder or the file can't be read.
    public func operation(_ id: UUID) throws(OutboxError) -> OutboxOperation? { try read(id).operation }

    /// Reads the operation with an id, and reports why when there is none. A file that can't be decoded is put aside.
    func read(_ id: UUID) throws(OutboxError) -> Reading {
        let folder = try open()
        let reading = try read(Self.name(of: id), in: folder)
        guard case .undecodable = reading else { return reading }
        return try withChangesLocked(in: folder) { () throws(OutboxError) in try readOrPutAside(id, in: folder) }
    }

    /// Changes an operation on the disk. Other processes' changes come before or after it, not between.
    ///
    /// - Parameters:
    ///   - id: the operation's id.
    ///   - body: changes the operation as it is on the disk.
    /// - Returns: the changed operation; nil when it no longer exists.
    /// - Throws: `OutboxError` when the operation can't be read or written.
    @discardableResult
    public func change(
        _ id: UUID, _ body: (inout OutboxOperation) -> Void
    ) throws(OutboxError) -> OutboxOperation? {
        let folder = try open()
        return try withChangesLocked(in: folder) { () throws(OutboxError) in
            guard var operation = try readOrPutAside(id, in: folder).operation else { return nil }
            body(&operation)
            _ = try folder.write(operation.json, to: Self.name(of: id), .replacing)
            return operation
        }
    }

    /// Gives an operation another destination, as if it had never been tried. It gets the id with which its capture goes there, so that a
    /// capture that is there already, or on its way there, does not come twice.
    ///
    /// - Parameters:
    ///   - id: the operation's id.
    ///   - destination: the name of the destination.
    ///   - notesFolder: the absolute path of the folder for the destination `notes`; nil for the usual one.
    /// - Returns: the operation for that destination; nil when the one to move no longer exists.
    /// - Throws: `OutboxError` when an operation can't be read or written.
    @discardableResult
    public func move(
        _ id: UUID, to destination: String, notesFolder: String?
    ) throws(OutboxError) -> OutboxOperation? {
        let folder = try open()
        return try withChangesLocked(in: folder) { () throws(OutboxError) in
            guard let operation = try readOrPutAside(id, in: folder).operation else { return nil }
            let moved = operation.moved(to: destination, notesFolder: notesFolder)
            let name = Self.name(of: moved.id)
            if moved.id == id {
                _ = try folder.write(moved.json, to: name, .replacing)
                return moved
            }
            var there = try readOrPutAside(moved.id, in: folder).operation
            if there == nil {
                there = try folder.write(moved.json, to: name, .new) ? moved : read(name, in: folder).operation
            }
            guard there != nil else { throw OutboxError("write", path: folder.path(of: name), errno: EEXIST) }
            // After a kill in between, both are there, and the same move goes on.
            try folder.remove(Self.name(of: id))
            return there
        }
    }

    /// Removes an operation that the user clears; one that does not exist is no error.
    ///
    /// - Returns: false when there was none.
    /// - Throws: `OutboxError` when the file can't be removed.
    @discardableResult
    public func remove(_ id: UUID) throws(OutboxError) -> Bool {
        let folder = try open()
        return try withChangesLocked(in: folder) { () throws(OutboxError) in
            var status = stat()
            if calls.statusOf(folder.descriptor, Self.name(of: id), &status) != 0, errno == ENOENT { return false }
            try folder.remove(Self.name(of: id))
            return true
        }
    }

    /// Removes an operation that has arrived, unless it was given another destination since it was read.
    ///
    /// - Returns: false when it was given another destination, and stays.
    @discardableResult
    package func removeArrived(_ operation: OutboxOperation) throws(OutboxError) -> Bool {
        let folder = try open()
        return try withChangesLocked(in: folder) { () throws(OutboxError) in
            let name = Self.name(of: operation.id)
            if case .operation(let now) = try read(name, in: folder), now.hasMoved(since: operation) { return false }
            try folder.remove(name)
            return true
        }
    }

    /// Lists the folder. Also removes files that killed processes left half-written, and moves files back from `aside` that this
    /// version can decode.
    ///
    /// - Throws: `OutboxError` when the folder can't be read.
    public func index() throws(OutboxError) -> OutboxIndex {
        let folder = try open()
        var index = OutboxIndex()
        var temporary: [String] = []
        var unordered: [UUID] = []
        index.aside = try bringBack(in: folder)
        let code = calls.nameBytes(folder.descriptor) { bytes, isFile in
            guard let name = String(validating: bytes, as: UTF8.self) else { return true }
            if isFile, let id = Self.id(of: name) {
                if let time = id.timeInMilliseconds {
                    index.entries.append(OutboxIndex.Entry(id: id, time: time))
                } else {
                    unordered.append(id)
                }
            } else if isFile, OpenFolder.isTemporary(name, in: .own) {
                temporary.append(name)
            } else if !Self.ownNames.contains(name) {
                index.foreign.append(name)
            }
            return true
        }
        if code != 0 { throw OutboxError("read", path: folder.path, errno: errno) }
        for name in temporary { try folder.removeIfLitter(name) }
        // An id that utter did not make may hold no time; the file does.
        for id in unordered {
            switch try read(Self.name(of: id), in: folder) {
            case .operation(let operation):
                index.entries.append(OutboxIndex.Entry(id: id, time: operation.createdAt.milliseconds))
            // Whoever reads it puts it aside, and says so.
            case .undecodable: index.entries.append(OutboxIndex.Entry(id: id, time: 0))
            case .missing: continue
            }
        }
        index.entries.sort()
        index.foreign.sort()
        return index
    }

    /// Whether the queue is empty. Quicker than `index()`.
    ///
    /// - Throws: `OutboxError` when the folder can't be read.
    public func isEmpty() throws(OutboxError) -> Bool {
        let folder = try open()
        var isEmpty = true
        let code = calls.nameBytes(folder.descriptor) { bytes, isFile in
            isEmpty = !isFile || Self.id(of: String(decoding: bytes, as: UTF8.self)) == nil
            return isEmpty
        }
        if code != 0 { throw OutboxError("read", path: folder.path, errno: errno) }
        return isEmpty
    }

    /// Whether a process drains the queue now, whatever its mode.
    ///
    /// - Throws: `OutboxError` when the folder can't be read.
    public func isDrained() throws(OutboxError) -> Bool {
        // It is not created here: without it, nobody has drained the queue ever.
        guard let lock = try OpenFile(Self.drainLockName, in: open(), flags: O_RDWR) else { return false }
        return try !lock.tryLock()
    }

    /// The name of an operation's file.
    static func name(of id: UUID) -> String { id.name + ".json" }

    /// The id in a file's name; nil when the name is not that of an operation's file, as one in upper case.
    static func id(of name: String) -> UUID? {
        UUID(uuidString: String(name.prefix(36))).flatMap { Self.name(of: $0) == name ? $0 : nil }
    }

    func open() throws(OutboxError) -> OpenFolder { try OpenFolder(folder, .own, calls: calls) }
}

/// The lock files and the folder `aside`, which stand among the operations.
extension OutboxStore {
    static let changesLockName = ".changes"
    static let drainLockName = ".drain"
    static let asideName = "aside"
    private static let ownNames: Set<String> = [changesLockName, drainLockName, asideName]

    /// Waits until no other process changes what is there, and keeps all from it while `body` runs.
    private func withChangesLocked<Value>(
        in folder: borrowing OpenFolder, _ body: () throws(OutboxError) -> Value
    ) throws(OutboxError) -> Value {
        let lock = try LockFile.waiting(for: Self.changesLockName, in: folder)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// The result of reading an operation's file.
    enum Reading {
        case operation(OutboxOperation)
        /// There is none. What is not a regular file is left alone.
        case missing
        /// The file can't be decoded, and is put aside.
        case undecodable

        var operation: OutboxOperation? { if case .operation(let operation) = self { operation } else { nil } }
    }

    /// Reads an operation's file.
    ///
    /// - Parameter original: the name that the file had in the queue, when that is another one.
    /// - Throws: `OutboxError` when the file can't be read now, which says nothing about its content.
    private func read(
        _ name: String, as original: String? = nil, in folder: borrowing OpenFolder
    ) throws(OutboxError) -> Reading {
        let bytes: [UInt8]
        do throws(OutboxError) {
            guard let file = try OpenFile(name, in: folder, flags: O_RDONLY) else { return .missing }
            bytes = try file.readAll(atMost: maximumSize)
        } catch {
            switch error.code {
            case .inTheWay: return .missing
            case .tooLarge: return .undecodable
            default: throw error
            }
        }
        guard let operation = try? OutboxOperation(json: bytes), Self.name(of: operation.id) == original ?? name
        else {
            return .undecodable
        }
        return .operation(operation)
    }

    private func readOrPutAside(_ id: UUID, in folder: borrowing OpenFolder) throws(OutboxError) -> Reading {
        let name = Self.name(of: id)
        let reading = try read(name, in: folder)
        guard case .undecodable = reading else { return reading }
        let aside = try OpenFolder(folder.path(of: Self.asideName), .own, calls: calls)
        var free = name
        var status = stat()
        var number = 1
        // Renaming would replace an earlier file of that name.
        while calls.statusOf(aside.descriptor, free, &status) == 0 {
            free = "\(name).\(number)"
            number += 1
        }
        if calls.rename(folder.descriptor, name, aside.descriptor, free) != 0, errno != ENOENT {
            throw OutboxError("move", path: folder.path(of: name), errno: errno)
        }
        try aside.flush()
        try folder.flush()
        return reading
    }

    /// Moves files back from `aside` that this version can decode.
    ///
    /// - Returns: the names of the files that stay there.
    private func bringBack(in folder: borrowing OpenFolder) throws(OutboxError) -> [String] {
        var status = stat()
        if calls.statusOf(folder.descriptor, Self.asideName, &status) != 0, errno == ENOENT { return [] }
        let aside = try OpenFolder(folder.path(of: Self.asideName), .own, calls: calls)
        var remaining: [String] = []
        for name in try aside.names(where: { _ in true }).sorted() {
            let original = String(name.prefix(41))
            if Self.id(of: original) != nil, case .operation = try read(name, as: original, in: aside) {
                let isBack = try withChangesLocked(in: folder) { () throws(OutboxError) in
                    if calls.statusOf(folder.descriptor, original, &status) == 0 || errno != ENOENT { return false }
                    if calls.rename(aside.descriptor, name, folder.descriptor, original) != 0, errno != ENOENT {
                        throw OutboxError("move", path: aside.path(of: name), errno: errno)
                    }
                    try folder.flush()
                    try aside.flush()
                    return true
                }
                if isBack { continue }
            }
            remaining.append(name)
        }
        return remaining
    }
}

extension Date {
    /// The time since 1970, in milliseconds.
    var milliseconds: Int64 { Int64(max(-9e15, min(9e15, (timeIntervalSince1970 * 1000).rounded()))) }
}
