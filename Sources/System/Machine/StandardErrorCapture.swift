import Glibc

/// Captures what a C library writes to stderr during a call. The stderr of the whole process is captured meanwhile, so
/// use it only for calls for which there is no other way.
package enum StandardErrorCapture {
    /// Captures stderr while `body` runs.
    ///
    /// - Returns: the result of `body`, and the captured text.
    package static func during<Value>(_ body: () -> Value) -> (Value, String) {
        guard let file = tmpfile() else { return (body(), "") }
        defer { fclose(file) }
        fflush(nil)
        let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { return (body(), "") }
        dup2(fileno(file), STDERR_FILENO)
        let value = body()
        fflush(nil)
        dup2(descriptor, STDERR_FILENO)
        close(descriptor)
        rewind(file)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return (value, String(decoding: bytes, as: UTF8.self))
    }
}
