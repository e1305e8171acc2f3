import Foundation

/// Posts captures as JSON, with the operation's id as Idempotency-Key.
///
///     {"id":"0198…","kind":"work","text":"buy milk","time":"2025-03-08T14:22:00+01:00"}
///
/// The program curl does it. Address, headers and secrets reach it through a file without a name, never through its arguments,
/// which everybody on the machine can see. Redirects are not followed, so nothing goes anywhere but to the address that is configured.
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
            name: "curl", arguments: ["-q", "-K", "/dev/fd/3"], input: Array(JSONValue.object(body).text.utf8),
            secretInput: configuration.bytes, timeLimit: timeLimit + .seconds(10)
        ).run()
        let answer = HTTPAnswer(head: finished.output)
        switch finished.end {
        case .exited(0): return answer.outcome(now: Date())
        // The answer has come and only its body broke off.
        case .exited(let code) where [18, 28, 56, 63].contains(code) && answer.status >= 200:
            return answer.outcome(now: Date())
        case .exited(let code): return Self.outcome(ofCode: code)
        case .killed(let signal): return .failed(reason: "curl was ended by signal \(signal)")
        case .stopped: return .failed(reason: "the web hook did not answer", isNetwork: true)
        case .notStarted(ENOENT): return .needsUser(reason: "curl is not installed; install it to use a web hook")
        case .notStarted(let code): return .failed(reason: "curl can't be started: \(String(cString: strerror(code)))")
        }
    }

    private func configuration(id: String) throws(OutboxError) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.set("url", address)
        configuration.set("silent")
        configuration.set("globoff")
        configuration.set("proto", "=http,https")
        configuration.set("max-redirs", "0")
        configuration.set("data-binary", "@-")
        configuration.set("dump-header", "-")
        configuration.set("output", "/dev/null")
        configuration.set("connect-timeout", "20")
        configuration.set("max-time", String(timeLimit.components.seconds))
        configuration.set("max-filesize", "1000000")
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
            value = FileManager.default.contents(atPath: path).flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard let value = value?.trimmingCharacters(in: .whitespacesAndNewlines), !value.isEmpty,
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw OutboxError(.invalid, path: "", "the web hook's secret is missing: \(place) holds no line of text") }
        return value
    }

    /// curl's own exit codes. What it says on stderr may name the address, in which a secret may stand.
    private static func outcome(ofCode code: Int32) -> DeliveryOutcome {
        switch code {
        case 1, 3: .needsUser(reason: "curl does not understand the web hook's address")
        case 5, 6: .failed(reason: "the web hook's host is not found", isNetwork: true)
        case 7: .failed(reason: "the web hook can't be reached", isNetwork: true)
        case 28: .failed(reason: "the web hook did not answer in time", isNetwork: true)
        case 35: .failed(reason: "no secure connection to the web hook comes about", isNetwork: true)
        case 51, 58, 59, 60, 77, 83, 90, 91: .failed(reason: "the web hook's certificate can't be trusted")
        case 52: .failed(reason: "the web hook gave no answer", isNetwork: true)
        case 18, 55, 56: .failed(reason: "the web hook broke off", isNetwork: true)
        default: .failed(reason: "curl ended with exit status \(code)")
        }
    }
}
