import Foundation
import Glibc

/// The operations on the disk: a folder with a JSON file for each, named after its id.
///
///     let store = OutboxStore(folder: OutboxStore.defaultFolder())
///     try store.enqueue(OutboxOperation(kind: "mail", payload: Data("buy milk".utf8)))
///
/// A file is there whole or not at all: it is written to a temporary name, flushed, and linked, and the folder is flushed. Several
/// processes may use one folder at the same time. What can't be decoded goes into the folder `aside`, and comes back when a
/// version that knows it looks; nothing is deleted but by `remove`.
///
/// The folder is for its owner only, as are the files, for they hold what was said.
public struct OutboxStore: Sendable {
    public let folder: String
    let calls: FileCalls
    /// How large an operation's file may be, in bytes, so that nothing that somebody puts into the folder fills the memory.
    package let maximumSize: Int

    public init(folder: String) { self.init(folder: folder, calls: .system) }

    package init(folder: String, calls: FileCalls, maximumSize: Int = 64 << 20) {
        self.folder = folder
        self.calls = calls
        self.maximumSize = maximumSize
    }

    /// `$XDG_STATE_HOME/utter/outbox`
    public static func defaultFolder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.state.utter(environment) + "/outbox"
    }

    /// Takes an operation. When this returns, it is on the disk for good. It waits for no other process.
    ///
    /// - Returns: false when an operation with this id is there already; it stays as it is.
    /// - Throws: `OutboxError`; the operation was not taken then.
    @discardableResult
    public func enqueue(_ operation: OutboxOperation) throws(OutboxError) -> Bool {
        let json = operation.json
        if json.count > maximumSize {
            throw OutboxError(
                .tooLarge, path: folder, "the text is too large for the queue, which takes \(maximumSize >> 20) MiB at most")
        }
        return try open().write(json, to: Self.name(of: operation.id), .new)
    }

    /// An operation, or nil when there is none with this id, or its file can't be decoded: that one is put aside.
    public func operation(_ id: UUID) throws(OutboxError) -> OutboxOperation? { try read(id).operation }

    /// The same, telling why there is none.
    func read(_ id: UUID) throws(OutboxError) -> Reading {
        let folder = try open()
        let reading = try read(Self.name(of: id), in: folder)
        guard case .undecodable = reading else { return reading }
        let lock = try lockChanges(in: folder)
        defer { lock.keep() }
        return try readOrPutAside(id, in: folder)
    }

    /// Writes an operation anew, as `body` changes it. Other processes' changes come before or after, not between.
    ///
    /// - Returns: the changed operation; nil when it is no longer there.
    @discardableResult
    public func change(
        _ id: UUID, _ body: (inout OutboxOperation) -> Void
    ) throws(OutboxError) -> OutboxOperation? {
        let folder = try open()
        let lock = try lockChanges(in: folder)
        defer { lock.keep() }
        guard var operation = try readOrPutAside(id, in: folder).operation else { return nil }
        body(&operation)
        _ = try folder.write(operation.json, to: Self.name(of: id), .replacing)
        return operation
    }

    /// Removes an operation that the user wants gone.
    public func remove(_ id: UUID) throws(OutboxError) {
        let folder = try open()
        let lock = try lockChanges(in: folder)
        defer { lock.keep() }
        try folder.remove(Self.name(of: id))
    }

    /// Removes an operation that has arrived, unless it was given another destination meanwhile.
    ///
    /// - Returns: whether it is gone.
    @discardableResult
    package func removeArrived(_ operation: OutboxOperation) throws(OutboxError) -> Bool {
        let folder = try open()
        let lock = try lockChanges(in: folder)
        defer { lock.keep() }
        let name = Self.name(of: operation.id)
        if case .operation(let now) = try read(name, in: folder), now.hasMoved(since: operation) { return false }
        try folder.remove(name)
        return true
    }

    /// What lies in the folder. Removes what killed processes left half-written, and brings back from `aside` what can be
    /// decoded now.
    public func index() throws(OutboxError) -> OutboxIndex {
        let folder = try open()
        var index = OutboxIndex()
        var temporary: [String] = []
        var unordered: [UUID] = []
        index.aside = try bringBack(in: folder)
        let code = calls.nameBytes(folder.descriptor) { bytes, isFile in
            if isFile, let id = OperationName.id(of: bytes) {
                if let time = id.timeInMilliseconds {
                    index.entries.append(OutboxIndex.Entry(id: id, time: time))
                } else {
                    unordered.append(id)
                }
            } else if let name = String(validating: bytes, as: UTF8.self) {
                if isFile, OpenFolder.isTemporary(name) {
                    temporary.append(name)
                } else if !Self.ownNames.contains(name) {
                    index.foreign.append(name)
                }
            }
            return true
        }
        if code != 0 { throw OutboxError("read", path: folder.path, errno: errno) }
        for name in temporary { try folder.removeIfLitter(name) }
        // Made by others, such an id says no time; the file does.
        for id in unordered {
            switch try read(id) {
            case .operation(let operation):
                index.entries.append(OutboxIndex.Entry(id: id, time: operation.createdAt.milliseconds))
            case .undecodable: index.aside.append(Self.name(of: id))
            case .missing, .foreign: continue
            }
        }
        index.entries.sort()
        index.foreign.sort()
        return index
    }

    /// Whether nothing is in the queue. Quicker than an index.
    public func isEmpty() throws(OutboxError) -> Bool {
        let folder = try open()
        var isEmpty = true
        let code = calls.nameBytes(folder.descriptor) { name, isFile in
            isEmpty = !isFile || OperationName.id(of: name) == nil
            return isEmpty
        }
        if code != 0 { throw OutboxError("read", path: folder.path, errno: errno) }
        return isEmpty
    }

    static func name(of id: UUID) -> String { OperationName.name(of: id) }
    static func id(of name: String) -> UUID? { OperationName.id(of: name) }

    func open() throws(OutboxError) -> OpenFolder { try OpenFolder(folder, .own, calls: calls) }
}

/// Names of our own in the folder, beside operations.
extension OutboxStore {
    static let changesLockName = ".changes"
    static let drainLockName = ".drain"
    static let asideName = "aside"
    private static let ownNames: Set<String> = [changesLockName, drainLockName, asideName]

    private func lockChanges(in folder: borrowing OpenFolder) throws(OutboxError) -> HeldLock {
        try HeldLock.waiting(for: Self.changesLockName, in: folder)
    }

    enum Reading {
        case operation(OutboxOperation)
        case missing
        /// Something else than a file has its name. It is left alone.
        case foreign
        /// It is put aside then, or about to be.
        case undecodable

        var operation: OutboxOperation? { if case .operation(let operation) = self { operation } else { nil } }
    }

    /// - Parameter original: the name that an operation's file has, unless the file has another for now.
    /// - Throws: when the file can't be read now; that says nothing about what is in it.
    private func read(
        _ name: String, as original: String? = nil, in folder: borrowing OpenFolder
    ) throws(OutboxError) -> Reading {
        let bytes: [UInt8]
        do throws(OutboxError) {
            guard let file = try OpenFile(name, in: folder, flags: O_RDONLY) else { return .missing }
            bytes = try file.readAll(atMost: maximumSize)
        } catch {
            switch error.code {
            case .inTheWay: return .foreign
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
        // Renaming would write over what is there.
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

    /// Moves back what was put aside and can be decoded now.
    ///
    /// - Returns: the names of what stays.
    private func bringBack(in folder: borrowing OpenFolder) throws(OutboxError) -> [String] {
        var status = stat()
        if calls.statusOf(folder.descriptor, Self.asideName, &status) != 0, errno == ENOENT { return [] }
        let aside = try OpenFolder(folder.path(of: Self.asideName), .own, calls: calls)
        var names: [String] = []
        let code = calls.names(aside.descriptor) { name in
            names.append(name)
            return true
        }
        if code != 0 { throw OutboxError("read", path: aside.path, errno: errno) }
        var remaining: [String] = []
        for name in names.sorted() {
            let original = String(name.prefix(41))
            if Self.id(of: original) != nil, case .operation = try read(name, as: original, in: aside) {
                let lock = try lockChanges(in: folder)
                defer { lock.keep() }
                if calls.statusOf(folder.descriptor, original, &status) != 0, errno == ENOENT {
                    if calls.rename(aside.descriptor, name, folder.descriptor, original) != 0, errno != ENOENT {
                        throw OutboxError("move", path: aside.path(of: name), errno: errno)
                    }
                    try folder.flush()
                    try aside.flush()
                    continue
                }
            }
            remaining.append(name)
        }
        return remaining
    }
}

extension Date {
    /// Since 1970.
    var milliseconds: Int64 { Int64(max(-9e15, min(9e15, (timeIntervalSince1970 * 1000).rounded()))) }
}
