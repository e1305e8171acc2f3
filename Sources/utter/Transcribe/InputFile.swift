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

    /// Opens the input.
    ///
    /// - Throws: `CommandError`, `FileError` or `WAVError` when the input can't be read as sound.
    func open() throws -> any FrameSource {
        let descriptor = path == "-" ? STDIN_FILENO : try openedDescriptor()
        let file = FileByteSource(descriptor: descriptor, owned: path != "-", name: name)
        var status = stat()
        // A folder in which there are recordings has been replaced by them.
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw CommandError("there is no recording in it", .noInput)
        }
        let source = interruption.ending(file, reading: descriptor)
        if let raw {
            return RawReader(source: source, sampleRate: raw.sampleRate, channelCount: raw.channelCount)
        }
        let first = try Self.beginning(of: source)
        if WAVReader.looksLikeWAV(first) { return try WAVReader(source: PrefixedByteSource(first, followedBy: source)) }
        if first.isEmpty { throw CommandError("it is empty", .dataError) }
        // Too short for sound; the parser's error says whether it began as WAV.
        if first.count < 12 { return try WAVReader(source: ArrayByteSource(first)) }
        // ffmpeg would try for ever to open the files in the list.
        if first.starts(with: "#EXTM3U".utf8) {
            throw CommandError("it is a playlist, not a recording; give the recordings that it lists", .dataError)
        }
        if path == "-" || !isRegular(descriptor) {
            throw CommandError(
                "it is not WAV; for samples without a header add --raw --rate HZ, for anything else put ffmpeg -i FILE -f wav - before the pipe",
                .dataError)
        }
        // The descriptor is closed with `file`.
        return try withExtendedLifetime(file) {
            try FFmpegSource(descriptor: descriptor, path: path, interruption: interruption)
        }
    }

    /// All bytes of the input, which is no recording.
    ///
    /// - Throws: `FileError` or `CommandError` when it can't be read.
    func readAll() throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : try openedDescriptor()
        var source = interruption.ending(
            FileByteSource(descriptor: descriptor, owned: path != "-", name: name), reading: descriptor)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try piece.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    /// Whether the input is a regular file, which is complete. With a pipe or a terminal, somebody may be waiting for each sentence.
    var isRegularFile: Bool {
        if path == "-" { return isRegular(STDIN_FILENO) }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Opens the path without waiting for a writer, if it is a pipe: reading waits instead, until a signal. open(2)
    private func openedDescriptor() throws -> Int32 {
        while true {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if descriptor >= 0 { return descriptor }
            if errno == ENOENT, path.wholeMatch(of: /(?i)[a-z][a-z0-9+.-]*:\/\/.*/) != nil {
                throw CommandError(
                    "it is an address, and utter reads files only; fetch it first: curl -O \(ShellWord.quoted(path))",
                    .noInput)
            }
            if errno != EINTR { throw FileError(.open, path: path, errno: errno) }
        }
    }

    /// The first 12 bytes, by which a format is recognized; fewer when there are no more.
    private static func beginning(of source: Interruption.InterruptibleSource) throws -> [UInt8] {
        var source = source
        var bytes: [UInt8] = []
        while bytes.count < 12 {
            let missing = 12 - bytes.count
            let more = try [UInt8](unsafeUninitializedCapacity: missing) { buffer, count in
                count = try source.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<missing]))
            }
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}
