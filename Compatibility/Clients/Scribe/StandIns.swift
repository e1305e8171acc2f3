import AVFoundation
import Foundation
import Synchronization

/// Of SwiftUI.
@propertyWrapper @dynamicMemberLookup
final class Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }

    var wrappedValue: Value {
        get { get() }
        set { set(newValue) }
    }

    subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
        Binding<Member>(get: { self.wrappedValue[keyPath: path] }, set: { self.wrappedValue[keyPath: path] = $0 })
    }
}

/// Of SwiftUI.
struct Color {
    static let purple = Color(red: 0.5, green: 0, blue: 0.5)
    init(red: Double, green: Double, blue: Double) {}
    func opacity(_ opacity: Double) -> Color { self }
}

extension AttributedString {
    var foregroundColor: Color? {
        get { nil }
        set {}
    }
}

/// Of `os`.
final class OSAllocatedUnfairLock<State: Sendable>: Sendable {
    private let state: Mutex<State>
    init(initialState: State) { state = Mutex(initialState) }

    func withLock<Value: Sendable>(_ body: @Sendable (inout State) throws -> Value) rethrows -> Value {
        try state.withLock { try body(&$0) }
    }
}

struct Memo { var text: AttributedString = "" }

enum TranscriptionError: Error {
    case failedToSetupRecognitionStream, invalidAudioDataType, localeNotSupported
    var descriptionString: String { "\(self)" }
}

@main
struct Main {
    @MainActor
    static func main() async throws {
        var memo = Memo()
        let transcriber = SpokenWordTranscriber(memo: Binding(get: { memo }, set: { memo = $0 }))
        try await transcriber.setUpTranscriber()
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: CommandLine.arguments[1]))
        while true {
            let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 4_096)!
            try file.read(into: buffer)
            if buffer.frameLength == 0 { break }
            try await transcriber.streamAudioToTranscriber(buffer)
        }
        try await transcriber.finishTranscribing()
        // Its results are read by a task of its own.
        try await Task.sleep(for: .seconds(1))
        print("text: \(String(memo.text.characters))")
    }
}
