import Foundation
import System

/// The address of a download.
struct HTTPAddress: Hashable, Sendable {
    let text: String
    let isSecure: Bool
    /// The host without a user name and password, for messages.
    let host: String

    /// Creates an address; nil if `text` does not begin with https:// or http://.
    init?(_ text: String) {
        guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let isSecure = text.lowercased().hasPrefix("https://")
        guard isSecure || text.lowercased().hasPrefix("http://") else { return nil }
        guard let host = URLComponents(string: text)?.host, !host.isEmpty else { return nil }
        self.text = text
        self.isSecure = isSecure
        self.host = host
    }

    var fileName: String { path.split(separator: "/").last.map(String.init) ?? host }

    /// The path on the host; empty if there is none.
    var path: String { URLComponents(string: text)?.path ?? "" }

    /// The proxy that leads to it; nil if there is none. Ignores `no_proxy`.
    func proxy(in environment: [String: String] = ProcessInfo.processInfo.environment) -> HTTPProxy? {
        HTTPProxy(forScheme: isSecure ? "https" : "http", in: environment)
    }
}
