import Foundation

/// Adds captures to the day's Markdown note.
public struct VaultHandler: OutboxHandler {
    private let vault: MarkdownVault

    public init(_ vault: MarkdownVault) { self.vault = vault }

    /// A note reads from top to bottom.
    public var deliversInOrder: Bool { true }

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard let capture = Capture(payload: operation.payload) else { return .notACapture }
        do throws(OutboxError) {
            try vault.append(
                MarkdownVault.Entry(
                    id: operation.id, text: capture.text, capturedAt: capture.capturedAt, timeZone: capture.timeZone))
            return .delivered
        } catch {
            // A disk gets room again, a stick is put in again.
            return .failed(reason: error.description)
        }
    }
}

extension DeliveryOutcome {
    static let notACapture = needsUser(reason: "the operation holds no text; remove it with utter outbox clear")
}
