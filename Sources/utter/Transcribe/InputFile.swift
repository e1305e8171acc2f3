import Audio
import Glibc

/// An input of `utter transcribe`: a file or standard input, opened as a source of frames whatever it is.
struct InputFile: Sendable {
    /// As the user gave it; `-` is standard input.
    var path: String
    var raw: TranscribeOptions.Raw?
    var interruption: Interruption

    /// What the outputs call it.
    var name: String { path == "-" ? "stdin" : path }

    /// - Throws: what is wrong with the file, as `CommandError`, `FileError` or `WAVError`.
    func open() throws -> any FrameSource {
        let descriptor = path == "-" ? STDIN_FILENO : try openedDescriptor()
        let file = FileByteSource(descriptor: descriptor, owned: path != "-", name: name)
        let source = interruption.ending(file, reading: descriptor)
        if let raw {
            return RawReader(source: source, sampleRate: raw.sampleRate, channelCount: raw.channelCount)
        }
        let first = try Self.beginning(of: source)
        if WAVReader.looksLikeWAV(first) { return try WAVReader(source: PrefixedByteSource(first, followedBy: source)) }
        if first.isEmpty { throw CommandError("it is empty", .dataError) }
        // Too short for anything; the parser knows whether it began as WAV.
        if first.count < 12 { return try WAVReader(source: ArrayByteSource(first)) }
        // ffmpeg would try for ever to reach what it lists.
        if first.starts(with: "#EXTM3U".utf8) {
            throw CommandError("it is a playlist, not a recording; give the recordings that it lists", .dataError)
        }
        if path == "-" || !isRegular(descriptor) {
            throw CommandError(
                "it is not WAV; for samples without a header add --raw --rate HZ, for anything else put ffmpeg -i FILE -f wav - before the pipe",
                .dataError)
        }
        // Its descriptor is closed with the file.
        return try withExtendedLifetime(file) {
            try FFmpegSource(descriptor: descriptor, path: path, interruption: interruption)
        }
    }

    /// Whether all of it is there already: of a pipe or a terminal somebody may be waiting for the next sentence.
    var isRegularFile: Bool {
        if path == "-" { return isRegular(STDIN_FILENO) }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// A pipe that nobody has opened for writing is open at once, and is then waited for where a signal ends the waiting.
    private func openedDescriptor() throws -> Int32 {
        while true {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw FileError(.open, path: path, errno: errno) }
        }
    }

    /// The first 12 bytes, which tell what a file is; fewer when there are no more.
    private static func beginning(of source: Interruption.InterruptibleSource) throws -> [UInt8] {
        var source = source
        var bytes: [UInt8] = []
        while bytes.count < 12 {
            let missing = 12 - bytes.count
            let more = try [UInt8](unsafeUninitializedCapacity: missing) { buffer, count in
                count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<missing]))
            }
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}
