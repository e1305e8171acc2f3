import Foundation

/// Runs `body`, which may wait for programs and disks, on a new thread, because nothing may block the cooperative pool.
package func onOwnThread<Value: Sendable, Failure>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result(catching: body)) }
    }.get()
}
