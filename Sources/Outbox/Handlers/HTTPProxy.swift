import Foundation

/// The proxy that curl takes from the environment. Pure.
struct HTTPProxy: Hashable {
    /// Without the user and the password that may stand before it.
    let host: String
    let port: Int
    /// The variable that names it.
    let variable: String

    /// For sentences.
    var phrase: String { "the proxy \(host):\(port)" }

    /// Which of the variables counts, curl(1) says. What `no_proxy` excludes only curl knows.
    ///
    /// - Parameter scheme: of the address that is asked for, in lower case.
    init?(forScheme scheme: String, in environment: [String: String]) {
        // In capitals it could be a header that a client sends to a web server that runs us.
        let own = scheme == "http" ? ["http_proxy"] : ["\(scheme)_proxy", "\(scheme.uppercased())_PROXY"]
        guard let variable = (own + ["all_proxy", "ALL_PROXY"]).first(where: { environment[$0] != nil }),
            let value = environment[variable], !value.isEmpty
        else { return nil }
        let hasScheme = value.contains("://")
        guard let parts = URLComponents(string: hasScheme ? value : "http://" + value), let host = parts.host, !host.isEmpty else {
            return nil
        }
        self.variable = variable
        self.host = host
        port = parts.port ?? (parts.scheme?.lowercased() == "https" ? 443 : 1080)
    }
}

extension DeliveryOutcome {
    /// - Parameter proxy: nil when it is not known which.
    static func proxyWantsPassword(_ proxy: HTTPProxy?) -> DeliveryOutcome {
        .needsUser(
            reason: "\(proxy?.phrase ?? "the proxy") wants a user name and a password (407); they belong into "
                + "\(proxy?.variable ?? "https_proxy")")
    }
}
