import Speech
import System

/// The error when a call of the recognizer does not return.
struct RecognizerStopped: Error {}

/// Does work that waits for the recognizer, and gives up when the recognizer has stopped. The work is then left behind, and the
/// process must be ended by `Leaving`.
///
/// - Throws: `RecognizerStopped` when the recognizer has stopped, and the errors of `work`.
func unlessRecognizerStops<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value
{
    let (results, sending) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    let working = Task {
        do { sending.yield(.success(try await work())) } catch { sending.yield(.failure(error)) }
    }
    let watching = Task {
        guard await RecognizerWatch.wait() else { return }
        StandardErrorCapture.giveBack()
        sending.yield(.failure(RecognizerStopped()))
    }
    defer { watching.cancel() }
    return try await withTaskCancellationHandler {
        // In a task of its own, which is not cancelled: after a cancellation the work ends by itself.
        let first = await Task { await results.first { _ in true } }.value
        return try (first ?? .failure(CancellationError())).get()
    } onCancel: {
        working.cancel()
    }
}

extension Task where Failure == Never {
    /// Waits for the task's value, no longer than `limit`.
    ///
    /// - Returns: nil when the task takes longer; it goes on.
    func value(within limit: Duration) async -> Success? {
        let (values, sending) = AsyncStream.makeStream(of: Success?.self)
        Task<Void, Never> { sending.yield(await value) }
        let late = Task<Void, Never> {
            if (try? await Task<Never, Never>.sleep(for: limit)) != nil { sending.yield(nil) }
        }
        defer { late.cancel() }
        return await values.first { _ in true } ?? nil
    }
}
