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
        var beginning = PrefixedByteSource(source)
        let first = try beginning.peek(12)
        if WAVReader.looksLikeWAV(first) { return try WAVReader(source: beginning) }
        if first.isEmpty { throw CommandError("it is empty", .dataError) }
        if path == "-" {
            throw CommandError(
                "it is not WAV; for samples without a header add --raw --rate HZ, for anything else put ffmpeg -i FILE -f wav - before the pipe",
                .dataError)
        }
        return try FFmpegSource(path: path, interruption: interruption)
    }

    private func openedDescriptor() throws -> Int32 {
        while true {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw Audio.FileError(.open, path: path, errno: errno) }
        }
    }
}

/// A source whose first bytes can be looked at before they are read.
struct PrefixedByteSource: ByteSource {
    private var prefix: [UInt8] = []
    private var rest: any ByteSource

    init(_ source: any ByteSource) { rest = source }

    /// The first `count` bytes, or fewer when there are no more.
    mutating func peek(_ count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while prefix.count < count {
            let room = count - prefix.count
            let read = try buffer.withUnsafeMutableBytes { bytes in
                try rest.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<room]))
            }
            if read == 0 { break }
            prefix += buffer[..<read]
        }
        return prefix
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if prefix.isEmpty { return try rest.read(into: buffer) }
        let count = min(prefix.count, buffer.count)
        buffer.copyBytes(from: prefix[..<count])
        prefix.removeFirst(count)
        return count
    }
}
