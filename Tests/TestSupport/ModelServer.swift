import Foundation
import Glibc

/// A real HTTP server on loopback that serves the files of a folder, well or badly; see `Server/server.py`.
package final class ModelServer: Sendable {
    private let program: Program
    /// `http://127.0.0.1:41234`, without a slash at its end.
    package let address: String

    /// Starts a server.
    ///
    /// - Parameter folder: the folder that it serves. Files may be added and removed later.
    package init(_ folder: String) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Server/server.py"
        program = try Program(
            ["python3", script, folder], environment: ProcessInfo.processInfo.environment, input: .pipe)
        address = "http://127.0.0.1:" + (try await program.line(0)).dropFirst("port ".count)
    }

    /// The requests so far, such as `GET /plain/a.zip range=bytes=5- if-range="tag"`.
    package var requests: [String] {
        // A client may have its answer before the server's line about the request has been read here.
        program.synchronize("mark \(UUID().uuidString)")
        return program.outputSoFar.split(separator: "\n").map(String.init).filter { $0.hasPrefix("GET ") }
    }

    /// Waits until the server has written a line that holds a text, such as those about `/hold/`.
    package func wait(for text: String) async throws { try await program.wait(forOutput: text) }

    // It ends when its standard input does.
    deinit { close(program.input) }
}
