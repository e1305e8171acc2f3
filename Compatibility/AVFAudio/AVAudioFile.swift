import Audio
import Foundation
import Speech

/// A WAV file that is read. Other formats can be converted first: `ffmpeg -i talk.m4a talk.wav`.
///
/// One task at a time reads it.
public final class AVAudioFile: @unchecked Sendable {
    /// The place of the file.
    public let url: URL
    /// The format of the frames in the file.
    public let fileFormat: AVAudioFormat
    /// The format of the frames that are read: single precision, each channel by itself.
    public let processingFormat: AVAudioFormat
    /// The number of frames that the file declares; 0 if it declares none.
    public let length: AVAudioFramePosition
    /// The next frame that is read.
    public private(set) var framePosition: AVAudioFramePosition = 0
    private var reader: WAVReader

    /// Opens a file.
    ///
    /// - Throws: an error with a sentence if the file can't be opened, or is no WAV.
    public init(forReading url: URL) throws {
        self.url = url
        reader = try WAVReader(source: FileByteSource(path: url.path))
        guard
            let format = AVAudioFormat(
                standardFormatWithSampleRate: Double(reader.sampleRate),
                channels: AVAudioChannelCount(reader.channelCount))
        else { throw SpeechError(.audioReadFailed, "the format of \(url.path) is not supported") }
        processingFormat = format
        fileFormat = format
        length = reader.declaredFrameCount ?? 0
    }

    /// Reads frames from the present position, as many as the buffer holds; none at the end.
    public func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

    /// Reads frames from the present position; none at the end.
    ///
    /// - Parameters:
    ///   - buffer: gets the frames.
    ///   - frameCount: the most frames to read.
    public func read(into buffer: AVAudioPCMBuffer, frameCount: AVAudioFrameCount) throws {
        let channelCount = Int(processingFormat.channelCount)
        let limit = Int(min(frameCount, buffer.frameCapacity))
        var done = 0
        while done < limit {
            let frames = try [Float](unsafeUninitializedCapacity: (limit - done) * channelCount) { space, count in
                space.initialize(repeating: 0)
                count = try reader.read(into: space) * channelCount
            }
            if frames.isEmpty { break }
            for (index, sample) in frames.enumerated() {
                buffer[done + index / channelCount, index % channelCount] = sample
            }
            done += frames.count / channelCount
        }
        buffer.frameLength = AVAudioFrameCount(done)
        framePosition += AVAudioFramePosition(done)
    }

    /// The file from its beginning, for an analyzer.
    var audioFile: AudioFile { AudioFile(url: url) }
}
