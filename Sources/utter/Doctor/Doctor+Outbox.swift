import Foundation
import Outbox

extension Doctor {
    private static let outbox = "outbox"

    /// Whether the outbox can keep operations, and whether they arrive.
    func outbox() -> [Finding] {
        var findings: [Finding] = []
        var handlers: [String: any OutboxHandler]?
        let path = Destinations.path(surroundings.environment)
        do throws(OutboxError) {
            let destinations = try Destinations.load(notes: options.notes, surroundings.environment)
            handlers = destinations.handlers
            // A user who has configured no destinations needs no line about them.
            if destinations.names != [DestinationConfiguration.notes] {
                findings.append(.fine("destinations", "memos go to \(ValueKind.list(destinations.names, word: "and"))"))
            }
            findings += unknownDestinations()
        } catch {
            let isUnreadable = error.code != .invalid
            let steps = isUnreadable ? surroundings.steps(for: error) : [Surroundings.edit(path)]
            findings.append(.broken(Self.outbox, error.description, steps))
        }
        let store = OutboxStore(folder: OutboxStore.defaultFolder(surroundings.environment))
        do throws(OutboxError) {
            return findings
                + (try review(store, handlers)).filter {
                    $0.state != .fine || findings.allSatisfy { $0.state == .fine }
                }
        } catch {
            return findings + [.broken(Self.outbox, error.description, surroundings.steps(for: error))]
        }
    }

    /// The settings that name a destination which is not there: the commands that they are for do not start.
    private func unknownDestinations() -> [Finding] {
        guard let settings = try? Settings.load(surroundings.environment) else { return [] }
        return Setting.all.filter { $0.kind == .destination }.compactMap { setting in
            guard let problem = EffectiveSettings(settings).problem(setting) else { return nil }
            return Finding(
                subject: "destinations", state: setting.commands == ["memo"] ? .broken : .lacking,
                words: "\(setting.key) is set, but \(problem)", mend: [.run("utter config unset \(setting.key)")])
        }
    }

    /// The findings about the queue. There are no handlers when the destinations can't be read.
    private func review(_ store: OutboxStore, _ handlers: [String: any OutboxHandler]?) throws(OutboxError) -> [Finding]
    {
        let operations = try store.operations()
        // The destinations with operations that wait for the user, which have a reason of their own.
        let held = Set(operations.filter(\.waitsForUser).map(\.destination))
        let summary = QueueSummary(operations) { name in handlers.map { $0[name] != nil } ?? true }
        // Reading the operations may have put some aside, so the count is taken afterwards.
        let asideCount = try store.index().aside.count
        let found = summary.findings(
            asideCount: asideCount, folder: store.folder, destinationsPath: Destinations.path(surroundings.environment),
            now: Date())
        let missing = (handlers ?? [:]).sorted { $0.key < $1.key }.compactMap { name, handler -> Finding? in
            guard !held.contains(name), let reason = handler.whatIsMissing else { return nil }
            return .lacking(
                Self.outbox, "\(name): \(reason)",
                [.act("mend that, and then: utter outbox test \(ShellWord.quoted(name))")])
        }
        return missing.isEmpty ? found : found.filter { $0.state != .fine } + missing
    }
}
