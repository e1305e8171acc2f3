/// What curl says of an exchange on its standard error: the head of the answer, and then a line about the exchange.
struct CurlReport: Hashable {
    /// The option `write-out`, for `init`.
    static let format = "%{stderr}%{http_connect} %{time_pretransfer} %{remote_port} %{errormsg}\n"

    /// Status lines and fields as they came; without those by which a proxy answers CONNECT.
    let head: [UInt8]
    /// With what a proxy answered CONNECT; 0 where it did not.
    let connectStatus: Int
    /// Whether the connection had come about, so that something of the request may have reached the server.
    let wasSent: Bool
    /// Of the machine at the other end of the connection; 0 when there was none.
    let remotePort: Int
    /// In curl's words, with the host that it speaks of; never to be shown, for it may name an address in which a secret stands.
    let complaint: String

    /// - Parameter errors: what curl wrote. It has no last line when curl was killed, or when a head is too large to be kept.
    init(_ errors: [UInt8]) {
        let newline = UInt8(ascii: "\n")
        let beginning = errors.last == newline ? errors.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0 : errors.count
        let words = String(decoding: errors[beginning...].dropLast(), as: UTF8.self)
            .split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, let status = Int(words[0]), let time = Double(words[1]), let port = Int(words[2]) else {
            self.init(head: errors, connectStatus: 0, wasSent: true, remotePort: 0, complaint: "")
            return
        }
        self.init(
            head: Array(errors[..<beginning]), connectStatus: status, wasSent: time > 0, remotePort: port, complaint: String(words[3]))
    }

    private init(head: [UInt8], connectStatus: Int, wasSent: Bool, remotePort: Int, complaint: String) {
        self.head = head
        self.connectStatus = connectStatus
        self.wasSent = wasSent
        self.remotePort = remotePort
        self.complaint = complaint
    }

    /// Whether the other end was that proxy, or was to be.
    func isAbout(_ proxy: HTTPProxy) -> Bool {
        remotePort != 0 ? remotePort == proxy.port : complaint.contains("to \(proxy.host) port \(proxy.port) ")
    }
}
