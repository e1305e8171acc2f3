import Foundation
import Outbox

/// Whether what is given to the outbox can be kept there, and arrives.
struct OutboxCheck {
    private static let subject = "outbox"
    private let notes: MarkdownVault.Location
    private let surroundings: Surroundings

    init(notes: MarkdownVault.Location, _ surroundings: Surroundings) {
        self.notes = notes
        self.surroundings = surroundings
    }

    func findings() -> [Finding] {
        var findings: [Finding] = []
        var names: Set<String>?
        let path = Destinations.path(surroundings.environment)
        do throws(OutboxError) {
            names = Set(try Destinations.load(notes: notes, surroundings.environment).handlers.keys)
        } catch {
            let isUnreadable = error.code != .invalid
            let steps = isUnreadable ? FolderMend(surroundings).steps(for: error) : [Surroundings.edit(path)]
            findings.append(.broken(Self.subject, error.description, steps))
        }
        let store = OutboxStore(folder: OutboxStore.defaultFolder(surroundings.environment))
        do throws(OutboxError) {
            return findings + (try review(store, names)).filter { findings.isEmpty || $0.state != .fine }
        } catch {
            return findings + [.broken(Self.subject, error.description, FolderMend(surroundings).steps(for: error))]
        }
    }

    /// - Parameter names: of the destinations; nil when nobody knows them.
    private func review(_ store: OutboxStore, _ names: Set<String>?) throws(OutboxError) -> [Finding] {
        var review = QueueReview()
        for id in try store.index().ids {
            guard let operation = try store.operation(id) else { continue }
            review.add(operation, isKnown: names?.contains(operation.kind) ?? true)
        }
        // Reading them may have put some aside.
        let asideCount = try store.index().aside.count
        return review.findings(
            asideCount: asideCount, folder: store.folder, destinationsPath: Destinations.path(surroundings.environment), now: Date())
    }
}
