import Foundation
import System
import TestSupport
import Testing

@testable import Outbox

@Suite("The head of an answer that curl writes")
struct HTTPAnswerTests {
    private func status(_ head: String) -> Int? { HTTPHead(ofAnswerIn: Array(head.utf8))?.status }

    @Test("has a status in its first line and nowhere else")
    func statuses() {
        for (head, expected) in [
            ("HTTP/1.1 200 OK\r\n\r\n", 200), ("HTTP/1.1 200\r\n\r\n", 200), ("HTTP/2 204 \r\n\r\n", 204),
            ("HTTP/1.0 500 No\n\n", 500),
            ("HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 409 No\r\n\r\n", 409),
            ("HTTP/1.1 500 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 500),
            ("HTTP/1.1 500 No\r\nHTTP/1.1 200 OK: x\r\n\r\n", 500),
            ("", nil), ("\r\n", nil), ("HTTP/1.1 200 OK", nil), ("HTTP/1.1 200 OK\r\n", nil),
            ("HTTP/1.1 200 OK\r\nA: b\r\n", nil),
            ("HTTP/1.1 200 OK\r\nA: b\r\n\r", nil), ("HTTP/1.1 100 Go on\r\n\r\n", nil),
            ("HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\n", nil),
            ("\r\nHTTP/1.1 200 OK\r\n\r\n", nil), (" HTTP/1.1 200 OK\r\n\r\n", nil), ("http/1.1 200 OK\r\n\r\n", nil),
            ("HTTP 200 OK\r\n\r\n", nil), ("HTTP/ 200 OK\r\n\r\n", nil), ("HTTP/1. 200 OK\r\n\r\n", nil),
            ("HTTP/1.1.1 200 OK\r\n\r\n", nil),
            ("HTTP/11 200 OK\r\n\r\n", nil), ("HTTP/1.1  200 OK\r\n\r\n", nil), ("HTTP/1.1\t200 OK\r\n\r\n", nil),
            ("HTTP/1.1 20 OK\r\n\r\n", nil), ("HTTP/1.1 2000 OK\r\n\r\n", nil), ("HTTP/1.1 +20 OK\r\n\r\n", nil),
            ("HTTP/1.1 -20 OK\r\n\r\n", nil), ("HTTP/1.1 2OO OK\r\n\r\n", nil), ("HTTP/1.1 099 OK\r\n\r\n", nil),
            ("HTTP/1.1 ٢٠٠ OK\r\n\r\n", nil),
        ] as [(String, Int?)] {
            #expect(status(head) == expected, "\(head.debugDescription)")
        }
    }

    @Test("has lines that end with LF and with no other character")
    func lines() {
        for end in ["\r", "\u{B}", "\u{C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}"] {
            #expect(status("HTTP/1.1 500 No\r\nA: b\(end)HTTP/1.1 200 OK\r\n\r\n") == 500)
            #expect(status("HTTP/1.1 500 No\r\nA: b\(end)\(end)HTTP/1.1 200 OK\(end)\(end)") == nil)
            #expect(status("HTTP/1.1 100 Go on\r\nA: b\(end)\r\nHTTP/1.1 200 OK\r\n\r\n") == nil || end == "\r")
            #expect(status("X\(end)HTTP/1.1 200 OK\r\n\r\n") == nil)
            let forged = "HTTP/1.1 500 No\r\nRetry-After: 7\r\nA: b\(end)Retry-After: 9\r\n\r\n"
            #expect(HTTPHead(ofAnswerIn: Array(forged.utf8))?.fields["retry-after"] == "7")
        }
        let bytes =
            Array("HTTP/1.1 500 No\r\nA: ".utf8) + [0xFF, 0xC3, 0x0D]
            + Array("HTTP/1.1 200 OK\r\nRetry-After: 7\r\n\r\n".utf8)
        #expect(HTTPHead(ofAnswerIn: bytes)?.status == 500)
        #expect(HTTPHead(ofAnswerIn: bytes)?.fields["retry-after"] == "7")
    }

    @Test("is no answer if it is cut anywhere, and random changes never make an answer of it that is not there")
    func damaged() {
        let whole = Array(
            "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 500 No\r\nRetry-After: 7\r\nA: HTTP/1.1 200 OK\r\n\r\n".utf8)
        for count in whole.indices { #expect(HTTPHead(ofAnswerIn: Array(whole[..<count])) == nil, "\(count)") }
        var random = SplitMix64(for: "damaged answers")
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0...2 { bytes[Int.random(in: 0..<40, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            guard let answer = HTTPHead(ofAnswerIn: bytes) else { continue }
            // Another digit may stand there; a line of a field never counts.
            let first = answer.status / 100
            #expect(first == 5 || bytes[33] != UInt8(ascii: "5") || bytes[9] != UInt8(ascii: "1"), "\(bytes)")
        }
    }

    @Test(
        "has fields by their names in lower case, of several the last, without continued lines and fields after the head"
    )
    func fields() {
        let head =
            "HTTP/1.1 429 No\r\nRETRY-After : 5\r\nRetry-After:\t 7 \r\nA: b\r\n Retry-After: 9\r\nC\r\n\r\nRetry-After: 11\r\n"
        let answer = HTTPHead(ofAnswerIn: Array(head.utf8))
        #expect(answer?.fields == ["retry-after ": "5", "retry-after": "7", "a": "b"])
        #expect(answer?.pause(now: Date()) == .seconds(7))
        let atOnce = HTTPHead(ofAnswerIn: Array("HTTP/1.1 503 No\r\nRetry-After: 0\r\n\r\n".utf8))
        #expect(atOnce?.pause(now: Date()) == .zero)
    }

    @Test("comes with a line about the exchange; without the line, the request counts as sent")
    func report() {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        let report = CurlReport(Array((head + "000 0.000967 8080 \n").utf8))
        #expect(
            report.head == Array(head.utf8) && report.connectStatus == 0 && report.wasSent && report.remotePort == 8080)
        let refused = CurlReport(Array("403 0.000000 3128 CONNECT tunnel failed, response 403\n".utf8))
        #expect(refused.head.isEmpty && refused.connectStatus == 403 && !refused.wasSent)
        for odd in ["", head, head + "000 0.0009", "x y z \n", "000 0.000000\n"] {
            let report = CurlReport(Array(odd.utf8))
            #expect(report.head == Array(odd.utf8) && report.connectStatus == 0 && report.wasSent)
        }
    }

    @Test("may be that of a proxy, which is found in the environment as curl does, and reported without its password")
    func proxies() {
        func proxy(_ scheme: String, _ environment: [String: String]) -> String? {
            HTTPProxy(forScheme: scheme, in: environment)?.phrase
        }
        for (scheme, environment, expected) in [
            ("https", ["https_proxy": "http://me:s3cret@proxy.example:3128/"], "the proxy proxy.example:3128"),
            ("https", ["HTTPS_PROXY": "proxy.example"], "the proxy proxy.example:1080"),
            ("https", ["https_proxy": "https://me@proxy.example"], "the proxy proxy.example:443"),
            ("https", ["https_proxy": "me:s3cret@proxy.example:8"], "the proxy proxy.example:8"),
            ("https", ["all_proxy": "socks5://[::1]:9"], "the proxy [::1]:9"),
            ("https", ["https_proxy": "", "all_proxy": "a"], "the proxy a:1080"), ("https", ["https_proxy": ""], nil),
            ("https", ["http_proxy": "a"], nil),
            ("http", ["http_proxy": "a:1", "all_proxy": "b"], "the proxy a:1"), ("http", ["HTTP_PROXY": "a"], nil),
            ("http", ["ALL_PROXY": "b:2"], "the proxy b:2"), ("http", ["http_proxy": "http://"], nil),
            ("http", [:], nil),
        ] as [(String, [String: String], String?)] {
            #expect(proxy(scheme, environment) == expected, "\(scheme) \(environment)")
        }
    }
}
