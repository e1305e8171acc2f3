import Audio
import Glibc
import System

/// An input of `utter transcribe`: a file or standard input, which is opened as a source of frames.
struct InputFile: Sendable {
    /// The path as the user gave it; `-` is standard input.
    var path: String
    /// The format of samples without a header; nil for files with one.
    var raw: TranscribeOptions.Raw?
    var interruption: Interruption

    /// The input's name in the outputs.
    var name: String { path == "-" ? "stdin" : path }

    /// Opens the input. What can't be read as sound is a `CommandError`, `FileError` or `WAVError`.
    func open() throws -> any FrameSource {
        let file = try opened()
        let descriptor = file.descriptor
        let status = stat(descriptor)
        // A folder in which there are recordings has been replaced by them.
        if status?.isFolder == true { throw CommandError("there is no recording in it", .noInput) }
        // Then ffmpeg can open it again, and read it from its beginning. lseek(2)
        let isConvertible = status?.isFile == true && lseek(descriptor, 0, SEEK_CUR) == 0
        var source = interruption.ending(file)
        if let raw {
            return RawReader(source: source, sampleRate: raw.sampleRate, channelCount: raw.channelCount)
        }
        // The bytes by which a format is recognized.
        let first = try source.bytes(atMost: 12)
        if WAVReader.looksLikeWAV(first) {
            do {
                return try WAVReader(
                    source: PrefixedByteSource(first, followedBy: source), readsOn: path == "-" || !isRegularFile)
            } catch let error as WAVError where error.code == .unsupportedEncoding && isConvertible {
                return try converted(file)
            }
        }
        if first.isEmpty { throw CommandError("it is empty", .dataError) }
        // Too short for sound; the parser's error says whether it began as WAV.
        if first.count < 12 { return try WAVReader(source: ArrayByteSource(first)) }
        // ffmpeg would try for ever to open the files in the list.
        if first.starts(with: "#EXTM3U".utf8) {
            throw CommandError("it is a playlist, not a recording; give the recordings that it lists", .dataError)
        }
        if isConvertible { return try converted(file) }
        return try FFmpegSource(
            .stream(PrefixedByteSource(first, followedBy: source)), path: path, interruption: interruption)
    }

    private func converted(_ file: FileByteSource) throws -> FFmpegSource {
        // The descriptor is closed with `file`.
        try withExtendedLifetime(file) {
            try FFmpegSource(.file(file.descriptor), path: path, interruption: interruption)
        }
    }

    /// All bytes of the input, which is no recording.
    func readAll() throws -> [UInt8] {
        var source = interruption.ending(try opened())
        return try source.bytes(atMost: .max)
    }

    /// What tells a file from another, and from itself before it was written to.
    struct Version: Equatable, Sendable {
        fileprivate let device: dev_t
        fileprivate let number: ino_t
        fileprivate let size: off_t
        fileprivate let seconds: Int
        fileprivate let nanoseconds: Int
    }

    /// The version of the file that has the input's name now; nil when there is none, or the input is not a regular file. stat(2)
    var version: Version? {
        guard let status = path == "-" ? stat(STDIN_FILENO) : stat(path), status.isFile else { return nil }
        return Version(
            device: status.st_dev, number: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    /// Whether the input was changed after a file was. stat(2)
    func isNewer(than file: String) -> Bool {
        guard path != "-", let own = stat(path), let other = stat(file) else { return false }
        return (own.st_mtim.tv_sec, own.st_mtim.tv_nsec) > (other.st_mtim.tv_sec, other.st_mtim.tv_nsec)
    }

    /// Whether a WAV file goes on after the samples that its header declares, and not with another chunk: a header that was not updated,
    /// or whose size, in 32 bits, was too small for the sound; or another recording.
    var hasUndeclaredSound: Bool {
        guard let end = wav?.declaredEnd, let file = try? opened(), lseek(file.descriptor, off_t(end), SEEK_SET) >= 0
        else { return false }
        return (try? WAVReader.hasSound(in: interruption.ending(file))) ?? false
    }

    /// Whether some channel of a WAV file has a name.
    var hasChannelNames: Bool {
        wav.map { ChannelNames.ofFile($0.channelNames).contains { $0 != nil } } ?? false
    }

    /// The head of a WAV file; nil when the input is something else.
    private var wav: WAVReader? {
        guard raw == nil, path != "-", isRegularFile, let source = try? FileByteSource(path: path) else { return nil }
        return try? WAVReader(source: source)
    }

    /// Whether the input is a regular file, which is complete. With a pipe or a terminal, somebody may be waiting for each sentence.
    var isRegularFile: Bool { version != nil }

    /// Opens the input without waiting for a writer, if it is a pipe: reading waits instead, until a signal. open(2)
    private func opened() throws -> FileByteSource {
        if path == "-" { return FileByteSource(descriptor: STDIN_FILENO, owned: false, name: name) }
        while true {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if descriptor >= 0 { return FileByteSource(descriptor: descriptor, owned: true, name: name) }
            if errno == ENOENT, path.wholeMatch(of: /(?i)[a-z][a-z0-9+.-]*:\/\/.*/) != nil {
                throw CommandError(
                    "it is an address, and utter reads files only; fetch it first: curl -O \(ShellWord.quoted(path))",
                    .noInput)
            }
            if errno == ENOENT, InputList.hasOtherName(path) {
                throw CommandError(
                    "its name is not UTF-8, so utter can't open it by name; this works: utter transcribe - < FILE",
                    .noInput)
            }
            if errno != EINTR { throw FileError(.open, path: path, errno: errno) }
        }
    }
}
