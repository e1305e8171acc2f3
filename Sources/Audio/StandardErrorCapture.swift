import Glibc
import Synchronization

/// Catches what a C library prints on stderr while a call lasts. The whole process's stderr is caught meanwhile, so it is for
/// calls where nothing else helps.
package enum StandardErrorCapture {
    /// The real one while it is caught, otherwise -1.
    private static let original = Atomic<Int32>(-1)

    /// Gives stderr back while a call goes on that is not waited for any more.
    package static func giveBack() {
        let descriptor = original.exchange(-1, ordering: .acquiringAndReleasing)
        guard descriptor >= 0 else { return }
        dup2(descriptor, STDERR_FILENO)
        close(descriptor)
    }

    /// - Returns: what `body` returned, and what was printed.
    package static func during<Value>(_ body: () -> Value) -> (Value, String) {
        guard let file = tmpfile() else { return (body(), "") }
        defer { fclose(file) }
        fflush(nil)
        let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { return (body(), "") }
        dup2(fileno(file), STDERR_FILENO)
        original.store(descriptor, ordering: .releasing)
        let value = body()
        fflush(nil)
        giveBack()

        rewind(file)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return (value, String(decoding: bytes, as: UTF8.self))
    }
}
