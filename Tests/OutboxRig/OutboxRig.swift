import Foundation
import Glibc
import Outbox
import Synchronization

/// A process for the tests to kill: it enqueues, drains, retries and clears with real destinations, and says on stdout what it
/// was told was done, when it was.
///
///     OutboxRig session FOLDER N  everything, with N operations for each destination
///     OutboxRig recover FOLDER    what the next start does
///     OutboxRig enqueue FOLDER N  N operations, as fast as they go, for each line on stdin; then says how many seconds it took
///     OutboxRig drain FOLDER N    delivers N to nobody; says after the first and after the last how long that took, in seconds,
///                                 and how much memory at most, in KiB
///     OutboxRig once FOLDER       says "tried" for each operation that may be tried now, and delivers it to nobody
///     OutboxRig idle FOLDER       the same, until nothing is left
///     OutboxRig network           says "ready", and "back" when the network comes back
///
/// With a port in `UTTER_HOOK` one destination is a web hook behind the proxy there; it gives up some of a session's connections, and
/// none of a recovery's.
@main
enum OutboxRig {
    static func main() async {
        let arguments = CommandLine.arguments
        let folder = arguments.count > 2 ? arguments[2] : ""
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
        do {
            // By it those that outlive us are known.
            if !folder.isEmpty, chdir(folder) != 0, errno != ENOENT { fatalError("\(folder) can't be entered") }
            switch arguments.count > 1 ? arguments[1] : "" {
            case "session": try await session(folder, count)
            case "recover": try await recover(folder)
            case "enqueue": try enqueue(folder, count)
            case "drain": try await drain(folder, count)
            case "once": try await OutboxDrainer(store: OutboxStore(folder: folder), handlers: ["k": Teller()]).run(.once)
            case "idle": try await OutboxDrainer(store: OutboxStore(folder: folder), handlers: ["k": Teller()]).run(.untilIdle)
            case "network": await network()
            default: fatalError("session, recover, enqueue, drain, once, idle or network")
            }
        } catch {
            say("failed: \(error)")
            exit(1)
        }
    }

    fileprivate static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // What is not said must not be done.
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(2) }
    }

    private static func handlers(_ folder: String, proxyUser: String) throws -> [String: any OutboxHandler] {
        // A receiver that honours the key, and one that does so once it is ready. What it takes first is what counts.
        let note = "read -r text; grep -qs $UTTER_ID '\(folder)/effects' || echo \"$UTTER_ID $text\" >> '\(folder)/effects'"
        var handlers: [String: any OutboxHandler] = [
            "vault": VaultHandler(MarkdownVault(.own(folder + "/notes"))), "command": CommandHandler(note),
            "later": CommandHandler("test -e '\(folder)/ready' && { \(note); }"),
        ]
        if let port = ProcessInfo.processInfo.environment["UTTER_HOOK"] {
            // The one thread that is here yet may do that.
            setenv("https_proxy", "http://\(proxyUser):x@127.0.0.1:\(port)", 1)
            handlers["hook"] = try WebHookHandler("https://hook.test\(folder)")
        }
        return handlers
    }

    private static func session(_ folder: String, _ count: Int) async throws {
        let store = OutboxStore(folder: folder + "/outbox")
        let handlers = try handlers(folder, proxyUser: "flaky")
        var ids: [String: [UUID]] = [:]
        for _ in 0..<count {
            for kind in handlers.keys.sorted() + ["unwanted"] {
                let operation = OutboxOperation(Capture(text: "buy milk"), id: .timeOrdered(), to: kind)
                try store.enqueue(operation)
                ids[kind, default: []].append(operation.id)
                say("accepted \(kind) \(operation.id.uuidString.lowercased())")
            }
        }
        try await OutboxDrainer(store: store, handlers: handlers).run(.once)
        for id in ids["unwanted"] ?? [] {
            say("clearing \(id.uuidString.lowercased())")
            try store.remove(id)
            say("cleared \(id.uuidString.lowercased())")
        }
        _ = FileManager.default.createFile(atPath: folder + "/ready", contents: nil)
        for id in ids["later"] ?? [] { try store.change(id) { $0.retry() } }
        try await OutboxDrainer(store: store, handlers: handlers).run(.once)
        say("done")
    }

    private static func recover(_ folder: String) async throws {
        let store = OutboxStore(folder: folder + "/outbox")
        let handlers = try handlers(folder, proxyUser: "steady")
        _ = FileManager.default.createFile(atPath: folder + "/ready", contents: nil)
        for id in try store.index().ids { try store.change(id) { $0.retry() } }
        try await OutboxDrainer(store: store, handlers: handlers).run(.once)
        for id in try store.index().ids { say("left \(id.uuidString.lowercased())") }
        say("aside \(try store.index().aside.count)")
    }

    private static func enqueue(_ folder: String, _ count: Int) throws {
        let store = OutboxStore(folder: folder)
        let clock = ContinuousClock()
        while readLine() != nil {
            let duration = try clock.measure {
                for number in 0..<count {
                    try store.enqueue(OutboxOperation(Capture(text: "buy milk \(number)"), id: .timeOrdered(), to: "vault"))
                }
            }
            say("\(duration / .seconds(1))")
        }
    }

    private static func drain(_ folder: String, _ count: Int) async throws {
        let nobody = Nobody(start: ContinuousClock.now, count: count)
        try await OutboxDrainer(store: OutboxStore(folder: folder), handlers: ["vault": nobody]).run(.once)
    }

    private static func network() async {
        let (events, tell) = AsyncStream.makeStream(of: Void.self)
        let watch = NetworkWatch { tell.yield() }
        say(watch == nil ? "none" : "ready")
        for await _ in events { break }
        withExtendedLifetime(watch) { say("back") }
    }
}

/// Takes everything, and says so.
private struct Teller: OutboxHandler {
    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        OutboxRig.say("tried")
        return .delivered
    }
}

/// Takes everything, and ends the process when it has taken enough.
private final class Nobody: OutboxHandler {
    private let start: ContinuousClock.Instant
    private let count: Int
    private let taken = Atomic(0)

    init(start: ContinuousClock.Instant, count: Int) {
        self.start = start
        self.count = count
    }

    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        let number = taken.add(1, ordering: .relaxed).newValue
        if number == 1 || number == count { OutboxRig.say("\((ContinuousClock.now - start) / .seconds(1)) \(memory)") }
        if number == count { exit(0) }
        return .delivered
    }

    /// Of this program, not of the one that it was forked from, as getrusage(2) has it.
    private var memory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return String(line.filter(\.isNumber))
    }
}
