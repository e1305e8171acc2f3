import System
import Testing

@testable import Models
@testable import Speech

@Suite("An error of curl")
struct CurlTests {
    private func failure(
        _ end: ChildProcess.End, hasAnswered: Bool = false, talk: String = "", proxy: String? = nil
    ) throws -> SpeechError? {
        let address = try #require(HTTPAddress("https://me:secret@a.example/m.zip"))
        return Curl().failure(
            end, address, hasAnswered: hasAnswered, talk: talk, environment: proxy.map { ["https_proxy": $0] } ?? [:])
    }

    @Test("names the proxy if that refused, without its password")
    func proxies() throws {
        for (status, proxy, expected) in [
            (
                403, "http://me:s3cret@proxy.example:3128",
                "the proxy proxy.example:3128 answered 403 and does not lead to a.example"
            ),
            (
                502, "me:s3cret@proxy.example",
                "the proxy proxy.example:1080 answered 502 and does not lead to a.example"
            ),
            (
                407, "http://proxy.example:8/",
                "the proxy proxy.example:8 requires a password (407); put it into https_proxy"
            ),
            (403, nil, "the proxy answered 403 and does not lead to a.example"),
            (200, "http://proxy.example:8/", "a.example broke off the download"),
        ] as [(Int, String?, String)] {
            let talk = "curl: (56) CONNECT tunnel failed, response \(status)\ntunnel \(status)\n"
            let error = try failure(.exited(56), talk: talk, proxy: proxy)
            #expect(error?.description == expected)
            #expect(error?.code == (status == 407 ? .downloadRefused : .networkUnavailable))
        }
    }

    @Test("is reported in a sentence with the host, and never with a password")
    func sentences() throws {
        for (codes, code, sentence) in [
            (
                [1, 3], .downloadRefused,
                "a.example does not speak HTTP, or leads to an address that is not safe to follow"
            ),
            ([5], .networkUnavailable, "the proxy of the environment is not found"),
            ([6], .networkUnavailable, "a.example is not found; there may be no network"),
            ([7], .networkUnavailable, "a.example can't be reached; there may be no network"),
            ([16, 18, 52, 55, 56, 92, 95], .networkUnavailable, "a.example broke off the download"),
            ([28], .networkUnavailable, "a.example did not answer in time"),
            ([35], .networkUnavailable, "can't make a secure connection to a.example"),
            ([47], .downloadRefused, "a.example redirects in a circle"),
            (
                [51, 60, 77, 83, 90, 91], .networkUnavailable,
                "the certificate of a.example can't be trusted; a network that wants a login may stand in between"
            ),
            ([2, 99], .networkUnavailable, nil),
        ] as [([Int32], SpeechError.Code, String?)] {
            for number in codes {
                let error = try #require(try failure(.exited(number)))
                #expect(error == SpeechError(code, sentence ?? "curl ended with exit status \(number)"))
            }
        }
        #expect(try failure(.exited(0)) == nil)
        #expect(try failure(.exited(28), hasAnswered: true)?.description == "a.example sent nothing for 30 seconds")
        #expect(
            try failure(.exited(99), talk: "curl: (99) out of luck\nmore\n")?.description
                == "curl ended with exit status 99: curl: (99) out of luck")
        #expect(
            try failure(.exited(99), talk: "tunnel 000\n")?.description == "curl ended with exit status 99")
        #expect(try failure(.killed(signal: 9))?.description == "curl was ended while it downloaded from a.example")
    }
}
