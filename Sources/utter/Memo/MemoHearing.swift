/// What a memo hears with: a microphone, and a recognizer of its sound. One that could not be kept, and is open again, hears with another.
struct MemoHearing: Sendable {
    let microphone: Microphone
    let speech: MemoSpeech
    let task: Task<Void, Never>
}
