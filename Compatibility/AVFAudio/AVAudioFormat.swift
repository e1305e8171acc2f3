// The names of Apple's AVFAudio for sound in memory and in files, as far as programs need them that use a `SpeechAnalyzer`.
@_exported import CoreMedia
@_exported import Foundation

/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A number of frames.
public typealias AVAudioFrameCount = UInt32
/// A position in a file, in frames.
public typealias AVAudioFramePosition = Int64
/// A number of packets, which are frames here.
public typealias AVAudioPacketCount = UInt32

/// The type of a sample.
public enum AVAudioCommonFormat: UInt, Hashable, Sendable {
    /// None of the others.
    case otherFormat
    /// IEEE 754 single precision; full scale is ±1.0.
    case pcmFormatFloat32
    /// IEEE 754 double precision; full scale is ±1.0.
    case pcmFormatFloat64
    /// 16-bit integers.
    case pcmFormatInt16
    /// 32-bit integers.
    case pcmFormatInt32
}

/// The format of sound in memory.
public final class AVAudioFormat: Hashable, Sendable, CustomStringConvertible {
    /// The type of a sample: `pcmFormatInt16` or `pcmFormatFloat32`.
    public let commonFormat: AVAudioCommonFormat
    /// The number of frames per second, in Hz.
    public let sampleRate: Double
    /// The number of samples in a frame.
    public let channelCount: AVAudioChannelCount
    /// Whether the samples of a frame lie side by side, rather than each channel by itself.
    public let isInterleaved: Bool

    /// Creates a format; nil if there is none such: of the types of samples there are 16-bit integers and single precision.
    public init?(
        commonFormat: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard [.pcmFormatInt16, .pcmFormatFloat32].contains(commonFormat), sampleRate >= 1, sampleRate <= 768_000,
            (1...64).contains(channels)
        else { return nil }
        self.commonFormat = commonFormat
        self.sampleRate = sampleRate
        channelCount = channels
        isInterleaved = interleaved
    }

    /// Creates the standard format: single precision, each channel by itself.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    /// Whether this is a standard format.
    public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// What a file of this format is created with: its rate and its number of channels.
    public var settings: [String: Any] {
        [AVSampleRateKey: sampleRate, AVNumberOfChannelsKey: Int(channelCount)]
    }

    /// The format in words.
    public var description: String {
        let type = commonFormat == .pcmFormatInt16 ? "Int16" : "Float32"
        return "\(channelCount) ch, \(Int(sampleRate)) Hz, \(type), \(isInterleaved ? "" : "de")interleaved"
    }

    /// Whether two formats are the same.
    public static func == (left: AVAudioFormat, right: AVAudioFormat) -> Bool {
        left.commonFormat == right.commonFormat && left.sampleRate == right.sampleRate
            && left.channelCount == right.channelCount
            && (left.isInterleaved == right.isInterleaved || left.channelCount == 1)
    }

    /// Hashes what makes two formats the same.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(commonFormat)
        hasher.combine(sampleRate)
        hasher.combine(channelCount)
    }
}
