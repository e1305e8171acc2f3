import Foundation

@main
struct Main {
    @MainActor
    static func main() async throws {
        let session = SpeechSession(locale: Locale(identifier: "en-US"))
        await session.start()
        guard session.isRecording else { fatalError("\(String(describing: session.lastError))") }
        let seconds = Double(ProcessInfo.processInfo.environment["SECONDS_TO_LISTEN"] ?? "") ?? 12
        try await Task.sleep(for: .seconds(seconds))
        await session.stop()
        // Its results are read by a task of its own.
        try await Task.sleep(for: .seconds(1))
        print(session.liveText)
    }
}
