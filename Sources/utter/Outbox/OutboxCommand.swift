import Foundation
import Glibc
import Outbox

/// Carries out `utter outbox`.
func runOutbox(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting {
        let command = try OutboxCommand(OutboxOptions(arguments))
        return try await command.run()
    }
}

/// `utter outbox` with its options.
struct OutboxCommand {
    private let options: OutboxOptions
    private let store: OutboxStore
    private let destinations: DestinationConfiguration

    init(_ options: OutboxOptions, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        self.options = options
        store = OutboxStore(folder: OutboxStore.defaultFolder(environment))
        destinations = try Destinations.load(notes: options.notes, environment)
    }

    func run() async throws -> ExitCode {
        switch options.action {
        case .summary: try summarize()
        case .list: try list()
        case .show: try show()
        case .add: try add()
        case .retry: try retry()
        case .clear: return try clear()
        case .drain: return try await drain()
        case .test: return try await test()
        }
        return .ok
    }

    private func summarize() throws {
        let index = try store.index()
        var counts: [String: (pending: Int, failing: Int, held: Int)] = [:]
        for id in index.ids {
            guard let operation = try store.operation(id) else { continue }
            let isHeld = operation.waitsForUser || destinations.handlers[operation.kind] == nil
            counts[operation.kind, default: (0, 0, 0)].pending += 1
            if isHeld { counts[operation.kind, default: (0, 0, 0)].held += 1 }
            if operation.attemptCount > 0, !isHeld { counts[operation.kind, default: (0, 0, 0)].failing += 1 }
        }
        if options.isJSON {
            let kinds = counts.sorted { $0.key < $1.key }.map { kind, count in
                JSONWriter.object([
                    "destination": JSONWriter.string(kind), "pending": String(count.pending),
                    "failing": String(count.failing), "held": String(count.held),
                ])
            }
            return try Output.write(
                JSONWriter.object([
                    "pending": String(index.ids.count), "aside": String(index.aside.count),
                    "foreign": String(index.foreign.count), "destinations": JSONWriter.array(kinds),
                ]) + "\n")
        }
        var lines = index.ids.isEmpty ? ["everything has arrived"] : []
        for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
            var line = "\(kind): \(count.pending) pending"
            if count.failing > 0 { line += ", \(count.failing) failing" }
            if count.held > 0 { line += ", \(count.held) waiting for you" }
            lines.append(line)
        }
        if !index.aside.isEmpty { lines.append("unreadable and put aside: \(index.aside.count) in \(store.folder)/aside") }
        if !index.foreign.isEmpty { lines.append("not ours: \(index.foreign.joined(separator: ", "))") }
        try Output.write(lines.map { TerminalText.visible($0) + "\n" }.joined())
    }

    private func list() throws {
        for id in try store.index().ids {
            guard let operation = try store.operation(id) else { continue }
            if options.isJSON {
                try Output.write(json(operation, withText: false) + "\n")
            } else {
                let line = "\(id.uuidString.lowercased())  \(time(operation.createdAt))  \(operation.kind)  \(standing(operation))"
                try Output.write(TerminalText.visible(line) + "\n")
            }
        }
    }

    private func show() throws {
        let operation = try find(options.arguments[0])
        if options.isJSON { return try Output.write(json(operation, withText: true) + "\n") }
        let head = """
            id: \(operation.id.uuidString.lowercased())
            destination: \(operation.kind)
            since: \(time(operation.createdAt))
            attempts: \(operation.attemptCount)
            state: \(standing(operation))

            """
        let text = Capture(payload: operation.payload)?.text ?? String(decoding: operation.payload, as: UTF8.self)
        try Output.write(TerminalText.visible(head + "\n" + text, layout: .tabsAndNewlines) + "\n")
    }

    private func add() throws {
        let text: String
        if options.arguments.isEmpty {
            guard let data = try FileHandle.standardInput.readToEnd(), let input = String(validating: data, as: UTF8.self) else {
                throw CommandError("standard input holds no text in UTF-8", .dataError)
            }
            text = input.hasSuffix("\n") ? String(input.dropLast()) : input
        } else {
            text = options.arguments.joined(separator: " ")
        }
        guard text.contains(where: { !$0.isWhitespace }) else { throw CommandError("there is no text to add", .dataError) }
        let names = options.destinations.isEmpty ? destinations.names : options.destinations
        for name in names where destinations.handlers[name] == nil { throw destinations.unknown(name) }
        let capture = Capture(text: text, notesFolder: options.notes.folderForCaptures)
        let id = UUID.timeOrdered()
        for name in names {
            let operation = OutboxOperation(capture, id: id, to: name)
            try store.enqueue(operation)
            let shown = operation.id.uuidString.lowercased()
            let line = options.isJSON
                ? JSONWriter.object(["id": JSONWriter.string(shown), "destination": JSONWriter.string(name)])
                : TerminalText.visible("\(shown)  \(name)")
            try Output.write(line + "\n")
        }
        if options.drains { Delivery.drainInBackground() }
    }

    private func retry() throws {
        let ids = options.isAll ? Array(try store.index().ids) : [try find(options.arguments[0]).id]
        for id in ids { try store.change(id) { $0.retry() } }
    }

    private func clear() throws -> ExitCode {
        let ids = try options.arguments.isEmpty ? Array(store.index().ids) : [find(options.arguments[0]).id]
        if ids.isEmpty { return .ok }
        if !options.isSure {
            guard isatty(STDIN_FILENO) != 0 else { throw CommandError("clear asks on a terminal; without one add --yes", .usage) }
            Console.say("Throw away \(ids.count == 1 ? "this one" : "\(ids.count) that have not arrived")? [y/N] ")
            guard readLine()?.lowercased().hasPrefix("y") == true else { return .ok }
        }
        for id in ids { try store.remove(id) }
        return .ok
    }

    private func drain() async throws -> ExitCode {
        let drainer = OutboxDrainer(store: store, handlers: destinations.handlers, log: Self.tell)
        if options.isWatching {
            let interruption = Interruption()
            let run = Task { try await drainer.run(options.duration == nil ? .watching : .untilIdle) }
            let wait = Task {
                await interruption.wait()
                run.cancel()
            }
            let alarm = options.duration.map { duration in
                Task { if (try? await Task.sleep(for: .seconds(duration))) != nil { run.cancel() } }
            }
            defer {
                wait.cancel()
                alarm?.cancel()
            }
            _ = try await run.value
            return .ok
        }
        guard try await drainer.run(.once) == .done else {
            Console.tell("another process brings what is in the queue")
            return .tempFail
        }
        return try store.index().ids.isEmpty ? .ok : .tempFail
    }

    private func test() async throws -> ExitCode {
        let name = options.arguments[0]
        guard let handler = destinations.handlers[name] else { throw destinations.unknown(name) }
        let operation = OutboxOperation(Capture(text: "a test of utter"), id: .timeOrdered(), to: name)
        switch await handler.deliver(operation) {
        case .delivered:
            try Output.write(TerminalText.visible("\(name) works") + "\n")
            return .ok
        case .failed(let reason, _, _): throw CommandError(reason, .tempFail)
        case .needsUser(let reason): throw CommandError(reason, .configuration)
        }
    }
}

extension OutboxCommand {
    /// The one operation whose id is, begins with or ends with this.
    private func find(_ text: String) throws -> OutboxOperation {
        let text = text.lowercased()
        let ids = try store.index().ids.filter { id in
            let id = id.uuidString.lowercased()
            return id.hasPrefix(text) || id.hasSuffix(text)
        }
        guard let id = ids.first, let operation = try store.operation(id) else {
            throw CommandError("there is no operation \(text) in the queue; utter outbox list shows them", .noInput)
        }
        if ids.count > 1 { throw CommandError("\(text) stands for \(ids.count) operations; write more of it", .noInput) }
        return operation
    }

    private func standing(_ operation: OutboxOperation) -> String {
        if destinations.handlers[operation.kind] == nil { return "no destination has this name" }
        if operation.waitsForUser { return "waits for you: \(operation.lastError ?? "")" }
        guard operation.attemptCount > 0 else { return "not tried yet" }
        return "tried \(operation.attemptCount) times: \(operation.lastError ?? "")"
    }

    private func time(_ date: Date) -> String { date.formatted(.iso8601) }

    private func json(_ operation: OutboxOperation, withText: Bool) -> String {
        let text = Capture(payload: operation.payload)?.text ?? String(decoding: operation.payload, as: UTF8.self)
        return JSONWriter.object([
            "id": JSONWriter.string(operation.id.uuidString.lowercased()), "destination": JSONWriter.string(operation.kind),
            "createdAt": JSONWriter.string(time(operation.createdAt)), "attempts": String(operation.attemptCount),
            "nextAt": operation.nextEligibleAt.map { JSONWriter.string(time($0)) },
            "waitsForUser": operation.waitsForUser ? "true" : "false", "lastError": operation.lastError.map(JSONWriter.string),
            "text": withText ? JSONWriter.string(text) : nil,
        ])
    }

    /// For a journal: a line each, with its level where systemd reads it.
    private static func tell(_ event: OutboxEvent) {
        let isJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil
        func say(_ level: Int, _ line: String) {
            Console.say((isJournal ? "<\(level)>" : "utter: ") + TerminalText.visible(line) + "\n", layout: .tabsAndNewlines)
        }
        switch event {
        // Silent while it works, but for a journal.
        case .delivered(let id, let kind, let attempts):
            if isJournal { say(6, "\(id.uuidString.lowercased()) arrived at \(kind) with attempt \(attempts)") }
        case .failed(let id, let kind, let reason, let attempts, let delay):
            say(4, "\(id.uuidString.lowercased()) to \(kind): \(reason); attempt \(attempts), the next in \(Int(delay)) s")
        case .needsUser(let id, let kind, let reason):
            say(3, "\(id.uuidString.lowercased()) to \(kind) waits for you: \(reason)")
        case .unknownKind(let id, let kind): say(4, "\(id.uuidString.lowercased()): no destination is named \(kind)")
        case .storeFailed(let error): say(3, error.description)
        }
    }
}
