import Foundation
import Glibc
import Outbox
import Synchronization

/// A process for the tests to kill. It enqueues, drains, retries and clears with real destinations, and writes each step to stdout
/// as soon as it is reported done.
///
///     OutboxRig session FOLDER N  everything, with N operations for each destination
///     OutboxRig recover FOLDER    what the next start does
///     OutboxRig enqueue FOLDER N  enqueues N operations at full speed for each line on stdin, then writes how many seconds it took
///     OutboxRig drain FOLDER N    delivers N operations to nobody; after the first and the last it writes the seconds that have
///                                 passed and the peak of the memory, in KiB
///     OutboxRig network           writes "ready", and "back" when the network comes back
///
/// With a port in `UTTER_HOOK`, one destination is a web hook that is reached through the proxy at that port. The proxy drops some
/// connections of a session, and none of a recovery.
@main
enum OutboxRig {
    static func main() async {
        let arguments = CommandLine.arguments
        let folder = arguments.count > 2 ? arguments[2] : ""
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
        do {
            // The tests recognize processes that outlive this one by their working folder.
            if !folder.isEmpty, chdir(folder) != 0, errno != ENOENT { fatalError("\(folder) can't be entered") }
            switch arguments.count > 1 ? arguments[1] : "" {
            case "session": try await session(folder, count)
            case "recover": try await recover(folder)
            case "enqueue": try enqueue(folder, count)
            case "drain": try await drain(folder, count)
            case "network": await network()
            default: fatalError("session, recover, enqueue, drain or network")
            }
        } catch {
            say("failed: \(error)")
            exit(1)
        }
    }

    fileprivate static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // A step that could not be reported must not be followed by another.
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(2) }
    }

    private static func handlers(_ folder: String, proxyUser: String) throws -> [String: any OutboxHandler] {
        // The command ignores an id that it has received before. `later` does the same, but fails until it is ready.
        let note =
            "read -r text; grep -qs $UTTER_ID '\(folder)/effects' || echo \"$UTTER_ID $text\" >> '\(folder)/effects'"
        var handlers: [String: any OutboxHandler] = [
            "vault": VaultHandler(MarkdownVault(.own(folder + "/notes"))), "command": CommandHandler(note),
            "later": CommandHandler("test -e '\(folder)/ready' && { \(note); }"),
        ]
        if let port = ProcessInfo.processInfo.environment["UTTER_HOOK"] {
            // setenv(3) is safe here, since there is only one thread yet.
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
            for destination in handlers.keys.sorted() + ["unwanted"] {
                let operation = OutboxOperation(CapturedText(text: "buy milk"), id: .timeOrdered(), to: destination)
                try store.enqueue(operation)
                ids[destination, default: []].append(operation.id)
                say("accepted \(destination) \(operation.id.uuidString.lowercased())")
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
                    try store.enqueue(
                        OutboxOperation(CapturedText(text: "buy milk \(number)"), id: .timeOrdered(), to: "vault"))
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

/// A destination that accepts everything, and ends the process after `count` operations.
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

    /// The peak of this program's memory, in KiB. getrusage(2) would include that of the process from which it was forked.
    private var memory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return String(line.filter(\.isNumber))
    }
}
