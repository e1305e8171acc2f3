import Glibc
import TestSupport

/// An HTTPS server on 127.0.0.1 and localhost, with an untrusted certificate.
struct SecureServer {
    /// The address, such as `https://127.0.0.1:1234`.
    let address: String
    let certificate: String
    private let program: Program

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - handler: lines of Python that define the class `Handler`; `server` is the server.
    ///   - arguments: the arguments from `sys.argv[3]` on.
    init(
        _ sandbox: Sandbox, handler: String = "Handler = http.server.BaseHTTPRequestHandler", arguments: [String] = []
    ) async throws {
        let key = sandbox.file("key.pem")
        certificate = sandbox.file("certificate.pem")
        try await sandbox.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj",
            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate
        )
        let script = """
            import http.server, os, ssl, sys, threading
            \(handler)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            server.socket = context.wrap_socket(server.socket, server_side=True)
            print(server.server_address[1], flush=True)
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
            server.serve_forever()
            """
        program = try Program(
            ["python3", "-c", script, certificate, key] + arguments, environment: sandbox.environment(), input: .pipe)
        try await program.wait(forOutput: "\n")
        address = "https://127.0.0.1:\(program.outputSoFar.dropLast())"
    }

    func end() { close(program.input) }
}
