import Foundation

@main
struct Main {
    static func main() async throws {
        let implementation = AppleTranscriptionImpl()
        let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
        let _: Void = await withCheckedContinuation { continuation in
            implementation.prepare(
                "en-US", resolve: { _ in continuation.resume() }, reject: { fatalError($0 + $1 + "\($2 as Any)") })
        }
        let text: String = await withCheckedContinuation { continuation in
            implementation.transcribe(
                data, language: "en-US", resolve: { continuation.resume(returning: "\($0)") },
                reject: { _, sentence, _ in continuation.resume(returning: sentence) })
        }
        print(text)
    }
}
