import Foundation
import TestSupport
import Testing

@testable import Outbox

/// Real servers on loopback, the real curl, a queue on the disk for each cell: what becomes of a text, whatever lies before the web
/// hook, wherever the connection ends or hangs, and whatever the web hook answers. `UTTER_TABLE` prints it.
@Suite("A web hook, directly or through a proxy")
struct WebHookMatrixTests {
    enum Route: String, CaseIterable {
        case http
        case httpProxy = "http-proxy"
        case httpPassword = "http-proxy-password"
        case httpNoPassword = "http-proxy-no-password"
        case httpRefused = "http-proxy-403"
        case httpFailed = "http-proxy-502"
        case https
        case httpsProxy = "https-proxy"
        case httpsPassword = "https-proxy-password"
        case httpsNoPassword = "https-proxy-no-password"
        case httpsRefused = "https-proxy-403"
        case httpsFailed = "https-proxy-502"

        var isSecure: Bool { rawValue.hasPrefix("https") }
        var hasProxy: Bool { rawValue.contains("proxy") }
        /// With what the proxy refuses.
        var refusal: Int {
            if rawValue.contains("password") { return 407 }
            return rawValue.hasSuffix("403") ? 403 : rawValue.hasSuffix("502") ? 502 : 0
        }
        var givesPassword: Bool { self == .httpPassword || self == .httpsPassword }
        var leadsToHook: Bool { refusal == 0 || givesPassword }
    }

    enum Moment: String, CaseIterable {
        case connected
        case tunnelRequest = "tunnel-request"
        case tunnelAnswer = "tunnel-answer"
        case handshake
        case request
        case answerHead = "answer-head"
        case answerBody = "answer-body"

        func exists(on route: Route) -> Bool {
            switch self {
            case .connected: true
            case .tunnelRequest: route.isSecure && route.hasProxy
            case .tunnelAnswer: route.isSecure && route.hasProxy && route.leadsToHook
            case .handshake: route.isSecure && route.leadsToHook
            case .request, .answerHead, .answerBody: route.leadsToHook
            }
        }

        /// Whether the web hook's own answer has begun.
        var isInAnswer: Bool { self == .answerHead || self == .answerBody }
    }

    enum Harm: String, CaseIterable { case reset, hang }

    struct Cell {
        var route: Route
        var moment: Moment?
        var harm: Harm?
        /// The status with which the web hook answers; 0 for none.
        var answer: Int

        /// How long an attempt may take. On a busy machine it may take longer than the first of them to come to the moment at which it
        /// hangs; then it begins anew, with a server that knows nothing yet.
        var limits: [Duration] { harm == .hang ? [.milliseconds(400), .seconds(3), .seconds(30)] : [.seconds(30)] }

        func name(_ number: Int) -> String { "\(name) \(number)" }

        var name: String {
            [route.rawValue, moment?.rawValue ?? "whole", harm?.rawValue ?? "", String(answer)].joined(separator: " ")
        }
    }

    private static let answers = [200, 204, 301, 400, 409, 429, 500, 0]

    /// Every one that makes sense: before the web hook has got the request, its answer makes no difference.
    static let cells: [Cell] = Tier.every(3, of: allCells)

    private static let allCells: [Cell] = Route.allCases.flatMap { route in
        var cells = (route.leadsToHook ? answers : [0]).map { Cell(route: route, answer: $0) }
        for moment in Moment.allCases where moment.exists(on: route) {
            for harm in Harm.allCases {
                let answers =
                    moment.isInAnswer ? answers.filter { $0 != 0 && (moment != .answerBody || $0 != 204) } : [0]
                cells += answers.map { Cell(route: route, moment: moment, harm: harm, answer: $0) }
            }
        }
        return cells
    }

    /// What has become of a text.
    enum Fate: String {
        case arrived, comesAgain, waitsForUser
    }
}

/// The rule.
extension WebHookMatrixTests.Cell {
    typealias Fate = WebHookMatrixTests.Fate

    /// A text is only let go of when the web hook itself has answered, and whole, that it has it.
    var fate: Fate {
        if moment != nil { return .comesAgain }
        // A proxy that is asked for a page answers in the web hook's place.
        switch route.leadsToHook ? answer : route.refusal {
        case 200..<300: return .arrived
        case 407: return .waitsForUser
        case 403 where route.isSecure: return .comesAgain
        case 300..<429: return .waitsForUser
        default: return .comesAgain
        }
    }

    /// Whether an answer 409 to the next attempt means that the web hook has it: the request was on its way, and no whole answer came
    /// back. Nil where nobody can tell whether anything was on its way yet.
    var mayHaveArrived: Bool? {
        switch moment {
        case nil: route.leadsToHook && answer == 0
        case .connected: route.isSecure ? false : nil
        case .tunnelRequest, .tunnelAnswer, .handshake: false
        case .request, .answerHead, .answerBody: true
        }
    }

    var fateOfNext: Fate? {
        if !route.leadsToHook { return WebHookMatrixTests.Cell(route: route, answer: 0).fate }
        return mayHaveArrived.map { $0 ? .arrived : .waitsForUser }
    }
}

extension WebHookMatrixTests {
    @Test(
        "keeps the text until the web hook itself has answered completely; a 409 counts only if an earlier attempt may have arrived",
        .long)
    func matrix() async throws {
        let servers = try await HookServer(
            Self.cells.flatMap { cell in
                cell.limits.indices.map { number in
                    HookServer.Cell(
                        name: cell.name(number),
                        route: (cell.route.isSecure ? "https" : "http") + (cell.route.hasProxy ? "-proxy" : ""),
                        moment: cell.moment?.rawValue, harm: cell.harm?.rawValue, refusal: cell.route.refusal,
                        answer: .status(cell.answer), then: .status(409))
                }
            })
        let folder = TemporaryFolder(in: "/dev/shm")
        var fates: [String: [Fate]] = [:]
        var cells = Self.cells[...]
        try await withThrowingTaskGroup(of: (String, [Fate]).self) { group in
            func start() {
                guard let cell = cells.popFirst() else { return }
                group.addTask { (cell.name, try await Self.live(cell, servers, in: folder)) }
            }
            for _ in 0..<40 { start() }
            for try await (name, fate) in group {
                fates[name] = fate
                start()
            }
        }
        for cell in Self.cells {
            let fates = fates[cell.name] ?? []
            #expect(fates.first == cell.fate, "\(cell.name)")
            if fates.first == .arrived { continue }
            if let next = cell.fateOfNext { #expect(fates.last == next, "\(cell.name), then 409") }
        }
        #expect(Self.allCells.count > 250)
        if ProcessInfo.processInfo.environment["UTTER_TABLE"] != nil {
            print("route moment harm answer: what becomes of the text, and what after a 409 to the next attempt")
            for cell in Self.cells {
                print(cell.name + ": " + (fates[cell.name] ?? []).map(\.rawValue).joined(separator: ", "))
            }
        }
        print("\(Self.cells.count) cells")
    }

    private static func live(_ cell: Cell, _ servers: HookServer, in folder: TemporaryFolder) async throws -> [Fate] {
        for (number, limit) in cell.limits.enumerated() {
            if let fates = try await live(cell, cell.name(number), limit, servers, in: folder) { return fates }
        }
        return []
    }

    /// An attempt, and then one that the web hook answers with 409.
    ///
    /// - Returns: nil when the first was over before it came to its moment.
    private static func live(
        _ cell: Cell, _ name: String, _ limit: Duration, _ servers: HookServer, in folder: TemporaryFolder
    ) async throws -> [Fate]? {
        let store = OutboxStore(folder: folder.path + "/" + name)
        let operation = OutboxOperation(CapturedText(text: "buy milk"), id: .timeOrdered(), to: "hook")
        try store.enqueue(operation)
        let port = servers.port(name)
        let address = cell.route.hasProxy ? "hook.test" : "127.0.0.1:\(port)"
        let password = cell.route.givesPassword ? "me:s3cret@" : ""

        func attempt(_ limit: Duration) async throws -> Fate {
            var handler = try WebHookHandler(
                (cell.route.isSecure ? "https://" : "http://") + address + "/in", timeLimit: limit)
            handler.environment = [
                "CURL_CA_BUNDLE": servers.certificate, "no_proxy": cell.route.hasProxy ? "" : "127.0.0.1",
            ]
            if cell.route.hasProxy {
                handler.environment[cell.route.isSecure ? "https_proxy" : "http_proxy"] =
                    "http://\(password)127.0.0.1:\(port)"
            }
            try await OutboxDrainer(store: store, handlers: ["hook": handler]).run(.once)
            guard let left = try store.operation(operation.id) else { return .arrived }
            let reason = left.lastError ?? ""
            #expect(!reason.contains("s3cret") && !reason.contains("milk") && !reason.contains("/in"), "\(cell.name)")
            if !cell.route.leadsToHook, cell.moment == nil {
                #expect(
                    reason.contains("the proxy 127.0.0.1:\(port)") && reason.contains(String(cell.route.refusal)),
                    "\(reason)")
            }
            try store.change(operation.id) { $0.retry() }
            return left.waitsForUser ? .waitsForUser : .comesAgain
        }

        let fate = try await attempt(limit)
        if cell.moment != nil, !servers.isHarmed(name) { return nil }
        return fate == .arrived ? [fate] : [fate, try await attempt(.seconds(30))]
    }
}
