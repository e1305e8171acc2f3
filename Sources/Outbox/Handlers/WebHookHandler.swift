import Foundation

/// Posts captures as JSON, with the operation's id as Idempotency-Key.
///
///     {"id":"0198…","kind":"work","text":"buy milk","time":"2025-03-08T14:22:00+01:00"}
///
/// The program curl does it. Address, headers and secrets reach it through a file without a name, never through its arguments,
/// which everybody on the machine can see. Redirects are not followed, so nothing goes anywhere but to the address that is configured,
/// through the proxy of the environment where there is one.
///
/// Only a whole answer of the web hook itself is an answer: the end of its head must have come, and the end of its body unless that is
/// larger than anybody reads. Everything else comes again.
public struct WebHookHandler: OutboxHandler {
    /// Where a secret is; it is read for each attempt, so that it may change.
    public enum Secret: Hashable, Sendable {
        case environment(String)
        case file(String)
    }

    private let address: String
    private let headers: [(name: String, value: Secret)]
    private let bearer: Secret?
    private let timeLimit: Duration
    /// Beside, or instead of, what is in our own environment.
    var environment: [String: String] = [:]

    /// Whether there is more of an answer's body says nothing about the answer.
    private static let bodyLimit = 1 << 20

    /// - Parameters:
    ///   - address: `https://…`, or `http://…`.
    ///   - bearer: goes into the header Authorization.
    ///   - headers: more headers, whose values are secret.
    /// - Throws: `OutboxError` with the code `invalid` when the address or a header's name is none.
    public init(
        _ address: String, bearer: Secret? = nil, headers: [String: Secret] = [:], timeLimit: Duration = .seconds(60)
    ) throws(OutboxError) {
        let isPlain = address.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
        guard isPlain, let url = URLComponents(string: address), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else { throw OutboxError(.invalid, path: "", "the web hook's address is not one that begins with https:// or http://") }
        for name in headers.keys {
            let isToken = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            if !isToken { throw OutboxError(.invalid, path: "", "'\(name)' can't be the name of a header") }
        }
        self.address = address
        self.bearer = bearer
        self.headers = headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.timeLimit = timeLimit
    }

    /// By it alone can be told what the answer 409 means.
    public var needsEarlierAttempts: Bool { true }

    public var whatIsMissing: String? {
        if environment.isEmpty, !Program.isThere("curl") { return Self.noCurl }
        do throws(OutboxError) {
            _ = try configuration(id: "")
            return nil
        } catch {
            return error.description
        }
    }

    private static let noCurl = "curl is not installed; install it to use a web hook"

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard let capture = Capture(payload: operation.payload) else { return .notACapture }
        let id = operation.id.name
        let body = JSONObject([
            .init(key: "id", value: .string(id)), .init(key: "kind", value: .string(operation.kind)),
            .init(key: "text", value: .string(capture.text)), .init(key: "time", value: .string(capture.timestamp)),
        ])
        let configuration: CurlConfiguration
        do throws(OutboxError) { configuration = try self.configuration(id: id) } catch {
            return .needsUser(reason: error.description)
        }
        let finished = await Program(
            // First of all: no file of the user's own settings, which might follow redirects.
            name: "curl", arguments: ["-q", "-K", "/dev/fd/3"], environment: environment,
            input: Array(JSONValue.object(body).text.utf8), secretInput: configuration.bytes, outputLimit: Self.bodyLimit,
            timeLimit: timeLimit + .seconds(10)
        ).run()
        let report = CurlReport(finished.errors)
        switch finished.end {
        case .exited(0): return outcome(of: operation, report)
        // It couldn't write the body's rest, for nobody reads it.
        case .exited(23) where finished.isOutputCut: return outcome(of: operation, report)
        case .exited(let code): return outcome(ofCode: code, report)
        case .killed(let signal): return .failed(reason: "curl was ended by signal \(signal)", mayHaveArrived: report.wasSent)
        case .stopped: return .failed(reason: "the web hook did not answer", isNetwork: true, mayHaveArrived: report.wasSent)
        case .notStarted(ENOENT): return .needsUser(reason: Self.noCurl)
        case .notStarted(let code): return .failed(reason: "curl can't be started: \(String(cString: strerror(code)))")
        }
    }

    /// After an exchange that went well: but where a connection ends in the middle of a head, curl has no complaint.
    private func outcome(of operation: OutboxOperation, _ report: CurlReport) -> DeliveryOutcome {
        guard let answer = HTTPAnswer(head: report.head) else {
            return .failed(reason: "the web hook broke off", isNetwork: true, mayHaveArrived: true)
        }
        // What comes out of a tunnel is the web hook's own.
        let proxy = report.connectStatus == 0 ? proxy.flatMap { report.isAbout($0) ? $0 : nil } : nil
        return answer.outcome(now: Date(), mayHaveArrived: operation.mayHaveArrived, proxy: proxy)
    }

    private var proxy: HTTPProxy? {
        let scheme = URLComponents(string: address)?.scheme?.lowercased() ?? ""
        return HTTPProxy(forScheme: scheme, in: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    }

    private func configuration(id: String) throws(OutboxError) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.set("url", address)
        configuration.set("silent")
        configuration.set("globoff")
        configuration.set("proto", "=http,https")
        configuration.set("max-redirs", "0")
        configuration.set("data-binary", "@-")
        // Its standard output is the body's.
        configuration.set("dump-header", "/dev/fd/2")
        configuration.set("suppress-connect-headers")
        configuration.set("write-out", CurlReport.format)
        configuration.set("connect-timeout", Self.seconds(min(timeLimit, .seconds(20))))
        configuration.set("max-time", Self.seconds(timeLimit))
        configuration.set("header", "Content-Type: application/json")
        configuration.set("header", "Idempotency-Key: \(id)")
        configuration.set("header", "Expect:")
        configuration.set("user-agent", "utter")
        if let bearer { configuration.set("header", "Authorization: Bearer \(try Self.read(bearer))") }
        for (name, secret) in headers { configuration.set("header", "\(name): \(try Self.read(secret))") }
        return configuration
    }

    private static func read(_ secret: Secret) throws(OutboxError) -> String {
        let value: String?
        let place: String
        switch secret {
        case .environment(let name):
            place = "the environment variable \(name)"
            value = ProcessInfo.processInfo.environment[name]
        case .file(let path):
            place = path
            value = content(of: path)
        }
        guard let value = value?.trimmingCharacters(in: .whitespacesAndNewlines), !value.isEmpty,
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw OutboxError(.invalid, path: "", "the web hook's secret is missing: \(place) holds no line of text") }
        return value
    }

    /// What is in a secret's file; nil when that can't be read or is no file: a pipe might never give anything. open(2)
    private static func content(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (try? file.read(upToCount: 1 << 16)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// As curl reads them, in every language.
    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.components.attoseconds / 1_000_000_000_000_000
        return "\(duration.components.seconds)" + (milliseconds == 0 ? "" : "." + digits(Int(milliseconds), 3))
    }

    /// curl's own exit codes, whatever it has got of an answer. What it says itself may name the address, in which a secret may stand.
    private func outcome(ofCode code: Int32, _ report: CurlReport) -> DeliveryOutcome {
        if report.connectStatus >= 300 { return outcome(ofTunnel: report.connectStatus) }
        let proxy = proxy
        // For a sentence it is enough that the other end is where the proxy is to be.
        let used = proxy.flatMap { report.isAbout($0) ? $0 : nil }
        let connection = "connection to the web hook" + (used.map { " through \($0.phrase)" } ?? "")
        func network(_ reason: String) -> DeliveryOutcome {
            .failed(reason: reason, isNetwork: true, mayHaveArrived: report.wasSent)
        }
        switch code {
        case 1 where report.wasSent: return network("the web hook did not answer as a web server does")
        case 8: return network("the web hook did not answer as a web server does")
        case 1, 3: return .needsUser(reason: "curl does not understand the web hook's address")
        case 5: return network("\(proxy?.phrase ?? "the proxy") is not found")
        case 97: return network("\(proxy?.phrase ?? "the proxy") does not lead to the web hook")
        case 6: return network("the web hook's host is not found")
        case 7: return network("\(used?.phrase ?? "the web hook") can't be reached")
        case 28 where !report.wasSent: return network("no \(connection) came about in time")
        case 28: return network("the web hook did not answer in time")
        case 35: return network("no secure \(connection) comes about")
        case 51, 58, 59, 60, 77, 83, 90, 91: return .failed(reason: "the web hook's certificate can't be trusted")
        case 52 where report.wasSent: return network("the web hook gave no answer")
        case 18, 52, 55, 56, 92: return network(report.wasSent ? "the web hook broke off" : "the \(connection) broke off")
        default: return .failed(reason: "curl ended with exit status \(code)", mayHaveArrived: report.wasSent)
        }
    }

    /// It belongs to the network that the machine is in, and another network may have none, or another. But a wrong password, given
    /// again and again, locks its user out.
    private func outcome(ofTunnel status: Int) -> DeliveryOutcome {
        if status == 407 { return .proxyWantsPassword(proxy) }
        return .failed(
            reason: "\(proxy?.phrase ?? "the proxy") answered \(status) and leads to no web hook", isNetwork: true)
    }
}
