import System

/// What curl writes to its standard error: the head of the answer, and then a line about the exchange.
struct CurlReport: Hashable {
    /// The value of curl's option `write-out` that makes the line that `init` reads.
    static let format = "%{stderr}%{http_connect} %{time_pretransfer} %{remote_port} %{errormsg}\n"

    /// The status lines and fields of the answer, without those of a proxy's answer to CONNECT.
    let head: [UInt8]
    /// The status of the proxy's answer to CONNECT; 0 when there was no such answer.
    let connectStatus: Int
    /// Whether a connection was made, so that a part of the request may have reached the server.
    let wasSent: Bool
    /// The port at the other end of the connection; 0 when there was no connection.
    let remotePort: Int
    /// curl's error message. Never show it: it may hold the address, and the address may hold a secret.
    let complaint: String
}

extension CurlReport {
    /// Reads what curl wrote to its standard error.
    ///
    /// - Parameter errors: the bytes. The line about the exchange is missing when curl was killed, or when the head is too
    ///   large to be kept.
    init(_ errors: [UInt8]) {
        let newline = UInt8(ascii: "\n")
        let beginning =
            errors.last == newline ? errors.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0 : errors.count
        let words = String(decoding: errors[beginning...].dropLast(), as: UTF8.self)
            .split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, let status = Int(words[0]), let time = Double(words[1]), let port = Int(words[2]) else {
            self.init(head: errors, connectStatus: 0, wasSent: true, remotePort: 0, complaint: "")
            return
        }
        self.init(
            head: Array(errors[..<beginning]), connectStatus: status, wasSent: time > 0, remotePort: port,
            complaint: String(words[3]))
    }

    /// Whether curl connected to this proxy, or tried to.
    func isAbout(_ proxy: HTTPProxy) -> Bool {
        remotePort != 0 ? remotePort == proxy.port : complaint.contains("to \(proxy.host) port \(proxy.port) ")
    }
}
