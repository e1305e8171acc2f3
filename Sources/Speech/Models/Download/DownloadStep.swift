/// What is asked of the server: all, or what is missing from a part that is here.
struct DownloadRequest: Hashable, Sendable {
    /// Bytes that are here.
    var offset = 0
    /// The strong tag of what they are a part of.
    var tag: String?
    /// Of the whole, in bytes, where it is known for certain.
    var size: Int?
    /// More than this is refused.
    var maximumSize: Int

    /// The fields to send.
    var headers: [String] {
        if offset == 0 { return [] }
        return ["Range: bytes=\(offset)-"] + (tag.map { ["If-Range: \($0)"] } ?? [])
    }
}

/// What an answer means for a download. Pure, so that every answer can be tried.
enum DownloadStep: Equatable {
    /// The body goes to `offset`; `total` is how much there is to be then.
    case write(offset: Int, total: Int?, tag: String?)
    /// What is here is no part of what the server has: ask for all.
    case startOver
    case refused(Refusal)

    enum Refusal: Equatable {
        case status(Int)
        case webPage
        case otherSize(Int)
        case tooLarge
    }

    init(_ head: HTTPHead, to request: DownloadRequest) {
        switch head.status {
        case 200:
            if head.isHTML { self = .refused(.webPage) } else { self = Self.whole(head, request) }
        case 206 where request.offset > 0: self = Self.part(head, request)
        case 412, 416: self = request.offset > 0 ? .startOver : .refused(.status(head.status))
        default: self = .refused(.status(head.status))
        }
    }

    private static func whole(_ head: HTTPHead, _ request: DownloadRequest) -> DownloadStep {
        // A body that the server has packed once more has another length.
        let length = head.field("content-encoding").map { $0.lowercased() == "identity" } ?? true ? head.contentLength : nil
        if let length, let size = request.size, length != size { return .refused(.otherSize(length)) }
        let total = length ?? request.size
        if let total, total > request.maximumSize { return .refused(.tooLarge) }
        return .write(offset: 0, total: total, tag: head.strongTag)
    }

    private static func part(_ head: HTTPHead, _ request: DownloadRequest) -> DownloadStep {
        guard let range = head.contentRange, range.start == request.offset, let total = range.total, range.end == total - 1,
            request.size == nil || request.size == total, total <= request.maximumSize
        else { return .startOver }
        // The part here is of that very thing when the tag says so, or when size and checksum, which will be compared, are known.
        if let tag = request.tag, let answered = head.field("etag"), answered != tag { return .startOver }
        return .write(offset: request.offset, total: total, tag: request.tag)
    }
}
