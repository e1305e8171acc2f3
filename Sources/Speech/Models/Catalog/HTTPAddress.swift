import Foundation

/// An address that an archive may come from.
struct HTTPAddress: Hashable, Sendable {
    let text: String
    let isSecure: Bool
    /// Without the name of a user or a password, for messages.
    let host: String

    /// - Returns: nil when it is none that begins with https:// or http://.
    init?(_ text: String) {
        guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let isSecure = text.lowercased().hasPrefix("https://")
        guard isSecure || text.lowercased().hasPrefix("http://") else { return nil }
        guard let host = URLComponents(string: text)?.host, !host.isEmpty else { return nil }
        self.text = text
        self.isSecure = isSecure
        self.host = host
    }

    /// The last part of its path.
    var fileName: String { URLComponents(string: text)?.path.split(separator: "/").last.map(String.init) ?? host }
}
