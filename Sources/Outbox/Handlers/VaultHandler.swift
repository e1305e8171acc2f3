import Foundation

/// Adds captures to the day's Markdown note.
public struct VaultHandler: OutboxHandler {
    package let vault: MarkdownVault
    /// Whether a capture may name another folder.
    private let followsCaptures: Bool

    /// - Parameter followsCaptures: whether the notes go to the folder that a capture names, where it names one.
    public init(_ vault: MarkdownVault, followsCaptures: Bool = false) {
        self.vault = vault
        self.followsCaptures = followsCaptures
    }

    /// The folder of the notes, for captures that name no other.
    public var location: MarkdownVault.Location { vault.location }

    /// A note reads from top to bottom.
    public var deliversInOrder: Bool { true }

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard Capture(payload: operation.payload) != nil else { return .notACapture }
        do throws(OutboxError) {
            try append(operation)
            return .delivered
        } catch {
            // A disk gets room again, a stick is put in again.
            return .failed(reason: reason(error, for: operation))
        }
    }

    /// Does it at once, on this thread.
    ///
    /// - Throws: `OutboxError`, also when the operation holds no text.
    public func append(_ operation: OutboxOperation) throws(OutboxError) {
        guard let (vault, entry) = place(of: operation) else {
            throw OutboxError(.invalid, path: vault.location.path, "the operation holds no text")
        }
        try vault.append(entry)
    }

    /// Why an operation that waits in the queue could not be added, and what gives it another place where its own is not there.
    public func reason(_ error: OutboxError, for operation: OutboxOperation) -> String {
        error.code == .missing ? "\(error.description): utter outbox move \(operation.id.name) --to notes" : error.description
    }

    /// The note that it belongs to; nil when the operation holds no text.
    public func notePath(for operation: OutboxOperation) -> String? {
        place(of: operation).map { vault, entry in vault.notePath(for: entry) }
    }

    private func place(of operation: OutboxOperation) -> (MarkdownVault, MarkdownVault.Entry)? {
        guard let capture = Capture(payload: operation.payload) else { return nil }
        let location = followsCaptures ? capture.notesFolder.map(location(of:)) : nil
        let entry = MarkdownVault.Entry(
            id: operation.id, text: capture.text, capturedAt: capture.capturedAt, timeZone: capture.timeZone)
        return (location.map { vault.moved(to: $0) } ?? vault, entry)
    }

    private func location(of folder: String) -> MarkdownVault.Location {
        // Our own are made where they are missing.
        for location in [location, .usual()] where location.path == folder { return location }
        return .named(folder)
    }
}

extension DeliveryOutcome {
    static let notACapture = needsUser(reason: "the operation holds no text; remove it with utter outbox clear")
}
