import Foundation

/// The proxy that curl takes from the environment, and what it answers when it is to lead to a server.
struct CurlProxy: Hashable {
    /// `proxy.example:3128`, without the user and the password that may stand before it.
    let name: String
    /// The variable that names it.
    let variable: String

    /// Which of the variables counts, curl(1) says. What `no_proxy` excludes only curl knows.
    init?(for address: HTTPAddress, in environment: [String: String] = ProcessInfo.processInfo.environment) {
        // In capitals it could be a header that a client sends to a web server that runs us.
        let own = address.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let variable = (own + ["all_proxy", "ALL_PROXY"]).first(where: { environment[$0] != nil }),
            let value = environment[variable],
            let parts = URLComponents(string: value.contains("://") ? value : "http://" + value), let host = parts.host, !host.isEmpty
        else { return nil }
        self.variable = variable
        name = host + (parts.port.map { ":\($0)" } ?? "")
    }

    /// The option `write-out`: the proxy's answer to CONNECT, in a line of its own after whatever curl complains about.
    static let format = "%{stderr}\(linePrefix)%{http_connect}\\n"
    static let linePrefix = "tunnel "

    /// What curl wrote by `format`; nil when the proxy did not refuse.
    static func refusal(inTalk talk: String) -> Int? {
        let line = talk.split(separator: "\n").last { $0.hasPrefix(linePrefix) }
        return line.flatMap { Int($0.dropFirst(linePrefix.count)) }.flatMap { $0 >= 300 ? $0 : nil }
    }

    /// - Parameter proxy: nil when it is not known which.
    static func error(_ proxy: CurlProxy?, refusing status: Int, _ address: HTTPAddress) -> SpeechError {
        let phrase = proxy.map { "the proxy \($0.name)" } ?? "the proxy"
        if status == 407 {
            return SpeechError(.downloadRefused, "\(phrase) wants a password (407); it belongs into \(proxy?.variable ?? "https_proxy")")
        }
        return SpeechError(.networkUnavailable, "\(phrase) answered \(status) and does not lead to \(address.host)")
    }
}
