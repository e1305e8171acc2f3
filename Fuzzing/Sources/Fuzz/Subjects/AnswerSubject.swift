@testable import Models
@testable import System

/// A server's answer to a download: it is read independently of how the bytes are divided, and no step writes at a wrong place.
enum AnswerSubject {
    static func check(_ bytes: [UInt8]) {
        var reader = HTTPHeadReader()
        let whole = reader.take(bytes)
        var slow = HTTPHeadReader()
        var rest = bytes[...]
        var step = HTTPHeadReader.Step.needsMore
        while step == .needsMore, let byte = rest.popFirst() { step = slow.take([byte]) }
        switch (whole, step) {
        case (.head(let head, let body), .head(let slowHead, let firstOfBody)):
            require(reader.sha256 == slow.sha256, "the same checksum a byte at a time")
            require(head == slowHead && body == firstOfBody + rest, "the same a byte at a time")
            check(head)
        default: require(whole == step, "the same a byte at a time")
        }
    }

    private static func check(_ head: HTTPHead) {
        require((100...599).contains(head.status), "a status")
        let requests = [
            DownloadRequest(maximumSize: 1000), DownloadRequest(size: 200, maximumSize: 1000),
            DownloadRequest(offset: 100, tag: "\"a\"", maximumSize: 1000),
            DownloadRequest(offset: 100, size: 200, maximumSize: 1000),
        ]
        for request in requests {
            guard case .write(let offset, let total, let tag) = DownloadStep(head, to: request) else { continue }
            require(offset == 0 || offset == request.offset, "writes at the beginning, or where it stopped")
            require((total ?? 0) <= request.maximumSize && (total ?? offset) >= 0, "no more than there may be")
            require(
                offset == 0 || head.status == 206 && offset < (total ?? 0), "goes on only where something is missing")
            require(tag?.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ?? true, "a tag that can be sent back")
            require(request.size == nil || total == request.size, "of the size that is known")
        }
    }
}
