import Glibc

/// The one file of a model of the second pass, in GGUF format.
struct ModelFile: Hashable, Sendable {
    /// In the folder of an installed model.
    static let name = "model.gguf"
    /// What such a file begins with: GGUF.
    static let start: [UInt8] = [0x47, 0x47, 0x55, 0x46]

    let path: String

    /// What keeps the file from being a model, as a sentence; nil when it begins like one.
    var problem: SpeechError? {
        guard Self.isFile(path) else {
            return SpeechError(
                .modelIncomplete, "the model \(FolderTools.parent(of: path)) lacks \(Self.name); remove it and install it again")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            return SpeechError(.modelIncomplete, "can't read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.start.count)
        if read(descriptor, &bytes, bytes.count) == bytes.count, bytes == Self.start { return nil }
        return SpeechError(.modelIncomplete, "\(path) is no GGUF file; it may be damaged")
    }

    /// stat(2)
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

extension SpeechError {
    /// Of a model that was named where one for the other pass belongs.
    ///
    /// - Parameters:
    ///   - pass: what it is for.
    ///   - reference: its name or its path.
    static func otherPass(_ pass: RecognitionPass, _ reference: String) -> SpeechError {
        switch pass {
        case .first:
            SpeechError(
                .noModel, "\(reference) is a model of the first pass, which hears while one speaks; to use it: --model \(reference)")
        case .second:
            SpeechError(
                .noModel,
                "\(reference) is a model of the second pass, which hears again what a first has heard; to use it: --second-pass \(reference)"
            )
        }
    }
}
