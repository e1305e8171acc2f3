import Glibc
import System

/// The file of a model for the second pass, in GGUF format.
package struct ModelFile: Hashable, Sendable {
    /// The name of the file in the folder of an installed model.
    package static let name = "model.gguf"
    /// The first bytes of every such file: GGUF.
    package static let start: [UInt8] = [0x47, 0x47, 0x55, 0x46]

    package let path: String

    /// The error that keeps the file from being a model; nil if it begins like one.
    package var problem: SpeechError? {
        guard Self.isFile(path) else {
            return SpeechError(
                .modelIncomplete,
                "the model \(FolderTools.parent(of: path)) lacks \(Self.name); remove it and install it again")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            return SpeechError(.modelIncomplete, "can't read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.start.count)
        if read(descriptor, &bytes, bytes.count) == bytes.count, bytes == Self.start { return nil }
        return SpeechError(.modelIncomplete, "\(path) is not a GGUF file; it may be damaged")
    }

    /// What the file itself says of the model; nil if it names no language.
    var traits: SecondPassTraits? {
        guard let file = try? ArchiveFile(path: path),
            let (architecture, codes) = ModelFileTable.languages(size: file.size, read: file.read)
        else { return nil }
        let languages = codes.compactMap { SpokenLanguage($0)?.language }.unique
        return languages.isEmpty ? nil : SecondPassTraits(family: architecture, languages: languages)
    }

    /// Checks that the file is as long as its table of contents says.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` if it is cut off or damaged.
    func checkLength() throws(SpeechError) {
        if let problem { throw problem }
        do {
            _ = try ArchiveFile(path: path).table()
        } catch let failure as ModelFileTable.Failure {
            throw SpeechError(.modelIncomplete, "\(path) \(failure.reason); remove the model and install it again")
        } catch let error as FileError {
            throw SpeechError(.modelIncomplete, error.description)
        } catch {
            throw SpeechError(.modelIncomplete, "can't read \(path): \(error.systemErrorNumber.systemErrorText)")
        }
    }

    /// Whether there is a regular file at `path`. stat(2)
    package static func isFile(_ path: String) -> Bool { stat(path)?.isFile ?? false }
}

extension SpeechError {
    /// Returns the error for a model that was named where one for the other pass is required.
    ///
    /// - Parameters:
    ///   - pass: the pass that the model is for.
    ///   - reference: the name or path of the model.
    package static func otherPass(_ pass: RecognitionPass, _ reference: String) -> SpeechError {
        switch pass {
        case .first:
            SpeechError(
                .noModel,
                "\(reference) is a model of the first pass, which gives text while you speak; to use it: --model \(reference)"
            )
        case .second:
            SpeechError(
                .noModel,
                "\(reference) is a model of the second pass, which decodes again what the first pass has heard; to use it: --second-pass \(reference)"
            )
        }
    }
}
