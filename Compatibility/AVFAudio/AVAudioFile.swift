import Audio
import Foundation
import Glibc
import Speech
import System

/// The rate of a file in frames per second, among the settings of a format.
public let AVSampleRateKey = "AVSampleRateKey"
/// The number of channels of a file, among the settings of a format.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"

/// A WAV file that is read, or written. Other formats can be converted first: `ffmpeg -i talk.m4a talk.wav`.
///
/// One task at a time uses it.
public final class AVAudioFile: @unchecked Sendable {
    /// The place of the file.
    public let url: URL
    /// The format of the frames in the file.
    public let fileFormat: AVAudioFormat
    /// The format of the frames that are read or written: single precision, each channel by itself.
    public let processingFormat: AVAudioFormat
    private var position: AVAudioFramePosition = 0
    private var reader: WAVReader?
    private var writer: WAVWriter?
    /// The number of frames that were written before the file was closed.
    private var writtenCount: AVAudioFramePosition = 0

    /// Opens a file for reading.
    ///
    /// - Throws: an error with a sentence if the file can't be opened, or is no WAV.
    public init(forReading url: URL) throws {
        self.url = url
        let reader = try Self.reader(of: url)
        processingFormat = try Self.format(Double(reader.sampleRate), reader.channelCount, url)
        fileFormat = processingFormat
        self.reader = reader
        writer = nil
    }

    /// Creates a file for writing, in place of a file, or a link to one, that is there: WAV of 16 bits, with the rate and the number of
    /// channels of the settings. It can be read at any time, even if the program ends in the middle.
    ///
    /// - Parameters:
    ///   - url: the place of the file.
    ///   - settings: the `settings` of a format.
    /// - Throws: an error with a sentence if there is no such format, if a folder or a device is at the place, which stays as it is, or
    ///   if the file can't be created.
    public init(forWriting url: URL, settings: [String: Any]) throws {
        self.url = url
        let rate = (settings[AVSampleRateKey] as? NSNumber)?.doubleValue ?? 0
        let channelCount = (settings[AVNumberOfChannelsKey] as? NSNumber)?.intValue ?? 0
        processingFormat = try Self.format(rate, channelCount, url)
        fileFormat = processingFormat
        if let there = stat(url.path) {
            guard there.isFile else {
                throw StorageError(
                    .inTheWay, path: url.path,
                    "can't create \(url.path): a folder or a device is there; choose another place")
            }
            if unlink(url.path) != 0 { throw FileError(.replace, path: url.path, errno: errno) }
        }
        writer = try WAVWriter(path: url.path, sampleRate: Int(rate), channelCount: channelCount)
    }

    private static func reader(of url: URL) throws -> WAVReader {
        do { return try WAVReader(source: FileByteSource(path: url.path)) } catch var error as WAVError {
            // A reader of bytes does not know where they come from.
            error.reason = "\(url.path): \(error.reason)"
            throw error
        }
    }

    private static func format(_ rate: Double, _ channelCount: Int, _ url: URL) throws -> AVAudioFormat {
        guard
            (1000...768_000).contains(rate), (1...64).contains(channelCount),
            let format = AVAudioFormat(
                standardFormatWithSampleRate: rate, channels: AVAudioChannelCount(channelCount))
        else { throw SpeechError(.audioReadFailed, "the format of \(url.path) is not supported") }
        return format
    }

    deinit { close() }

    /// Completes a file that was written. A file that is released is completed as well.
    ///
    /// It throws nothing, as with Apple. What `write(from:)` has taken is in the file before, and is read from there even if the disk
    /// refuses the last flush.
    public func close() {
        try? writer?.finish()
        writtenCount = writer?.frameCount ?? writtenCount
        writer = nil
    }

    /// The number of frames that the file declares, or that were written; 0 if it declares none.
    public var length: AVAudioFramePosition {
        if let reader { return reader.declaredFrameCount ?? 0 }
        return writer?.frameCount ?? writtenCount
    }

    /// The next frame that is read or written. A file is read again from its beginning when this is set; beyond its end there is nothing.
    public var framePosition: AVAudioFramePosition {
        get { reader == nil ? length : position }
        set {
            guard reader != nil, newValue != position else { return }
            let format = (Int(processingFormat.sampleRate), Int(processingFormat.channelCount))
            let again = try? Self.reader(of: url)
            // Another file may have come to its place.
            reader = again.flatMap { ($0.sampleRate, $0.channelCount) == format ? $0 : nil }
            position = 0
            while position < newValue, let frames = try? readFrames(Int(min(newValue - position, 65_536))),
                !frames.isEmpty
            {}
        }
    }

    /// Reads frames from the present position, as many as the buffer holds; none at the end.
    ///
    /// - Throws: an error with a sentence if the buffer has another rate or number of channels, or the file can't be read.
    public func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

    /// Reads frames from the present position; none at the end.
    ///
    /// - Parameters:
    ///   - buffer: gets the frames.
    ///   - frameCount: the most frames to read.
    /// - Throws: an error with a sentence if the buffer has another rate or number of channels, or the file can't be read.
    public func read(into buffer: AVAudioPCMBuffer, frameCount: AVAudioFrameCount) throws {
        try expect(buffer)
        let channelCount = Int(processingFormat.channelCount)
        let limit = Int(min(frameCount, buffer.frameCapacity))
        var done = 0
        while done < limit {
            let frames = try readFrames(limit - done)
            if frames.isEmpty { break }
            for (index, sample) in frames.enumerated() {
                buffer[done + index / channelCount, index % channelCount] = sample
            }
            done += frames.count / channelCount
        }
        buffer.frameLength = AVAudioFrameCount(done)
    }

    /// Reads frames, interleaved, as many as come at a time.
    private func readFrames(_ limit: Int) throws -> [Float] {
        let channelCount = Int(processingFormat.channelCount)
        let frames = try [Float](unsafeUninitializedCapacity: limit * channelCount) { space, count in
            space.initialize(repeating: 0)
            count = try (reader?.read(into: space) ?? 0) * channelCount
        }
        position += AVAudioFramePosition(frames.count / channelCount)
        return frames
    }

    /// Writes the frames of a buffer.
    ///
    /// - Throws: an error with a sentence if the buffer has another rate or number of channels, or the file can't be written, or is not
    ///   one for writing.
    public func write(from buffer: AVAudioPCMBuffer) throws {
        guard let writer else { throw SpeechError(.audioReadFailed, "\(url.path) is not open for writing") }
        try expect(buffer)
        try writer.append(buffer.interleaved.map(AVAudioPCMBuffer.integer))
    }

    /// Throws if a buffer has another rate or number of channels than the file. The type of its samples is converted.
    private func expect(_ buffer: AVAudioPCMBuffer) throws {
        let (format, other) = (processingFormat, buffer.format)
        guard format.channelCount == other.channelCount, format.sampleRate == other.sampleRate else {
            throw SpeechError(.audioReadFailed, "\(url.path) has the format \(format), and the buffer \(other)")
        }
    }

    /// The file from its beginning, for an analyzer.
    var audioFile: AudioFile { AudioFile(url: url) }
}
