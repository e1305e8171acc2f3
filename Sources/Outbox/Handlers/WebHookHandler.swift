import Foundation
import System

/// Posts each capture as JSON to a web hook, with the operation's id as Idempotency-Key.
///
///     {"id":"0198…","kind":"work","text":"buy milk","time":"2025-03-08T14:22:00+01:00"}
///
/// The handler runs curl. Address, headers and secrets reach it through a file without a name, never as arguments, which every
/// user of the machine can see. Redirects are not followed, so a capture goes only to the configured address, through the proxy
/// that the environment names.
///
/// Only a complete answer of the web hook counts: its whole head, and its whole body unless that is larger than 1 MiB.
/// Otherwise the capture is sent again.
public struct WebHookHandler: OutboxHandler {
    /// Where a secret is found. It is read for each attempt, so that it may change.
    public enum Secret: Hashable, Sendable {
        /// The name of an environment variable.
        case environment(String)
        /// The path of a file.
        case file(String)
    }

    private let address: String
    private let headers: [(name: String, value: Secret)]
    private let bearer: Secret?
    private let timeLimit: Duration
    /// Variables that are added to this process's environment for curl, or replace some of them.
    var environment: [String: String] = [:]

    /// The most bytes that are read of an answer's body, whose content does not matter.
    private static let bodyLimit = 1 << 20

    /// Creates a handler that posts to an address.
    ///
    /// - Parameters:
    ///   - address: the web hook's address, which begins with `https://` or `http://`.
    ///   - bearer: the bearer token for the header Authorization.
    ///   - headers: the values of further headers by their names.
    ///   - timeLimit: how long an exchange may take.
    /// - Throws: `OutboxError` with the code `invalid` when the address or the name of a header is not valid.
    public init(
        _ address: String, bearer: Secret? = nil, headers: [String: Secret] = [:], timeLimit: Duration = .seconds(60)
    ) throws(OutboxError) {
        let isPlain = address.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
        guard isPlain, let url = URLComponents(string: address), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else {
            throw OutboxError(
                .invalid, path: "", "the web hook's address is not one that begins with https:// or http://")
        }
        for name in headers.keys {
            let isToken = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            if !isToken { throw OutboxError(.invalid, path: "", "'\(name)' can't be the name of a header") }
        }
        self.address = address
        self.bearer = bearer
        self.headers = headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.timeLimit = timeLimit
    }

    /// True, because the answer 409 means success only if an earlier attempt may have arrived.
    public var needsEarlierAttempts: Bool { true }

    public var whatIsMissing: String? {
        if environment.isEmpty, !BoundedProgram.isThere("curl") { return Self.noCurl }
        do throws(OutboxError) {
            _ = try configuration(id: "")
            return nil
        } catch {
            return error.description
        }
    }

    private static let noCurl = "curl is not installed; install it to use a web hook"

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard let capture = CapturedText(payload: operation.payload) else { return .notACapture }
        let id = operation.id.name
        let body: JSONObject = [
            "id": id, "kind": operation.destination, "text": capture.text, "time": capture.timestamp,
        ]
        let configuration: [UInt8]
        do throws(OutboxError) { configuration = try self.configuration(id: id) } catch {
            return .needsUser(reason: error.description)
        }
        let finished = await BoundedProgram(
            // First of all: no file of the user's own settings, which might follow redirects.
            "curl", ["-q", "-K", "/dev/fd/3"], environment: environment,
            input: Array(JSONValue.object(body).text.utf8), secretInput: configuration,
            outputLimit: Self.bodyLimit,
            timeLimit: timeLimit + .seconds(10)
        ).run()
        let report = CurlReport(finished.errors)
        switch finished.end {
        case .exited(0): return outcome(of: operation, report)
        // It couldn't write the body's rest, for nobody reads it.
        case .exited(let code) where CurlExit(status: code) == .outputClosed && finished.isOutputClosed:
            return outcome(of: operation, report)
        case .exited(let code): return outcome(ofCode: code, report)
        case .killed(let signal):
            return .failed(reason: "curl was ended by signal \(signal)", mayHaveArrived: report.wasSent)
        case .stopped:
            return .failed(reason: "the web hook did not answer", isNetwork: true, mayHaveArrived: report.wasSent)
        case .notStarted(ENOENT): return .needsUser(reason: Self.noCurl)
        case .notStarted(let code): return .failed(reason: "curl can't be started: \(String(cString: strerror(code)))")
        }
    }

    /// The outcome of an exchange that curl reports as successful, which it does even if the connection ended in the middle of
    /// the head.
    private func outcome(of operation: OutboxOperation, _ report: CurlReport) -> DeliveryOutcome {
        guard let answer = HTTPHead(ofAnswerIn: report.head) else {
            return .failed(reason: "the web hook broke off", isNetwork: true, mayHaveArrived: true)
        }
        // After CONNECT, the answer is the web hook's own.
        let proxy = report.connectStatus == 0 ? proxy.flatMap { report.isAbout($0) ? $0 : nil } : nil
        return answer.outcome(now: Date(), mayHaveArrived: operation.mayHaveArrived, proxy: proxy)
    }

    private var proxy: HTTPProxy? {
        let scheme = URLComponents(string: address)?.scheme?.lowercased() ?? ""
        return HTTPProxy(forScheme: scheme, in: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    }

    /// The configuration file for curl.
    private func configuration(id: String) throws(OutboxError) -> [UInt8] {
        var lines = ["silent", "globoff", "suppress-connect-headers"]
        // Without control characters, which none of these values has, curl's quotes are those of JSON.
        func set(_ option: String, _ value: String) { lines.append("\(option) = \(JSONValue.string(value).text)") }
        set("url", address)
        set("proto", "=http,https")
        set("max-redirs", "0")
        set("data-binary", "@-")
        // The head goes to the standard error, for the body goes to the standard output.
        set("dump-header", "/dev/fd/2")
        set("write-out", CurlReport.format)
        set("connect-timeout", Self.seconds(min(timeLimit, .seconds(20))))
        set("max-time", Self.seconds(timeLimit))
        set("header", "Content-Type: application/json")
        set("header", "Idempotency-Key: \(id)")
        set("header", "Expect:")
        set("user-agent", "utter")
        if let bearer { set("header", "Authorization: Bearer \(try Self.read(bearer))") }
        for (name, secret) in headers { set("header", "\(name): \(try Self.read(secret))") }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
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
            value = SmallFile.content(of: path, limit: 1 << 16).flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard let value = value?.trimmingCharacters(in: .whitespacesAndNewlines), !value.isEmpty,
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw OutboxError(.invalid, path: "", "the web hook's secret is missing: \(place) holds no line of text")
        }
        return value
    }

    /// A duration in seconds as curl reads it, independent of the locale.
    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.components.attoseconds / 1_000_000_000_000_000
        return "\(duration.components.seconds)" + (milliseconds == 0 ? "" : "." + digits(Int(milliseconds), 3))
    }

    /// The outcome for an exit code of curl. curl's message is left out: it may hold the address, which may hold a secret.
    private func outcome(ofCode code: Int32, _ report: CurlReport) -> DeliveryOutcome {
        if report.connectStatus >= 300 { return outcome(ofTunnel: report.connectStatus) }
        let proxy = proxy
        // Only for the sentence: whether curl connected to the proxy's port.
        let used = proxy.flatMap { report.isAbout($0) ? $0 : nil }
        let connection = "connection to the web hook" + (used.map { " through \($0.phrase)" } ?? "")
        func network(_ reason: String) -> DeliveryOutcome {
            .failed(reason: reason, isNetwork: true, mayHaveArrived: report.wasSent)
        }
        switch CurlExit(status: code) {
        case .unsupportedProtocol where report.wasSent:
            return network("the web hook did not answer as a web server does")
        case .notHTTP: return network("the web hook did not answer as a web server does")
        case .unsupportedProtocol, .malformedAddress:
            return .needsUser(reason: "curl does not understand the web hook's address")
        case .proxyNotFound: return network("\(proxy?.phrase ?? "the proxy") is not found")
        case .proxyRefused: return network("\(proxy?.phrase ?? "the proxy") does not lead to the web hook")
        case .hostNotFound: return network("the web hook's host is not found")
        case .hostUnreachable: return network("\(used?.phrase ?? "the web hook") can't be reached")
        case .timeout where !report.wasSent: return network("no \(connection) came about in time")
        case .timeout: return network("the web hook did not answer in time")
        case .noSecureConnection: return network("no secure \(connection) comes about")
        case .untrustedCertificate, .unusableOwnCertificate:
            return .failed(reason: "the web hook's certificate can't be trusted")
        case .emptyAnswer where report.wasSent: return network("the web hook gave no answer")
        case .brokenOff, .emptyAnswer:
            return network(report.wasSent ? "the web hook broke off" : "the \(connection) broke off")
        default: return .failed(reason: "curl ended with exit status \(code)", mayHaveArrived: report.wasSent)
        }
    }

    /// The outcome when the proxy refuses a tunnel. It is tried again, for in another network there may be another proxy or none;
    /// but not with a wrong password, which may lock the user's account.
    private func outcome(ofTunnel status: Int) -> DeliveryOutcome {
        if status == 407 { return .proxyWantsPassword(proxy) }
        return .failed(
            reason: "\(proxy?.phrase ?? "the proxy") answered \(status) and leads to no web hook", isNetwork: true)
    }
}
