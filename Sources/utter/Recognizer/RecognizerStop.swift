import Audio
import Speech

/// The recognizer has stopped; what waits for it would wait for ever.
struct RecognizerStopped: Error {}

/// Does what waits for the recognizer, and gives up when that has stopped. The work is left behind then, and the process must be ended by
/// `Leaving`.
///
/// - Throws: `RecognizerStopped`, and what `work` throws.
func unlessRecognizerStops<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
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
        // Not cancelled with the task: the work ends when it has seen that itself.
        let first = await Task { await results.first { _ in true } }.value
        return try (first ?? .failure(CancellationError())).get()
    } onCancel: {
        working.cancel()
    }
}

extension Task where Failure == Never {
    /// Waits for so long at most.
    ///
    /// - Returns: nil when it takes longer.
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
