import Outbox
import Synchronization

struct OutboxDrain: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let (isWatching, duration) = (arguments[Self.watches], arguments[Self.duration])
        if duration != nil, !isWatching { throw arguments.specification.usageError("--for goes with --watch") }
        let queue = try QueueAccess(arguments)
        let journal = OutboxLog()
        let events = queue.isJSON ? OutboxEventWriter() : nil
        let hasPutAside = Atomic(false)
        let interruption = Interruption()
        let mode: OutboxDrainer.Mode = !isWatching ? .once : duration == nil ? .watching : .untilIdle
        let run = Task {
            try await Draining.run(mode, queue.store, notes: queue.notes, for: duration, failed: { journal.tell($0) }) {
                event in
                if case .putAside = event { hasPutAside.store(true, ordering: .relaxed) }
                journal.tell(event)
                events?.tell(event)
            }
        }
        let wait = Task {
            await interruption.wait()
            run.cancel()
        }
        defer { wait.cancel() }
        let end = try await run.value
        try events?.check()
        // A signal is the usual end of a watch.
        if let number = interruption.signalNumber { return isWatching ? .ok : ExitCode(endedBy: number) }
        let remaining = try queue.store.index().ids.count
        if remaining == 0 { return hasPutAside.load(ordering: .relaxed) ? .dataError : .ok }
        if end == .elsewhere {
            Console.tell("another process brings what is in the queue")
            return .tempFail
        }
        Console.tell("\(remaining) could not be brought yet; utter outbox list shows why")
        return .tempFail
    }
}
