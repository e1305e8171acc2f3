import Audio
import Foundation
import Speech

/// Whether there is input for a converter.
public enum AVAudioConverterInputStatus: Int, Sendable {
    /// There is some.
    case haveData
    /// There is none for now.
    case noDataNow
    /// There is no more.
    case endOfStream
}

/// What a conversion has given.
public enum AVAudioConverterOutputStatus: Int, Sendable {
    /// A full buffer.
    case haveData
    /// What there was, which may be nothing.
    case inputRanDry
    /// The end of the stream.
    case endOfStream
    /// An error.
    case error
}

/// How the beginning of a stream is treated.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
    /// As if other sound stood before it.
    case pre
    /// As if silence stood after it.
    case normal
    /// As it is.
    case none
}

/// Returns input for a converter.
public typealias AVAudioConverterInputBlock = (
    _ packetCount: AVAudioPacketCount, _ status: UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// Converts sound in memory from one format to another: sample rates with libsamplerate, many channels to one by their average.
/// It keeps its state from one buffer of a stream to the next.
public final class AVAudioConverter {
    /// The format that is converted.
    public let inputFormat: AVAudioFormat
    /// The format that comes out.
    public let outputFormat: AVAudioFormat
    /// How the beginning of a stream is treated. Ignored: nothing is added to a stream, and nothing is left out.
    public var primeMethod = AVAudioConverterPrimeMethod.none
    /// The converter of each output channel.
    private let channels: [ChannelConverter]

    /// Creates a converter; nil if there is none such.
    public init?(from inputFormat: AVAudioFormat, to outputFormat: AVAudioFormat) {
        (self.inputFormat, self.outputFormat) = (inputFormat, outputFormat)
        guard let channels = try? Self.channels(inputFormat, outputFormat) else { return nil }
        self.channels = channels
    }

    private static func channels(_ input: AVAudioFormat, _ output: AVAudioFormat) throws -> [ChannelConverter] {
        try (0..<Int(output.channelCount)).map { channel in
            let selection: ChannelSelection =
                output.channelCount == 1 ? .mix : .channel(channel % Int(input.channelCount))
            return try ChannelConverter(
                from: Int(input.sampleRate), channelCount: Int(input.channelCount), channels: selection,
                to: Int(output.sampleRate))
        }
    }

    /// Converts a whole buffer.
    ///
    /// - Parameters:
    ///   - output: gets the frames that come of it, as many as it holds; more come with the next.
    ///   - input: the frames.
    /// - Throws: an error with a sentence if a buffer has not the converter's format; SampleRateError if libsamplerate fails.
    public func convert(to output: AVAudioPCMBuffer, from input: AVAudioPCMBuffer) throws {
        try expect(output, "output", outputFormat)
        try append(input)
        fill(output)
    }

    /// Converts what a block of code gives, until the output is full or the block has no more.
    ///
    /// - Parameters:
    ///   - output: gets the frames.
    ///   - error: gets an error, such as one with a sentence if a buffer has not the converter's format.
    ///   - input: returns input.
    /// - Returns: what there is in the output.
    @discardableResult
    public func convert(
        to output: AVAudioBuffer, error: UnsafeMutablePointer<NSError?>?,
        withInputFrom input: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus {
        guard let output = output as? AVAudioPCMBuffer else { return .error }
        do {
            try expect(output, "output", outputFormat)
            let hasEnded = try read(AVAudioFrameCount(output.frameCapacity), input)
            fill(output)
            if output.frameLength == output.frameCapacity, output.frameCapacity > 0 { return .haveData }
            if hasEnded { return .endOfStream }
            return .inputRanDry
        } catch let failure {
            error?.pointee = failure as NSError
            return .error
        }
    }

    /// Reads until there are so many frames.
    ///
    /// - Returns: whether the input has ended.
    private func read(_ count: AVAudioFrameCount, _ input: AVAudioConverterInputBlock) throws -> Bool {
        while (channels.first?.waiting.count ?? 0) < Int(count) {
            var status = AVAudioConverterInputStatus.haveData
            let buffer = input(count, &status) as? AVAudioPCMBuffer
            if status == .endOfStream {
                for channel in channels { try channel.finish() }
                return true
            }
            guard status == .haveData, let buffer, buffer.frameLength > 0 else { return false }
            try append(buffer)
        }
        return false
    }

    /// Throws if a buffer has not one of the converter's formats.
    private func expect(_ buffer: AVAudioPCMBuffer, _ role: String, _ format: AVAudioFormat) throws {
        guard buffer.format == format else {
            throw SpeechError(
                .audioReadFailed, "the converter's \(role) has the format \(format), and the buffer \(buffer.format)")
        }
    }

    private func append(_ buffer: AVAudioPCMBuffer) throws {
        try expect(buffer, "input", inputFormat)
        let frames = buffer.interleaved
        for channel in channels { try channel.convert(frames) }
    }

    private func fill(_ output: AVAudioPCMBuffer) {
        let count = min(Int(output.frameCapacity), channels.first?.waiting.count ?? 0)
        output.frameLength = AVAudioFrameCount(count)
        for (index, channel) in channels.enumerated() {
            for (frame, sample) in channel.waiting.prefix(count).enumerated() {
                output[frame, index] = Float(sample) / 32_768
            }
            channel.waiting.removeFirst(count)
        }
    }

    /// Forgets what it holds of a stream.
    public func reset() {
        for channel in channels {
            try? channel.finish()
            channel.waiting = []
        }
    }
}

/// The conversion of one output channel.
private final class ChannelConverter {
    private var converter: SampleRateConverter
    /// The samples that no buffer has taken yet.
    var waiting: [Int16] = []

    init(from inputRate: Int, channelCount: Int, channels: ChannelSelection, to outputRate: Int) throws {
        converter = try SampleRateConverter(
            from: inputRate, channelCount: channelCount, channels: channels, to: outputRate)
    }

    func convert(_ frames: [Float]) throws { try converter.convert(frames, appendingTo: &waiting) }
    func finish() throws { try converter.finish(appendingTo: &waiting) }
}
