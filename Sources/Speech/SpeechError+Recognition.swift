import Models

extension SpeechError.Code {
    /// Input that starts before the end of the input before it.
    public static let audioDisordered = SpeechError.Code(rawValue: "audioDisordered")
    /// Audio could not be read from where it comes from.
    public static let audioReadFailed = SpeechError.Code(rawValue: "audioReadFailed")
    /// The analyzer, or the module, has finished; it takes nothing more.
    public static let finished = SpeechError.Code(rawValue: "finished")
    /// A module that is not of this library.
    public static let foreignModule = SpeechError.Code(rawValue: "foreignModule")
    /// A module works for one analyzer, once.
    public static let moduleInUse = SpeechError.Code(rawValue: "moduleInUse")
    /// The model is there and whole as far as one can see, and the engine refused it.
    public static let modelLoadFailed = SpeechError.Code(rawValue: "modelLoadFailed")
    /// The model's vocabulary is fixed, or holds none of the words asked for.
    public static let vocabularyNotSupported = SpeechError.Code(rawValue: "vocabularyNotSupported")
    /// The engine failed in the middle of its work.
    public static let moduleOutputFailed = SpeechError.Code(rawValue: "moduleOutputFailed")
}
