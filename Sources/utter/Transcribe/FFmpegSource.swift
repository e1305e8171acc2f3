import Audio
import Foundation

/// Sound in any format that ffmpeg knows, as ffmpeg decodes it.
struct FFmpegSource: FrameSource {
    private let path: String
    private let child: ChildProcess
    private let errorOutput: FileHandle
    private var reader: WAVReader
    private var isAtEnd = false
    private(set) var complaints: [String] = []

    var sampleRate: Int { reader.sampleRate }
    var channelCount: Int { reader.channelCount }
    var declaredFrameCount: Int64? { nil }

    /// - Throws: `CommandError` when ffmpeg is not installed or can't read the file.
    init(path: String, interruption: Interruption) throws {
        guard let scratch = tmpfile() else { throw Audio.FileError(.create, path: "a temporary file", errno: errno) }
        let errorOutput = FileHandle(fileDescriptor: dup(fileno(scratch)), closeOnDealloc: true)
        fclose(scratch)
        let child = try Self.start(path, errorOutput)
        let pipe = FileByteSource(descriptor: child.output, owned: true, name: "ffmpeg's output")
        guard let reader = try? WAVReader(source: interruption.ending(pipe, reading: child.output)) else {
            // Without a header ffmpeg has failed, and has said why better than the parser could.
            _ = child.wait()
            throw CommandError("it is not audio that ffmpeg can read\(Self.lastLine(errorOutput, path))", .dataError)
        }
        self.path = path
        self.errorOutput = errorOutput
        self.child = child
        self.reader = reader
    }

    private static func start(_ path: String, _ errorOutput: FileHandle) throws -> ChildProcess {
        // A playlist in disguise must not reach for the network, nor a name be taken for an option or an address.
        let arguments =
            ["-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-i", "file:" + path]
            + ["-map", "0:a:0", "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"]
        do {
            return try ChildProcess("ffmpeg", arguments, errorOutput: errorOutput.fileDescriptor)
        } catch {
            guard error.code == ENOENT else { throw error }
            throw CommandError(
                "it is not WAV, and ffmpeg, which would convert it, is not installed (apt install ffmpeg)", .unavailable)
        }
    }

    mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let count = try reader.read(into: buffer)
        if count == 0 && !isAtEnd {
            isAtEnd = true
            if child.wait() != .exited(0) {
                complaints.append("ffmpeg stopped before the end\(Self.lastLine(errorOutput, path))")
            }
        }
        return count
    }

    private static func lastLine(_ file: FileHandle, _ path: String) -> String {
        try? file.seek(toOffset: 0)
        let text = String(decoding: file.availableData, as: UTF8.self)
        let line = text.split(separator: "\n").last.map(String.init) ?? ""
        let reason = line.replacingOccurrences(of: "file:" + path + ": ", with: "")
        return reason.isEmpty ? "" : ": " + reason
    }
}
