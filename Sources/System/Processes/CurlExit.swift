/// What curl's exit status says: the one table of them. What it means for who has called it, the caller says. curl(1)
package enum CurlExit: Hashable, Sendable {
    case success
    case unsupportedProtocol
    case malformedAddress
    case proxyNotFound
    case hostNotFound
    case hostUnreachable
    /// What answers is no web server.
    case notHTTP
    /// The answer had begun, or the request had.
    case brokenOff
    case emptyAnswer
    /// A layer of HTTP/2 or HTTP/3 failed.
    case brokenFraming
    /// What it writes to takes no more.
    case outputClosed
    case timeout
    case noSecureConnection
    case tooManyRedirects
    case untrustedCertificate
    /// A certificate or a cipher of our own.
    case unusableOwnCertificate
    case proxyRefused
    case other

    package init(status: Int32) {
        self =
            switch status {
            case 0: .success
            case 1: .unsupportedProtocol
            case 3: .malformedAddress
            case 5: .proxyNotFound
            case 6: .hostNotFound
            case 7: .hostUnreachable
            case 8: .notHTTP
            case 16, 95: .brokenFraming
            case 18, 55, 56, 92: .brokenOff
            case 23: .outputClosed
            case 28: .timeout
            case 35: .noSecureConnection
            case 47: .tooManyRedirects
            case 51, 60, 77, 83, 90, 91: .untrustedCertificate
            case 52: .emptyAnswer
            case 58, 59: .unusableOwnCertificate
            case 97: .proxyRefused
            default: .other
            }
    }
}
