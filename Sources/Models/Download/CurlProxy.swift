import Foundation

/// The proxy that curl takes from the environment, and its refusals.
struct CurlProxy: Hashable {
    /// The address of the proxy, such as `proxy.example:3128`, without a user name and password.
    let name: String
    /// The variable that names the proxy.
    let variable: String

    /// Creates the proxy for an address, by curl's order of the variables; nil if there is none. Ignores `no_proxy`.
    init?(for address: HTTPAddress, in environment: [String: String] = ProcessInfo.processInfo.environment) {
        // curl ignores HTTP_PROXY: a web server that runs this program would set it from a client's header.
        let own = address.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let variable = (own + ["all_proxy", "ALL_PROXY"]).first(where: { environment[$0] != nil }),
            let value = environment[variable],
            let parts = URLComponents(string: value.contains("://") ? value : "http://" + value), let host = parts.host, !host.isEmpty
        else { return nil }
        self.variable = variable
        name = host + (parts.port.map { ":\($0)" } ?? "")
    }

    /// The value of the option `write-out`: the proxy's answer to CONNECT, on a line after curl's messages.
    static let format = "%{stderr}\(linePrefix)%{http_connect}\\n"
    static let linePrefix = "tunnel "

    /// Returns the status in the line that curl wrote by `format`; nil if the proxy did not refuse.
    static func refusal(inTalk talk: String) -> Int? {
        let line = talk.split(separator: "\n").last { $0.hasPrefix(linePrefix) }
        return line.flatMap { Int($0.dropFirst(linePrefix.count)) }.flatMap { $0 >= 300 ? $0 : nil }
    }

    /// The error for a proxy's refusal.
    ///
    /// - Parameter proxy: the proxy; nil if it is not known.
    static func error(_ proxy: CurlProxy?, refusing status: Int, _ address: HTTPAddress) -> SpeechError {
        let phrase = proxy.map { "the proxy \($0.name)" } ?? "the proxy"
        if status == 407 {
            return SpeechError(.downloadRefused, "\(phrase) requires a password (407); put it into \(proxy?.variable ?? "https_proxy")")
        }
        return SpeechError(.networkUnavailable, "\(phrase) answered \(status) and does not lead to \(address.host)")
    }
}
