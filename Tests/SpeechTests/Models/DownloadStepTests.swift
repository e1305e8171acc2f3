import System
import Testing

@testable import Models
@testable import Speech

@Suite("An answer to a download")
struct DownloadStepTests {
    private func head(_ status: Int, _ fields: [String: String] = [:]) -> HTTPHead {
        HTTPHead(status: status, fields: fields)
    }
    private let first = DownloadRequest(size: 100, maximumSize: 1000)
    private let rest = DownloadRequest(offset: 40, tag: "\"a\"", size: 100, maximumSize: 1000)
    private let untagged = DownloadRequest(offset: 40, size: 100, maximumSize: 1000)

    @Test("continues a part only if the server confirms its range and its tag")
    func ranges() {
        for (range, tag, step) in [
            ("bytes 40-99/100", "\"a\"", DownloadStep.write(offset: 40, total: 100, tag: "\"a\"")),
            ("bytes 40-99/100", nil, .write(offset: 40, total: 100, tag: "\"a\"")),
            ("bytes 40-99/100", "\"b\"", .startOver), ("bytes 40-99/100", "W/\"a\"", .startOver),
            ("bytes 41-99/100", "\"a\"", .startOver), ("bytes 40-98/100", "\"a\"", .startOver),
            ("bytes 40-100/101", "\"a\"", .startOver),
            ("bytes 40-99/*", "\"a\"", .startOver), ("bytes */100", "\"a\"", .startOver),
            ("40-99/100", "\"a\"", .startOver),
            ("bytes 40-99999999999999999999/100", "\"a\"", .startOver), ("", "\"a\"", .startOver),
        ] as [(String, String?, DownloadStep)] {
            var fields = ["content-range": range]
            fields["etag"] = tag
            #expect(DownloadStep(head(206, fields), to: rest) == step, "\(range) \(tag ?? "none")")
        }
        #expect(DownloadStep(head(206), to: rest) == .startOver)
        #expect(
            DownloadStep(head(206, ["content-range": "bytes 40-99/100"]), to: untagged)
                == .write(offset: 40, total: 100, tag: nil))
        // The request was not for a part.
        #expect(DownloadStep(head(206, ["content-range": "bytes 0-99/100"]), to: first) == .refused(.status(206)))
    }

    @Test("with the whole file starts over, whatever part there is")
    func whole() {
        for request in [first, rest, untagged] {
            #expect(
                DownloadStep(head(200, ["content-length": "100", "etag": "\"b\""]), to: request)
                    == .write(offset: 0, total: 100, tag: "\"b\""))
            #expect(DownloadStep(head(200), to: request) == .write(offset: 0, total: 100, tag: nil))
            #expect(DownloadStep(head(200, ["content-length": "99"]), to: request) == .refused(.otherSize(99)))
            #expect(DownloadStep(head(200, ["content-type": "text/html"]), to: request) == .refused(.webPage))
            #expect(DownloadStep(head(404, ["content-type": "text/html"]), to: request) == .refused(.status(404)))
        }
        // A weak tag does not guarantee equal bytes.
        #expect(DownloadStep(head(200, ["etag": "W/\"b\""]), to: first) == .write(offset: 0, total: 100, tag: nil))
        #expect(
            DownloadStep(head(200, ["etag": "\"b\r\nX: y\""]), to: first) == .write(offset: 0, total: 100, tag: nil))
        let open = DownloadRequest(maximumSize: 1000)
        #expect(DownloadStep(head(200, ["content-length": "1001"]), to: open) == .refused(.tooLarge))
        #expect(DownloadStep(head(200, ["content-length": "-5"]), to: open) == .write(offset: 0, total: nil, tag: nil))
        #expect(
            DownloadStep(head(200, ["content-length": "50", "content-encoding": "gzip"]), to: first)
                == .write(offset: 0, total: 100, tag: nil))
    }

    @Test("has the file's checksum in several fields, and in that of a redirect only if it is a hub's")
    func digests() {
        let sum = Checksum(.sha256, String(repeating: "00", count: 31) + "ff")
        let base64 = String(repeating: "A", count: 41) + "P8="
        for (status, fields, expected) in [
            (200, ["repr-digest": "sha-256=:\(base64):"], sum),
            (206, ["repr-digest": "sha-512=:AAAA:, SHA-256=:\(base64):"], sum),
            (200, ["digest": "sha-256=\(base64)"], sum), (200, ["digest": "md5=AAAA"], nil),
            (200, ["repr-digest": "sha-256=:AAAA:"], nil),
            (200, ["repr-digest": "sha-256=:\(base64):", "content-encoding": "gzip"], nil),
            (200, ["etag": "\"\(sum!.hexadecimal)\""], nil),
            (302, ["location": "/x", "repr-digest": "sha-256=:\(base64):"], nil),
            (302, ["location": "/x", "x-linked-etag": "\"\(sum!.hexadecimal)\""], sum),
            (200, ["x-linked-etag": "\"12\""], nil),
        ] as [(Int, [String: String], Checksum?)] {
            #expect(head(status, fields).sha256 == expected, "\(status) \(fields)")
        }
        // The field of the first server counts, not that of the server to which it redirects.
        var reader = HTTPHeadReader()
        let other = "X-Linked-ETag: \"" + String(repeating: "1", count: 64) + "\""
        let hub = "HTTP/1.1 302 Found\r\nLocation: /x\r\nX-Linked-ETag: \"\(sum!.hexadecimal)\"\r\n\r\n"
        _ = reader.take(Array("\(hub)HTTP/1.1 200 OK\r\n\(other)\r\n\r\n".utf8))
        #expect(reader.sha256 == sum)
    }

    @Test("without such a range starts over, and is an error if there was no part")
    func unsatisfiable() {
        for status in [412, 416] {
            #expect(DownloadStep(head(status), to: rest) == .startOver)
            #expect(DownloadStep(head(status), to: first) == .refused(.status(status)))
        }
    }

    @Test("is requested with a range, and with a condition that makes it safe")
    func headers() {
        #expect(first.headers == [])
        #expect(rest.headers == ["Range: bytes=40-", "If-Range: \"a\""])
        #expect(untagged.headers == ["Range: bytes=40-"])
    }

    private static let stream = """
        HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nHTTP/2 200 \r\nETag: "a"\r\nETAG: "b"\r\n\
        content-length:  7 \r\nX-Odd\r\n\r\nPK\r\n\r\n3
        """

    // `CorpusTests` divide the bytes of such answers.
    @Test("is found after redirects")
    func reader() {
        var reader = HTTPHeadReader()
        guard case .head(let head, let firstOfBody) = reader.take(Array(Self.stream.utf8)) else {
            Issue.record("there is a head")
            return
        }
        #expect(head.status == 200 && head.strongTag == "\"b\"" && head.contentLength == 7)
        #expect(firstOfBody == Array("PK\r\n\r\n3".utf8))
    }

    @Test("that is not HTTP, or has no end, is refused")
    func broken() {
        func steps(_ pieces: [UInt8]...) -> [HTTPHeadReader.Step] {
            var reader = HTTPHeadReader()
            return pieces.map { reader.take($0) }
        }
        #expect(steps(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8)) == [.broken])
        #expect(steps(Array("HTTP/1.1 999 Odd\r\n\r\n".utf8)) == [.broken])
        #expect(steps(Array("\n\n".utf8)) == [.broken])
        // `HTTPAnswerTests` have the other lines.
        #expect(steps([UInt8](repeating: 0x41, count: 1 << 18), [0x41]) == [.needsMore, .broken])
    }

    @Test("has a progress with the speed of the last seconds and the time left")
    func meter() {
        var meter = ProgressMeter()
        func take(_ bytes: Int, at time: Double) -> Bool { meter.take(bytes, of: 1000, at: time) }
        meter.begin(.downloading, total: 1000)
        #expect(take(0, at: 10))
        #expect(meter.progress.bytesPerSecond == nil && meter.progress.secondsLeft == nil)
        // Too early for another report.
        #expect(!take(5, at: 10.05))
        #expect(take(100, at: 11))
        #expect(
            meter.progress.bytesPerSecond == 100 && meter.progress.secondsLeft == 9
                && meter.progress.fractionCompleted == 0.1)
        for second in 12...30 { #expect(take(100 + (second - 11) * 10, at: Double(second))) }
        #expect(meter.progress.bytesPerSecond == 10)
        // The download starts over.
        #expect(take(0, at: 31))
        #expect(meter.progress.bytesPerSecond == nil)
        #expect(take(1000, at: 31.01))
        #expect(meter.progress.fractionCompleted == 1 && meter.progress.secondsLeft == 0)
    }
}
