/// What the user is to know of a dictation, which the process that listens passes on to the one that serves, in a line of JSON. It holds
/// nothing that was said.
struct HeardRemark: Equatable, Sendable, Codable {
    private var warning: String?
    /// Empty when nothing is wrong any more.
    private var trouble: String?

    init(_ remark: ListenSession.Remark) {
        switch remark {
        case .warning(let sentence): warning = sentence
        case .trouble(let sentence): trouble = sentence ?? ""
        }
    }

    /// The remark; nil for a line that is none.
    var remark: ListenSession.Remark? {
        if let warning { return .warning(warning) }
        return trouble.map { .trouble($0.isEmpty ? nil : $0) }
    }
}
