import Foundation
import Outbox
import System

/// The queue of `utter type`. It is not the outbox, for only the process that serves can reach the windows.
struct TypingQueue: Sendable {
    static let destination = "window"
    let store: OutboxStore

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        store = OutboxStore(folder: BaseFolder.state.utter(environment) + "/typing")
    }

    /// Adds a text. When this returns, it is on the disk.
    ///
    /// - Returns: the text's id in the queue.
    @discardableResult
    func add(_ text: TypedText) throws(OutboxError) -> UUID {
        let operation = OutboxOperation(destination: Self.destination, payload: text.payload)
        try store.enqueue(operation)
        return operation.id
    }

    /// Makes this process the only one that types what is in the queue, as long as the lock exists. Waits five seconds for one that ends.
    func lock() throws(OutboxError) -> LockFile {
        do throws(OutboxError) {
            return try LockFile.waiting(for: Self.serving, in: OpenFolder(store.folder, .own))
        } catch {
            if error.code != .busy { throw error }
            throw OutboxError(.busy, path: store.folder, "another process serves utter type")
        }
    }

    /// Whether a process types what is in the queue, though it may answer nobody any more.
    var isServed: Bool { isLocked(Self.serving) }

    /// Where the queue's folder can't be used, no process holds a lock in it.
    private func isLocked(_ name: String) -> Bool {
        do throws(OutboxError) {
            let candidate = try LockFile(name, in: OpenFolder(store.folder, .own))
            return try !candidate.tryLock()
        } catch {
            return false
        }
    }

    /// Shows that this process listens for a dictation, as long as the lock exists.
    func lockListening() throws(OutboxError) -> LockFile {
        try LockFile.shared(Self.listening, in: OpenFolder(store.folder, .own))
    }

    /// Whether a process listens for a dictation, or has not put all of it into the queue.
    var isHeardFor: Bool { isLocked(Self.listening) }

    private static let (serving, listening) = (".serving", ".listening")

    /// Marks that a guess of a dictation may be in a window. When this returns, the mark is on the disk; it holds no text.
    func markGuess(of dictation: String) throws(OutboxError) {
        _ = try OpenFolder(store.folder, .own).write([], to: dictation + Self.guessEnding, .new)
    }

    func removeGuessMark(of dictation: String) throws(OutboxError) {
        try OpenFolder(store.folder, .own).remove(dictation + Self.guessEnding)
    }

    /// The dictations of which a guess may be in a window.
    var guessedDictations: Set<String> {
        get throws(OutboxError) {
            let names = try OpenFolder(store.folder, .own).names { $0.hasSuffix(Self.guessEnding) }
            return Set(names.map { String($0.dropLast(Self.guessEnding.count)) })
        }
    }

    private static let guessEnding = ".guess"

    /// What has not been typed, the oldest first.
    func operations() throws(OutboxError) -> [(operation: OutboxOperation, text: TypedText)] {
        try store.operations().compactMap { operation in TypedText(operation).map { (operation, $0) } }
    }

    /// What has not been typed, the oldest first; nothing where the queue can't be read.
    var readable: [(operation: OutboxOperation, text: TypedText)] { (try? operations()) ?? [] }
}
