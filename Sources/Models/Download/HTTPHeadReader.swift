import Foundation
import System

/// What the head of an answer says about a download.
extension HTTPHead {
    /// The length of the body in bytes; nil if the field is missing or is not a number.
    var contentLength: Int? { fields["content-length"].flatMap { Self.number($0) } }

    /// The entity tag, if equal tags guarantee equal bytes.
    var strongTag: String? {
        guard let tag = fields["etag"], tag.utf8.count >= 3, tag.utf8.count <= 200, tag.hasPrefix("\""),
            tag.hasSuffix("\""),
            tag.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { return nil }
        return tag
    }

    /// The range in `Content-Range: bytes 100-199/200`.
    var contentRange: (start: Int, end: Int, total: Int?)? {
        guard let value = fields["content-range"], value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(separator: "/")
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-")
        guard ends.count == 2, let start = Self.number(ends[0].trimmingCharacters(in: .whitespacesAndNewlines)),
            let end = Self.number(ends[1].trimmingCharacters(in: .whitespacesAndNewlines)), start <= end
        else { return nil }
        return (start, end, Self.number(parts[1].trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The SHA-256 of the whole content of which the body is all or a part. It is in `Repr-Digest` (RFC 9530), in
    /// `Digest` (RFC 3230), or in `X-Linked-ETag` of a hub that redirects to other servers. With a redirect, the first
    /// two are those of the redirect itself.
    var sha256: Checksum? {
        let digests = ["repr-digest", "digest"].compactMap { fields[$0] }.flatMap { $0.split(separator: ",") }
            .compactMap(Self.sha256)
        let isPacked = fields["content-encoding"].map { $0.lowercased() != "identity" } ?? false
        if !isFollowedByAnother, !isPacked, let digest = digests.first { return digest }
        return fields["x-linked-etag"].flatMap { Checksum(.sha256, $0.replacing("\"", with: "")) }
    }

    /// Parses a digest: `sha-256=:AAAA=:` or `sha-256=AAAA=`.
    private static func sha256(inDigest digest: Substring) -> Checksum? {
        let parts = digest.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "sha-256" else { return nil }
        let text = parts[1].hasPrefix(":") && parts[1].hasSuffix(":") ? parts[1].dropFirst().dropLast() : parts[1]
        guard let bytes = Data(base64Encoded: String(text)) else { return nil }
        return Checksum(.sha256, bytes.map { $0.digits(2, radix: 16) }.joined())
    }

    var isHTML: Bool { fields["content-type"]?.lowercased().contains("html") == true }

    /// Whether another answer follows: after an interim one, or after a redirect.
    var isFollowedByAnother: Bool {
        (100...199).contains(status)
            || [301, 302, 303, 307, 308].contains(status) && fields["location"]?.isEmpty == false
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}

/// Finds the head of the last answer in the output of `curl --include --location`.
struct HTTPHeadReader {
    enum Step: Equatable {
        case needsMore
        case head(HTTPHead, firstOfBody: [UInt8])
        /// The input is not HTTP.
        case broken
    }

    /// The greatest length of a head, in bytes.
    private static let limit = 1 << 18
    private var bytes: [UInt8] = []
    /// The checksum of the whole content from the first server that sent one, which is the server that was asked.
    private(set) var sha256: Checksum?

    mutating func take(_ more: some Sequence<UInt8>) -> Step {
        bytes += more
        while let end = HTTPHead.end(in: bytes[...]) {
            let head = HTTPHead(bytes[..<end])
            bytes.removeFirst(end)
            guard let head, head.status < 600 else { return .broken }
            sha256 = sha256 ?? head.sha256
            if !head.isFollowedByAnother { return .head(head, firstOfBody: bytes) }
        }
        return bytes.count > Self.limit ? .broken : .needsMore
    }
}
