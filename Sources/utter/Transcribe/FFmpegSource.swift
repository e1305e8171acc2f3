import Audio
import Foundation

/// Sound in any format that ffmpeg knows, as ffmpeg decodes it.
struct FFmpegSource: FrameSource {
    private let path: String
    private let child: ChildProcess
    private let errorOutput: FileHandle
    private let interruption: Interruption
    private var reader: WAVReader
    private var isAtEnd = false
    private(set) var complaints: [String] = []

    var sampleRate: Int { reader.sampleRate }
    var channelCount: Int { reader.channelCount }
    var declaredFrameCount: Int64? { nil }

    /// - Throws: `CommandError` when ffmpeg is not installed or can't read the file.
    init(path: String, interruption: Interruption) throws {
        guard let scratch = tmpfile() else { throw FileError(.create, path: "a temporary file", errno: errno) }
        let errorOutput = FileHandle(fileDescriptor: dup(fileno(scratch)), closeOnDealloc: true)
        fclose(scratch)
        let child = try Self.start(path, errorOutput)
        let pipe = FileByteSource(descriptor: child.output, owned: true, name: "ffmpeg's output")
        do {
            reader = try WAVReader(source: interruption.ending(pipe, reading: child.output))
        } catch let error as WAVError where error.code == .truncatedHeader && !interruption.hasEndedInput {
            // ffmpeg has ended without a header, and has said why better than the parser could.
            child.wait()
            throw CommandError(Self.reason(errorOutput, path), .dataError)
        } catch {
            // It may be about to write, and would wait for ever for somebody who reads.
            child.kill()
            throw error
        }
        self.interruption = interruption
        self.path = path
        self.errorOutput = errorOutput
        self.child = child
    }

    private static func start(_ path: String, _ errorOutput: FileHandle) throws -> ChildProcess {
        // A playlist in disguise must not reach for the network, nor a name be taken for an option or an address.
        let arguments =
            ["-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-i", "file:" + path]
            + ["-map", "0:a:0", "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"]
        do {
            return try ChildProcess("ffmpeg", arguments, errors: .descriptor(errorOutput.fileDescriptor))
        } catch {
            guard error.errno == ENOENT else { throw error }
            throw CommandError(
                "it is not WAV, and ffmpeg, which would convert it, is not installed (apt install ffmpeg)", .unavailable)
        }
    }

    mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let count = try reader.read(into: buffer)
        if count == 0 && !isAtEnd {
            isAtEnd = true
            // Interrupted, we have stopped reading before it has stopped writing.
            if interruption.hasEndedInput {
                child.kill()
            } else if child.wait() != .exited(0) {
                complaints.append("ffmpeg stopped before the end\(Self.lastLine(errorOutput, path))")
            }
        }
        return count
    }

    /// Why ffmpeg has made nothing of a file.
    private static func reason(_ file: FileHandle, _ path: String) -> String {
        let line = lastLine(file, path)
        if line.contains("matches no streams") { return "there is no sound in it that ffmpeg can find" }
        return "it is not audio that ffmpeg can read" + line
    }

    private static func lastLine(_ file: FileHandle, _ path: String) -> String {
        try? file.seek(toOffset: 0)
        let text = String(decoding: file.availableData, as: UTF8.self).replacingOccurrences(of: "file:" + path + ": ", with: "")
        // ffmpeg ends with advice about its own options, which nobody here has typed.
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("To ignore this") }
        return lines.last.map { ": " + $0 } ?? ""
    }
}
