import Foundation
import Glibc
import Outbox

/// Carries out the commands of `utter outbox`.
func runOutbox(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting { try await OutboxCommand(arguments).run() }
}

/// `utter outbox`, whichever of its commands it is.
struct OutboxCommand {
    private let arguments: ParsedArguments
    /// Where the notes are when no destination says it.
    private let notes: MarkdownVault.Location
    /// Those of `--to`, or all.
    private let names: [String]
    private let store: OutboxStore
    private let destinations: DestinationConfiguration
    private var isJSON: Bool { arguments.has("json") }

    init(_ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        try Self.check(arguments)
        self.arguments = arguments
        let options = DeliveryOptions(arguments, environment: environment)
        let delivery = try Delivery(options, environment: environment)
        notes = options.notes
        names = delivery.names
        store = delivery.store
        destinations = delivery.destinations
    }

    /// What the specification alone can't tell.
    private static func check(_ arguments: ParsedArguments) throws(UsageError) {
        switch arguments.specification.word {
        case "move":
            try checkMove(arguments)
        case "retry":
            let isNamed = !arguments.operands.isEmpty
            if isNamed == arguments.has("all") {
                throw arguments.specification.usageError(isNamed ? "an ID and --all can't go together" : "retry needs an ID, or --all")
            }
        case "drain":
            if arguments.number("for") != nil, !arguments.has("watch") {
                throw arguments.specification.usageError("--for goes with --watch")
            }
        default: break
        }
    }

    private static func checkMove(_ arguments: ParsedArguments) throws(UsageError) {
        if !arguments.has("to") { throw arguments.specification.usageError("move needs --to DESTINATION") }
        let choices = [!arguments.operands.isEmpty, arguments.has("all"), arguments.has("from")]
        if choices.count(where: { $0 }) != 1 {
            throw arguments.specification.usageError("move needs an ID, or several, or --all, or --from DESTINATION")
        }
    }

    func run() async throws -> ExitCode {
        switch arguments.specification.word {
        case "summary": try summarize()
        case "list": try list()
        case "show": try show()
        case "add": try add()
        case "retry": try retry()
        case "move": try move()
        case "clear": return try clear()
        case "drain": return try await drain()
        case "test": return try await test()
        case let name: preconditionFailure("utter outbox \(name) has nothing that runs it")
        }
        return .ok
    }

    private func summarize() throws {
        let index = try store.index()
        var counts: [String: (pending: Int, failing: Int, held: Int)] = [:]
        var unreadCount = 0
        for id in index.ids {
            guard let operation = try store.operation(id) else {
                unreadCount += 1
                continue
            }
            let isHeld = operation.waitsForUser || destinations.handlers[operation.kind] == nil
            counts[operation.kind, default: (0, 0, 0)].pending += 1
            if isHeld { counts[operation.kind, default: (0, 0, 0)].held += 1 }
            if operation.attemptCount > 0, !isHeld { counts[operation.kind, default: (0, 0, 0)].failing += 1 }
        }
        // What could not be read has just been put aside, unless it has arrived.
        let aside = unreadCount == 0 ? index.aside : try store.index().aside
        let kinds = counts.sorted { $0.key < $1.key }
        if isJSON {
            let destinations = kinds.map { kind, count in
                JSONWriter.object([
                    "destination": JSONWriter.string(kind), "pending": String(count.pending),
                    "failing": String(count.failing), "held": String(count.held),
                ])
            }
            return try Output.write(
                JSONWriter.object([
                    "pending": String(index.ids.count - unreadCount), "aside": String(aside.count),
                    "foreign": String(index.foreign.count), "destinations": JSONWriter.array(destinations),
                ]) + "\n")
        }
        var lines = kinds.isEmpty && aside.isEmpty ? [QueueReview.emptyText] : []
        for (kind, count) in kinds {
            var line = "\(kind): \(count.pending) pending"
            if count.failing > 0 { line += ", \(count.failing) of them failing" }
            if count.held > 0 { line += ", \(count.held) of them waiting for you" }
            lines.append(line)
        }
        if !aside.isEmpty { lines.append("unreadable and put aside: \(aside.count) in \(store.folder)/aside") }
        if !index.foreign.isEmpty { lines.append("not ours: \(index.foreign.joined(separator: ", "))") }
        try Output.write(lines.map { TerminalText.visible($0) + "\n" }.joined())
    }

    private func list() throws {
        if !isJSON, let width = Console.columns(of: STDOUT_FILENO) { return try showTable(width: width) }
        for id in try store.index().ids {
            guard let operation = try store.operation(id) else { continue }
            if isJSON {
                try Output.write(json(operation) + "\n")
            } else {
                let line = "\(id.name)  \(time(operation.createdAt))  \(operation.kind)  \(standing(operation))"
                try Output.write(TerminalText.visible(line) + "\n")
            }
        }
    }

    /// On a terminal the owner looks, who may see what it is about.
    private func showTable(width: Int) throws {
        let now = Date()
        let rows = try store.index().ids.compactMap { try store.operation($0) }.map { operation in
            OutboxTable.Row(
                id: operation.id, age: now.timeIntervalSince(operation.createdAt), destination: operation.kind,
                standing: standing(operation), text: String(text(of: operation).prefix(100)))
        }
        let table = OutboxTable(rows: rows, isUTF8: TerminalTraits(environment: ProcessInfo.processInfo.environment).isUTF8)
        try Output.write(table.lines(width: width).map { TerminalText.visible($0) + "\n" }.joined())
    }

    private func text(of operation: OutboxOperation) -> String {
        Capture(payload: operation.payload)?.text ?? String(decoding: operation.payload, as: UTF8.self)
    }

    private func show() throws {
        for (number, operation) in try namedOperations().enumerated() {
            if number > 0, !isJSON { try Output.write("\n") }
            try show(operation)
        }
    }

    private func show(_ operation: OutboxOperation) throws {
        let text = text(of: operation)
        let isProgram = destinations.handlers[operation.kind] is any ProgramHandler
        if isJSON { return try Output.write(json(operation, text: text) + "\n") }
        var lines = [
            "id: \(operation.id.name)", "destination: \(operation.kind)", "since: \(shownTime(operation.createdAt))",
            "attempts: \(operation.attemptCount)", "state: \(standing(operation))",
        ]
        if let next = operation.nextEligibleAt { lines.append("next attempt: \(shownTime(next))") }
        if isProgram, operation.lastError != nil {
            lines.append("to see what it says: utter outbox test \(ShellWord.quoted(operation.kind))")
        }
        let head = lines.map { TerminalText.visible($0) + "\n" }.joined()
        try Output.write(head + "\n" + TerminalText.visible(text, layout: .tabsAndNewlines) + "\n")
    }

    private func add() throws {
        let text: String
        if arguments.operands.isEmpty {
            let data = try Input.read(atMost: store.maximumSize)
            guard let input = String(validating: data, as: UTF8.self) else {
                throw CommandError("standard input holds no text in UTF-8", .dataError)
            }
            text = input.hasSuffix("\n") ? String(input.dropLast()) : input
        } else {
            text = arguments.operands.joined(separator: " ")
        }
        guard text.contains(where: { !$0.isWhitespace }) else { throw CommandError("there is no text to add", .dataError) }
        let capture = Capture(text: text, notesFolder: notes.folderForCaptures)
        let id = UUID.timeOrdered()
        for name in names {
            let operation = OutboxOperation(capture, id: id, to: name)
            try store.enqueue(operation)
            let shown = operation.id.name
            let line =
                isJSON
                ? JSONWriter.object(["id": JSONWriter.string(shown), "destination": JSONWriter.string(name)])
                : TerminalText.visible("\(shown)  \(name)")
            try Output.write(line + "\n")
        }
        if !arguments.has("no-drain") { Delivery.drainInBackground() }
    }

    private func retry() throws {
        let ids = try chosenIDs()
        for id in ids {
            guard let operation = try store.change(id, { $0.retry() }), isJSON else { continue }
            try Output.write(json(operation) + "\n")
        }
    }

    private func move() throws {
        let target = arguments.string("to") ?? ""
        let operations = try movedOperations()
        for operation in operations {
            let moved = try store.change(operation.id) { $0.move(to: target, notesFolder: notes.folderForCaptures) }
            // It has arrived meanwhile.
            guard let moved else { continue }
            let line = isJSON ? json(moved) : TerminalText.visible("\(moved.id.name)  from \(operation.kind) to \(target)")
            try Output.write(line + "\n")
        }
        if !operations.isEmpty, !arguments.has("no-drain") { Delivery.drainInBackground() }
    }

    /// Those that are named, or all, or all of a destination.
    private func movedOperations() throws -> [OutboxOperation] {
        if !arguments.operands.isEmpty { return try namedOperations() }
        let kind = arguments.string("from")
        return try store.index().ids.compactMap { try store.operation($0) }.filter { kind == nil || $0.kind == kind }
    }

    private func clear() throws -> ExitCode {
        let ids = try chosenIDs()
        if ids.isEmpty {
            if !isJSON { try Output.write(QueueReview.emptyText + "\n") }
            return .ok
        }
        if !arguments.has("yes") {
            guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
                throw CommandError("clear asks on a terminal; without one add --yes", .usage)
            }
            Console.say("Throw away \(ids.count == 1 ? "one that has" : "\(ids.count) that have") not arrived? [y/N] ")
            guard readLine()?.lowercased().hasPrefix("y") == true else { return .ok }
        }
        for id in ids {
            try store.remove(id)
            if isJSON { try Output.write(JSONWriter.object(["id": JSONWriter.string(id.name)]) + "\n") }
        }
        if !isJSON { try Output.write("\(ids.count) thrown away\n") }
        return .ok
    }

    private func drain() async throws -> ExitCode {
        let (isWatching, duration) = (arguments.has("watch"), arguments.number("for"))
        let journal = OutboxJournal()
        let events = isJSON ? OutboxEvents() : nil
        let drainer = OutboxDrainer(store: store, handlers: destinations.handlers) { event in
            journal.tell(event)
            events?.tell(event)
        }
        let interruption = Interruption()
        let mode: OutboxDrainer.Mode = !isWatching ? .once : duration == nil ? .watching : .untilIdle
        let run = Task { try await drainer.run(mode) }
        let alarm = duration.map { duration in
            Task { if (try? await Task.sleep(for: .seconds(duration))) != nil { run.cancel() } }
        }
        let wait = Task {
            await interruption.wait()
            run.cancel()
        }
        defer {
            wait.cancel()
            alarm?.cancel()
        }
        let end = try await run.value
        try events?.check()
        // To be ended is how watching is meant to end.
        if isWatching { return .ok }
        if let number = interruption.signalNumber { return ExitCode(endedBy: number) }
        if end == .elsewhere {
            Console.tell("another process brings what is in the queue")
            return .tempFail
        }
        let remaining = try store.index().ids.count
        if remaining == 0 { return .ok }
        Console.tell("\(remaining) could not be brought yet; utter outbox list shows why")
        return .tempFail
    }

    private func test() async throws -> ExitCode {
        let name = arguments.operands[0]
        guard let handler = destinations.handlers[name] else { throw destinations.unknown(name) }
        let operation = OutboxOperation(Capture(text: "a test of utter"), id: .timeOrdered(), to: name)
        let outcome: DeliveryOutcome
        if let handler = handler as? any ProgramHandler {
            let words: [UInt8]
            (outcome, words) = await handler.attempt(operation)
            // It can't repeat what anybody has said.
            if outcome != .delivered { Console.say(TerminalText.visible(bytes: words, layout: .tabsAndNewlines), layout: .tabsAndNewlines) }
        } else {
            outcome = await handler.deliver(operation)
        }
        switch outcome {
        case .delivered:
            try Output.write(isJSON ? testResult(name, nil) : TerminalText.visible("\(name) works") + "\n")
            return .ok
        case .failed(let reason, _, _, _): throw try testFailure(name, reason, .tempFail)
        case .needsUser(let reason): throw try testFailure(name, reason, .configuration)
        }
    }

    private func testFailure(_ name: String, _ reason: String, _ code: ExitCode) throws(CommandError) -> CommandError {
        if isJSON { try Output.write(testResult(name, reason)) }
        return CommandError("\(name): \(reason)", code)
    }

    private func testResult(_ name: String, _ reason: String?) -> String {
        JSONWriter.object([
            "destination": JSONWriter.string(name), "works": reason == nil ? "true" : "false",
            "reason": reason.map(JSONWriter.string),
        ]) + "\n"
    }
}

extension OutboxCommand {
    /// Those of the ones that are named, or all.
    private func chosenIDs() throws -> [UUID] {
        arguments.operands.isEmpty ? Array(try store.index().ids) : try namedOperations().map(\.id)
    }

    /// Those that are named, each once. An unknown one is refused before anything is done to any.
    private func namedOperations() throws -> [OutboxOperation] {
        var ids: Set<UUID> = []
        return try arguments.operands.map { try find($0) }.filter { ids.insert($0.id).inserted }
    }

    /// The one operation whose id is, begins with or ends with this.
    private func find(_ text: String) throws -> OutboxOperation {
        let text = text.lowercased()
        let ids = try store.index().ids.filter { id in
            id.name.hasPrefix(text) || id.name.hasSuffix(text)
        }
        if ids.count > 1 { throw CommandError("\(text) stands for \(ids.count) operations; write more of it", .usage) }
        guard let id = ids.first else {
            throw CommandError("there is no operation '\(text)' in the queue; utter outbox list shows them", .noInput)
        }
        guard let operation = try store.operation(id) else {
            throw CommandError("the file of \(id.name) can't be read; it was put aside in \(store.folder)/aside", .dataError)
        }
        return operation
    }

    private func standing(_ operation: OutboxOperation) -> String {
        if destinations.handlers[operation.kind] == nil { return "no destination has this name" }
        if operation.waitsForUser { return "waits for you: \(operation.lastError ?? "")" }
        guard operation.attemptCount > 0 else { return "not tried yet" }
        let count = operation.attemptCount == 1 ? "once" : "\(operation.attemptCount) times"
        return "tried \(count): \(operation.lastError ?? "")"
    }

    private func time(_ date: Date) -> String { date.formatted(.iso8601) }

    /// On a terminal in the time of here, as the notes have it.
    private func shownTime(_ date: Date) -> String {
        guard isatty(STDOUT_FILENO) != 0 else { return time(date) }
        var style = Date.ISO8601FormatStyle(timeZone: .current)
        style = style.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        return date.formatted(style)
    }

    /// - Parameter text: nil where what was said is not to be told.
    private func json(_ operation: OutboxOperation, text: String? = nil) -> String {
        JSONWriter.object([
            "id": JSONWriter.string(operation.id.name), "destination": JSONWriter.string(operation.kind),
            "createdAt": JSONWriter.string(time(operation.createdAt)), "attempts": String(operation.attemptCount),
            "nextAt": operation.nextEligibleAt.map { JSONWriter.string(time($0)) },
            "waitsForUser": operation.waitsForUser ? "true" : "false", "lastError": operation.lastError.map(JSONWriter.string),
            "text": text.map(JSONWriter.string),
        ])
    }
}
