import System

/// A request for the whole content, or for the rest of it if a part is here.
struct DownloadRequest: Hashable, Sendable {
    /// The number of bytes that are here.
    var offset = 0
    /// The strong entity tag of the content that those bytes are a part of.
    var tag: String?
    /// The exact size of the whole content in bytes, if it is known.
    var size: Int?
    /// The greatest size of the content, in bytes.
    var maximumSize: Int

    /// The header fields to send.
    var headers: [String] {
        if offset == 0 { return [] }
        return ["Range: bytes=\(offset)-"] + (tag.map { ["If-Range: \($0)"] } ?? [])
    }
}

/// What a server's answer means for a download. It is pure, so that a test can try every answer.
enum DownloadStep: Equatable {
    /// Write the body at `offset`; `total` is the size of the whole content.
    case write(offset: Int, total: Int?, tag: String?)
    /// The bytes that are here are not a part of the server's content: request all of it.
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
        // A body with a content encoding has another length.
        let length =
            head.fields["content-encoding"].map { $0.lowercased() == "identity" } ?? true ? head.contentLength : nil
        if let length, let size = request.size, length != size { return .refused(.otherSize(length)) }
        let total = length ?? request.size
        if let total, total > request.maximumSize { return .refused(.tooLarge) }
        return .write(offset: 0, total: total, tag: head.strongTag)
    }

    private static func part(_ head: HTTPHead, _ request: DownloadRequest) -> DownloadStep {
        guard let range = head.contentRange, range.start == request.offset, let total = range.total,
            range.end == total - 1,
            request.size == nil || request.size == total, total <= request.maximumSize
        else { return .startOver }
        // The part is of the same content if the tag says so, or if the size and a checksum, which is compared later,
        // are known.
        if let tag = request.tag, let answered = head.fields["etag"], answered != tag { return .startOver }
        return .write(offset: request.offset, total: total, tag: request.tag)
    }
}
