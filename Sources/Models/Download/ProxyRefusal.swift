import Foundation
import System

/// A proxy that does not lead to a server, as curl reports it.
enum ProxyRefusal {
    /// The value of the option `write-out`: the proxy's answer to CONNECT, on a line after curl's messages.
    static let format = "%{stderr}\(linePrefix)%{http_connect}\\n"
    static let linePrefix = "tunnel "

    /// Returns the status in the line that curl wrote by `format`; nil if the proxy did not refuse.
    static func status(inTalk talk: String) -> Int? {
        let line = talk.split(separator: "\n").last { $0.hasPrefix(linePrefix) }
        return line.flatMap { Int($0.dropFirst(linePrefix.count)) }.flatMap { $0 >= 300 ? $0 : nil }
    }

    /// The error for the refusal of a proxy, which may not be known.
    static func error(_ proxy: HTTPProxy?, refusing status: Int, _ address: HTTPAddress) -> SpeechError {
        let phrase = proxy?.phrase ?? "the proxy"
        if status == 407 {
            return SpeechError(
                .downloadRefused, "\(phrase) requires a password (407); put it into \(proxy?.variable ?? "https_proxy")"
            )
        }
        return SpeechError(.networkUnavailable, "\(phrase) answered \(status) and does not lead to \(address.host)")
    }
}
