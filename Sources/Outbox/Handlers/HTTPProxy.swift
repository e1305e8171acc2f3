import Foundation

/// The proxy that curl takes from the environment. Pure.
struct HTTPProxy: Hashable {
    /// The proxy's host, without the user and the password that the variable may hold.
    let host: String
    let port: Int
    /// The name of the environment variable that holds the proxy.
    let variable: String

    /// The proxy as a part of a sentence: "the proxy example.org:3128".
    var phrase: String { "the proxy \(host):\(port)" }

    /// Finds the proxy in the variables that curl(1) names. It does not read `no_proxy`, which is left to curl.
    ///
    /// - Parameters:
    ///   - scheme: the scheme of the address that is requested, in lower case.
    ///   - environment: the environment of curl.
    /// - Returns: nil when there is no proxy.
    init?(forScheme scheme: String, in environment: [String: String]) {
        // Not HTTP_PROXY: a web server that runs this program sets it from the header Proxy of a request.
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
    /// The outcome when a proxy asks for a password.
    ///
    /// - Parameter proxy: the proxy; nil when it is not known.
    static func proxyWantsPassword(_ proxy: HTTPProxy?) -> DeliveryOutcome {
        .needsUser(
            reason: "\(proxy?.phrase ?? "the proxy") wants a user name and a password (407); set them in "
                + "\(proxy?.variable ?? "https_proxy")")
    }
}
