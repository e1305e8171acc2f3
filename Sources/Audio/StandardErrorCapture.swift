import Glibc

/// Catches what a C library prints on stderr while a call lasts. The whole process's stderr is caught meanwhile, so it is for
/// calls where nothing else helps.
package enum StandardErrorCapture {
    /// - Returns: what `body` returned, and what was printed.
    package static func during<Value>(_ body: () -> Value) -> (Value, String) {
        guard let file = tmpfile() else { return (body(), "") }
        defer { fclose(file) }
        fflush(nil)
        let original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard original >= 0 else { return (body(), "") }
        dup2(fileno(file), STDERR_FILENO)
        let value = body()
        fflush(nil)
        dup2(original, STDERR_FILENO)
        close(original)

        rewind(file)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return (value, String(decoding: bytes, as: UTF8.self))
    }
}
