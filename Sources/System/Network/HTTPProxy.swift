import Foundation

/// The proxy that curl takes from the environment. Pure.
package struct HTTPProxy: Hashable, Sendable {
    /// The proxy's host, without the user and the password that the variable may hold.
    package let host: String
    package let port: Int
    /// The name of the environment variable that holds the proxy.
    package let variable: String

    /// The proxy as a part of a sentence: "the proxy example.org:3128".
    package var phrase: String { "the proxy \(host):\(port)" }

    /// Finds the proxy in the variables that curl(1) names. It does not read `no_proxy`, which is left to curl.
    ///
    /// - Parameters:
    ///   - scheme: the scheme of the address that is requested, in lower case.
    ///   - environment: the environment of curl.
    /// - Returns: nil when there is no proxy.
    package init?(forScheme scheme: String, in environment: [String: String]) {
        // Not HTTP_PROXY: a web server that runs this program sets it from the header Proxy of a request.
        let own = scheme == "http" ? ["http_proxy"] : ["\(scheme)_proxy", "\(scheme.uppercased())_PROXY"]
        guard let variable = (own + ["all_proxy", "ALL_PROXY"]).first(where: { environment[$0]?.isEmpty == false }),
            let value = environment[variable]
        else { return nil }
        let hasScheme = value.contains("://")
        guard let parts = URLComponents(string: hasScheme ? value : "http://" + value), let host = parts.host,
            !host.isEmpty
        else {
            return nil
        }
        self.variable = variable
        self.host = host
        port = parts.port ?? (parts.scheme?.lowercased() == "https" ? 443 : 1080)
    }
}
