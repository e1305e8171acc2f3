/// A window of a session, or any window of it.
struct WindowPlace: Equatable, Sendable, Codable {
    var session: WindowSession
    /// The window; nil where the session does not tell windows apart.
    var window: String?
}

extension WindowSession: Codable {
    init(from decoder: any Decoder) throws { self.init(try [String: String](from: decoder)) }

    func encode(to encoder: any Encoder) throws { try environment.encode(to: encoder) }
}
