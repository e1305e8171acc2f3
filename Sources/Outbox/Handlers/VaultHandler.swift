import Foundation

/// Adds each capture to the Markdown note of its day.
public struct VaultHandler: OutboxHandler {
    package let vault: MarkdownVault
    /// Whether a capture may name another folder.
    private let followsCaptures: Bool

    /// Creates a handler that adds captures to a vault.
    ///
    /// - Parameters:
    ///   - vault: the vault.
    ///   - followsCaptures: whether a capture that names another folder goes there.
    public init(_ vault: MarkdownVault, followsCaptures: Bool = false) {
        self.vault = vault
        self.followsCaptures = followsCaptures
    }

    /// The folder of the notes, for captures that do not name another.
    public var location: MarkdownVault.Location { vault.location }

    /// True, because people read a note from top to bottom.
    public var deliversInOrder: Bool { true }

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard CapturedText(payload: operation.payload) != nil else { return .notACapture }
        do throws(OutboxError) {
            try append(operation)
            return .delivered
        } catch {
            // It may work later: a disk gets space again, a removable disk is mounted again.
            return .failed(reason: reason(error, for: operation))
        }
    }

    /// Adds the operation's text to its note at once, on this thread.
    ///
    /// - Throws: `OutboxError` when the note can't be written, or with the code `invalid` when the operation holds no text.
    public func append(_ operation: OutboxOperation) throws(OutboxError) { try append(operation, inPlaceOf: []) }

    /// Adds the operation's text to its note as `append` does.
    ///
    /// - Parameter failed: the other texts with which that has failed before. If one is in the note nevertheless, the text of now takes its
    ///   place.
    package func append(_ operation: OutboxOperation, inPlaceOf failed: [String]) throws(OutboxError) {
        guard let (vault, entry) = place(of: operation) else {
            throw OutboxError(.invalid, path: vault.location.path, "the operation holds no text")
        }
        for text in failed where try vault.replace(text, of: entry) { return }
        try vault.append(entry)
    }

    /// Removes the operation's text from its note, if it is there as it was added.
    ///
    /// - Throws: `OutboxError` when the note can't be read or written.
    package func remove(_ operation: OutboxOperation) throws(OutboxError) {
        if let (vault, entry) = place(of: operation) { try vault.remove(entry) }
    }

    /// Why an operation could not be added; when its folder is missing, or something is in its place, with the command that gives it
    /// another one.
    public func reason(_ error: OutboxError, for operation: OutboxOperation) -> String {
        if error.code != .missing && error.code != .inTheWay { return error.description }
        return error.description + Self.move(operation) + "; for another than the usual folder add --notes DIR"
    }

    /// The begin of the sentence that brings an operation elsewhere, behind the one that says what to do where it belongs.
    package static func move(_ operation: OutboxOperation) -> String {
        "; to bring the text elsewhere: utter outbox move \(operation.id.name) --to notes"
    }

    /// The path of the note that an operation belongs to; nil when the operation holds no text.
    public func notePath(for operation: OutboxOperation) -> String? {
        place(of: operation).map { vault, entry in vault.notePath(for: entry) }
    }

    private func place(of operation: OutboxOperation) -> (MarkdownVault, MarkdownVault.Entry)? {
        guard let capture = CapturedText(payload: operation.payload) else { return nil }
        let location = followsCaptures ? capture.notesFolder.map(location(of:)) : nil
        let entry = MarkdownVault.Entry(
            id: operation.id, text: capture.text, capturedAt: capture.capturedAt, timeZone: capture.timeZone)
        return (location.map { vault.moved(to: $0) } ?? vault, entry)
    }

    private func location(of folder: String) -> MarkdownVault.Location {
        // A folder of utter's own is created if it is missing; one that the user named is not.
        for location in [location, .usual()] where location.path == folder { return location }
        return .named(folder)
    }
}

extension DeliveryOutcome {
    static let notACapture = needsUser(reason: "the operation holds no text; remove it with utter outbox clear")
}
