import Foundation
import Glibc
import System

/// The program curl: its arguments and its exit codes.
struct Curl: Sendable {
    var program = "curl"
    /// The seconds without a byte after which a download fails.
    var stallLimit = 30
    /// The seconds after which a connection attempt fails.
    var connectLimit = 20

    /// Returns all arguments of curl. Its configuration file is ignored; proxies are those in the environment.
    func arguments(for address: HTTPAddress, headers: [String]) -> [String] {
        [
            "-q", "--silent", "--show-error", "--include", "--no-buffer", "--globoff",
            // Redirects never lead from a secure address to an insecure one.
            "--location", "--max-redirs", "10", "--proto", address.isSecure ? "=https" : "=http,https",
            "--proto-redir", address.isSecure ? "=https" : "=http,https", "--suppress-connect-headers",
            "--connect-timeout", String(connectLimit), "--speed-limit", "1", "--speed-time", String(stallLimit),
            "--user-agent", "utter", "--write-out", ProxyRefusal.format,
        ] + headers.flatMap { ["--header", $0] } + ["--url", address.text]
    }

    func start(_ address: HTTPAddress, headers: [String]) throws -> ChildProcess {
        do throws(FileError) {
            return try ChildProcess(
                program, arguments(for: address, headers: headers), errors: .pipe, survivesInterrupt: true)
        } catch {
            throw Tool.failure(program, error)
        }
    }

    /// Returns the error for curl's end; nil if it succeeded.
    ///
    /// - Parameter hasAnswered: whether the server had begun to answer.
    func failure(
        _ end: ChildProcess.End, _ address: HTTPAddress, hasAnswered: Bool, talk: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> SpeechError? {
        let host = address.host
        guard case .exited(let code) = end else {
            return SpeechError(.networkUnavailable, "curl was ended while it downloaded from \(host)")
        }
        if code != 0, let status = ProxyRefusal.status(inTalk: talk) {
            return ProxyRefusal.error(address.proxy(in: environment), refusing: status, address)
        }
        switch CurlExit(status: code) {
        case .success: return nil
        case .unsupportedProtocol, .malformedAddress:
            return SpeechError(
                .downloadRefused, "\(host) does not speak HTTP, or leads to an address that is not safe to follow")
        case .proxyNotFound: return SpeechError(.networkUnavailable, "the proxy of the environment is not found")
        case .hostNotFound: return SpeechError(.networkUnavailable, "\(host) is not found; there may be no network")
        case .hostUnreachable:
            return SpeechError(.networkUnavailable, "\(host) can't be reached; there may be no network")
        case .brokenOff, .emptyAnswer, .brokenFraming:
            return SpeechError(.networkUnavailable, "\(host) broke off the download")
        case .timeout:
            return SpeechError(
                .networkUnavailable,
                hasAnswered ? "\(host) sent nothing for \(stallLimit) seconds" : "\(host) did not answer in time")
        case .noSecureConnection: return SpeechError(.networkUnavailable, "can't make a secure connection to \(host)")
        case .tooManyRedirects: return SpeechError(.downloadRefused, "\(host) redirects in a circle")
        case .untrustedCertificate:
            return SpeechError(
                .networkUnavailable,
                "the certificate of \(host) can't be trusted; a network that wants a login may stand in between")
        default:
            let reason =
                talk.split(separator: "\n").first { !$0.hasPrefix(ProxyRefusal.linePrefix) }.map { ": \($0)" } ?? ""
            return SpeechError(.networkUnavailable, "curl ended with exit status \(code)\(reason)")
        }
    }

    /// Whether the download was interrupted, so that requesting the rest at once may succeed.
    static func isCut(_ end: ChildProcess.End) -> Bool {
        guard case .exited(let code) = end else { return false }
        return [.brokenOff, .emptyAnswer, .brokenFraming].contains(CurlExit(status: code))
    }
}

/// Functions for all programs that do parts of the work.
enum Tool {
    static func failure(_ program: String, _ error: FileError) -> any Error {
        guard error.errno == ENOENT else { return error }
        return missing(program)
    }

    static func missing(_ program: String) -> SpeechError {
        let package = program.hasSuffix("sum") ? "coreutils" : program
        return SpeechError(
            .programMissing,
            "the program \(program) is needed and not installed; install it with: apt install \(package)")
    }

    /// Reads a child's pipe to its end, and closes it. read(2)
    static func readAll(_ descriptor: Int32, limit: Int = 1 << 16) -> [UInt8] {
        defer { close(descriptor) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while let bytes = Descriptor.read(descriptor, into: &buffer) { if all.count < limit { all += bytes } }
        return all
    }
}
