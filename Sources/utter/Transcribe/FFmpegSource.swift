import Audio
import Glibc

/// Sound in any format that ffmpeg knows, as ffmpeg decodes it.
///
/// ffmpeg gets the one file as its standard input and opens it anew by the name of that descriptor: it can go back and forth in it, as an
/// MP4 file with its index at the end needs, but what a file says about other files leads nowhere.
struct FFmpegSource: FrameSource {
    private let output: FFmpegOutput
    private let interruption: Interruption
    private var reader: WAVReader
    private var isAtEnd = false
    let complaints: [String] = []

    var sampleRate: Int { reader.sampleRate }
    var channelCount: Int { reader.channelCount }
    var declaredFrameCount: Int64? { nil }

    private static let input = "file:/dev/fd/0"

    /// - Parameters:
    ///   - descriptor: the file, a regular one. It may be closed afterwards.
    ///   - path: only its ending counts, where a format has no other mark.
    /// - Throws: `CommandError` when ffmpeg is not installed or can't read the file.
    init(descriptor: Int32, path: String, interruption: Interruption) throws {
        let output = try Self.start(descriptor, path, interruption)
        do {
            reader = try WAVReader(source: output)
        } catch let error as WAVError where error.code == .truncatedHeader && !interruption.hasEndedInput {
            // ffmpeg has ended without a header, and has said why better than the parser could.
            throw Self.refusal(output.finish(), output.messages)
        } catch {
            output.kill()
            throw error
        }
        self.interruption = interruption
        self.output = output
    }

    private static func start(_ descriptor: Int32, _ path: String, _ interruption: Interruption) throws -> FFmpegOutput {
        let arguments =
            ["-nostdin", "-v", "error", "-protocol_whitelist", "file"] + SoundFormats.arguments(forName: path) + ["-i", input]
            + ["-map", "0:a:0", "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"]
        do throws(FileError) {
            return try FFmpegOutput(arguments, input: descriptor, interruption: interruption)
        } catch {
            guard error.errno == ENOENT else { throw error }
            throw CommandError(
                "it is not WAV, and ffmpeg, which would convert it, is not installed (apt install ffmpeg)", .unavailable)
        }
    }

    mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let count = try reader.read(into: buffer)
        if count > 0 || isAtEnd { return count }
        isAtEnd = true
        // Interrupted, we have stopped reading before it has stopped writing.
        if interruption.hasEndedInput {
            output.kill()
        } else if let failure = Self.failure(output.finish(), output.messages) {
            throw failure
        }
        return 0
    }

    /// What was wrong with a conversion that gave sound; nil when that is all there is.
    private static func failure(_ end: FFmpegOutput.End, _ messages: [Substring]) -> CommandError? {
        switch end {
        case .interrupted: nil
        case .ended(.exited(0)):
            messages.last(where: saysThatSoundIsMissing).map {
                CommandError("it is damaged or was cut off, and what follows is missing: \(reason($0))", .dataError)
            }
        case .ended(.exited):
            CommandError("ffmpeg stopped before the end" + because(messages), .dataError)
        case .ended(.killed(let signal)):
            CommandError(
                "ffmpeg was killed before the end (by signal \(signal)); try again, the system may have been out of memory", .ioError)
        case .late:
            CommandError("ffmpeg did not end after its output had ended; what it gave may not be all", .ioError)
        }
    }

    /// ffmpeg goes on past what it can't decode and ends well; but these say that it could not read on to the end: the first of the file
    /// itself, the others of two containers.
    private static func saysThatSoundIsMissing(_ line: Substring) -> Bool {
        line.hasPrefix(input + ": ") || line.hasSuffix("partial file") || line.hasSuffix("File ended prematurely")
    }

    /// Why ffmpeg has made nothing of a file.
    private static func refusal(_ end: FFmpegOutput.End, _ messages: [Substring]) -> CommandError {
        if case .ended(.killed) = end, let failure = failure(end, messages) { return failure }
        if messages.contains(where: { $0.contains("matches no streams") || $0.contains("Format not on whitelist") }) {
            return CommandError("there is no sound in it that ffmpeg can find", .dataError)
        }
        return CommandError("it is not audio that ffmpeg can read" + because(messages), .dataError)
    }

    private static func because(_ messages: [Substring]) -> String { messages.last.map { ": " + reason($0) } ?? "" }

    private static func reason(_ line: Substring) -> String {
        line.hasPrefix(input + ": ") ? String(line.dropFirst(input.count + 2)) : String(line)
    }
}
