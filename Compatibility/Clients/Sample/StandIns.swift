import AVFoundation
import Foundation

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

/// Of UniformTypeIdentifiers.
enum UTType { case wav }

extension URL {
    func appendingPathExtension(for type: UTType) -> URL { appendingPathExtension("wav") }
}

/// The model of the view, without the title by a language model.
final class Story {
    var title = ""
    var text: AttributedString = ""
    var url: URL?
    var isDone = false
    func suggestedTitle() async throws -> String? { nil }
}

@main
struct Main {
    static func main() async throws {
        let story = Story()
        let binding = Binding(get: { story }, set: { _ in })
        let recorder = Recorder(transcriber: SpokenWordTranscriber(story: binding), story: binding)
        let recording = Task { try await recorder.record() }
        let seconds = Double(ProcessInfo.processInfo.environment["SECONDS_TO_LISTEN"] ?? "") ?? 12
        try await Task.sleep(for: .seconds(seconds))
        try await recorder.stopRecording()
        recording.cancel()
        // Its results are read by a task of its own.
        try await Task.sleep(for: .seconds(1))
        print(String(story.text.characters))
        let file = try AVAudioFile(forReading: story.url!)
        print("recorded: \(Double(file.length) / file.processingFormat.sampleRate) s")
        try FileManager.default.removeItem(at: story.url!)
    }
}
