import Audio
import Glibc
import System

/// A source of sound in any format that ffmpeg decodes.
///
/// ffmpeg gets the file as its standard input and opens it again by the name of that descriptor. So it can seek, as an MP4 file with
/// its index at the end requires, but a file that refers to other files gets nothing from them. What comes from a pipe is passed on to it.
struct FFmpegSource: FrameSource {
    enum Input {
        /// The descriptor of a regular file, which may be closed afterwards.
        case file(Int32)
        /// Bytes that come from a pipe.
        case stream(any ByteSource)
    }

    private let output: FFmpegOutput
    private let interruption: Interruption
    private let relay: PipeRelay?
    /// What the header of a file says of its length, where that is not true.
    private let defect: String?
    private var reader: WAVReader
    /// The frames of silence that still stand before the first sound.
    private var silentFrameCount = 0
    private var isAtEnd = false
    var complaints: [String] {
        let count = output.messages.trackCount
        if count < 2 { return [] }
        return [
            "it has \(count) sound tracks, of which the first was heard; this makes a recording of the second: "
                + "ffmpeg -i FILE -map 0:a:1 second.wav"
        ]
    }

    var sampleRate: Int { reader.sampleRate }
    var channelCount: Int { reader.channelCount }
    var declaredFrameCount: Int64? { nil }

    /// Starts ffmpeg, and waits for the header of its output.
    ///
    /// - Parameter path: the file's path; its extension selects a format that has no header.
    /// - Throws: `CommandError` when ffmpeg is not installed or can't read the file.
    init(_ input: sending Input, path: String, interruption: Interruption) throws {
        let output: FFmpegOutput
        switch input {
        case .file(let descriptor):
            output = try Self.start(.descriptor(descriptor), path, interruption)
            relay = nil
            defect = DeclaredLength.defect(of: descriptor)
        case .stream(let source):
            output = try Self.start(.pipe, path, interruption)
            relay = PipeRelay(source, to: output.input)
            defect = nil
        }
        do {
            reader = try WAVReader(source: output)
        } catch let error as WAVError where error.code == .truncatedHeader && !interruption.hasEndedInput {
            // ffmpeg ended without a header, and its message is better than the parser's.
            throw relay?.error ?? Self.refusal(output.finish(), output.messages, isPiped: relay != nil)
        } catch {
            output.kill()
            throw error
        }
        self.interruption = interruption
        self.output = output
        // ffmpeg tells the time before it writes anything.
        silentFrameCount = Int(((output.messages.start ?? 0) * Double(reader.sampleRate)).rounded())
    }

    private static func start(
        _ input: ChildProcess.Attachment, _ path: String, _ interruption: Interruption
    ) throws -> FFmpegOutput {
        let before = [
            "-nostdin", "-hide_banner", "-nostats", "-v", "level+info", "-err_detect", "crccheck",
            "-protocol_whitelist", "file",
        ]
        let after = [
            "-i", FFmpegMessages.input, "-map", "0:a:0", "-af", timeline, "-c:a", "pcm_s16le", "-f", "wav", "pipe:1",
        ]
        let arguments = before + SoundFormats.arguments(forName: path) + after
        do throws(FileError) {
            return try FFmpegOutput(arguments, input: input, interruption: interruption)
        } catch {
            guard error.errno == ENOENT else { throw error }
            throw CommandError(
                "ffmpeg, which would convert it, is not installed (apt install ffmpeg)", .unavailable
            )
        }
    }

    /// The filter that keeps the times of the sound: silence stands where a part of up to 5 minutes is missing. ffmpeg has it in memory at
    /// once. Sound that says it is earlier than it can be follows the sound before it; nothing is left out. A gap of more than three frames is
    /// told: behind the last frame of a FLAC file one of two is usual.
    ///
    /// Where the rate or the channels change, the filter begins anew and knows nothing of what was before. So silence before the sound
    /// is not its matter: it only tells the time of its first sound, as -1 less the seconds.
    private static let timeline =
        "asetpts='if(gt(N,0)*gt(PTS-ld(0),3*ld(2)),print(PTS-ld(0),24));st(2,max(ld(2),S/(SR*TB)));"
        + "st(1,if(gt(PTS-ld(0),300/TB),ld(0),max(if(isnan(PTS),0,PTS),ld(0))));"
        + "if(eq(N,0),print(-1-ld(1)*TB,24));st(0,ld(1)+S/(SR*TB));ld(1)',"
        + "aresample=min_comp=0.1:min_hard_comp=0.1"

    mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        if silentFrameCount > 0 { return addSilence(to: buffer) }
        let count = try reader.read(into: buffer)
        if count > 0 || isAtEnd { return count }
        isAtEnd = true
        // After a signal, reading stopped before ffmpeg stopped writing.
        if interruption.hasEndedInput {
            output.kill()
        } else {
            let failure = Self.failure(output.finish(), output.messages, defect: defect, isPiped: relay != nil)
            if let error = relay?.error ?? failure { throw error }
        }
        return 0
    }

    private mutating func addSilence(to buffer: UnsafeMutableBufferPointer<Float>) -> Int {
        let count = min(silentFrameCount, buffer.count / channelCount)
        buffer[..<(count * channelCount)].update(repeating: 0)
        silentFrameCount -= count
        return count
    }

    /// The error of a conversion that delivered sound; nil when the sound is complete.
    private static func failure(
        _ end: FFmpegOutput.End, _ messages: FFmpegMessages, defect: String? = nil, isPiped: Bool
    ) -> CommandError? {
        switch end {
        case .interrupted: nil
        case .ended(.exited(0)):
            (messages.loss ?? defect).map {
                CommandError(
                    "it is damaged or was cut off, and some of its sound is missing: \($0)" + advice(isPiped),
                    .dataError)
            }
        case .ended(.exited):
            CommandError("ffmpeg stopped before the end" + because(messages) + advice(isPiped), .dataError)
        case .ended(.killed(let signal)):
            CommandError(
                "ffmpeg was killed before the end (by signal \(signal)); try again, the system may have been out of memory",
                .ioError)
        case .late:
            CommandError("ffmpeg did not end after its output had ended; the sound may be incomplete", .ioError)
        }
    }

    /// The error of a conversion that delivered no sound.
    private static func refusal(
        _ end: FFmpegOutput.End, _ messages: FFmpegMessages, isPiped: Bool
    ) -> CommandError {
        if case .ended(.killed) = end, let failure = failure(end, messages, isPiped: isPiped) { return failure }
        if messages.findsNoSound { return CommandError("there is no sound in it that ffmpeg can find", .dataError) }
        return CommandError("it is not audio that ffmpeg can read" + because(messages) + advice(isPiped), .dataError)
    }

    /// What helps with a pipe, in which ffmpeg can't go back, as an MP4 file with its index at the end requires.
    private static func advice(_ isPiped: Bool) -> String {
        isPiped
            ? "; if it is whole, give it as a file, not through a pipe; samples without a header need --raw --rate HZ"
            : ""
    }

    private static func because(_ messages: FFmpegMessages) -> String { messages.lastError.map { ": " + $0 } ?? "" }
}
