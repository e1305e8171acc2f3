import Audio
import Glibc

/// How long a recording is, as far as it is known before it is read.
struct InputSize: Sendable {
    /// The size of the file; nil for a pipe.
    var bytes: Double?
    /// The duration, in seconds; nil when it is unknown.
    var seconds: Double?
    /// The kind of file, by its name. Files of a kind have about as many bytes a second.
    var kind = ""

    /// The bytes a second, as many files of sound have them, that count until one of the kind has been read.
    static let usualBytesASecond = 10_000.0
}

extension InputSize {
    /// Looks at a file: at its header if it is WAV. Of anything but a regular file nothing is known, and nothing is read. stat(2)
    init(of path: String) {
        self.init()
        guard path != "-", let status = stat(path), status.isFile else { return }
        (bytes, kind) = (Double(status.st_size), SoundFormats.ending(of: path) ?? "")
        guard ["wav", "wave"].contains(kind), let file = try? FileByteSource(path: path),
            let reader = try? WAVReader(source: file), let count = reader.declaredFrameCount
        else { return }
        seconds = Double(count) / Double(reader.format.sampleRate)
    }
}
