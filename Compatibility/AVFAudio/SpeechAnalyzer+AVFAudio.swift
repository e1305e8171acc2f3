import Audio
import Foundation
import Speech

extension AnalyzerInput {
    /// Creates an input from sound in memory, of which all channels are mixed. It follows the previous one directly.
    public init(buffer: AVAudioPCMBuffer) { self.init(buffer: buffer, bufferStartTime: nil) }

    /// Creates an input that begins at a time.
    public init(buffer: AVAudioPCMBuffer, bufferStartTime: CMTime?) {
        let channelCount = Int(buffer.format.channelCount)
        let samples = (0..<Int(buffer.frameLength)).map { frame in
            let sum = (0..<channelCount).reduce(Float(0)) { $0 + buffer[frame, $1] }
            return AVAudioPCMBuffer.integer(sum / Float(channelCount))
        }
        self.init(
            buffer: AudioBlock(samples: samples, sampleRate: Int(buffer.format.sampleRate)),
            bufferStartTime: bufferStartTime)
    }
}

extension SpeechAnalyzer {
    /// Creates an analyzer of modules, and starts to read a file. With `finishAfterFile` the session lives until its finish, even if nothing
    /// holds the analyzer; else it ends with it.
    ///
    /// - Throws: the errors of `setContext(_:)` and `start(inputAudioFile:)`.
    public init(
        inputAudioFile: AVAudioFile, modules: [any SpeechModule], options: Options? = nil,
        analysisContext: AnalysisContext = AnalysisContext(), finishAfterFile: Bool = false,
        volatileRangeChangedHandler: VolatileRangeChangedHandler? = nil
    ) async throws {
        self.init(modules: modules, options: options)
        setVolatileRangeChangedHandler(volatileRangeChangedHandler)
        try await setContext(analysisContext)
        try await start(inputAudioFile: inputAudioFile.audioFile, finishAfterFile: finishAfterFile)
    }

    /// Starts to read a file, and returns at once. It opens the file's path anew, and reads it from its beginning, whatever was read before.
    public func start(inputAudioFile file: AVAudioFile, finishAfterFile: Bool = false) async throws {
        try await start(inputAudioFile: file.audioFile, finishAfterFile: finishAfterFile)
    }

    /// Reads a file to its end. It opens the file's path anew, and reads it from its beginning, whatever was read before.
    ///
    /// - Throws: `FileError` or `WAVError` if no such file is there any more, and the errors of `analyzeSequence(_:)`.
    /// - Returns: the end time of the file; nil if it is empty.
    public func analyzeSequence(from file: AVAudioFile) async throws -> CMTime? {
        try await analyzeSequence(from: file.audioFile)
    }

    /// Loads the models of the modules.
    ///
    /// - Parameters:
    ///   - audioFormat: the format that will come. Ignored: every format is taken.
    ///   - progressReadyHandler: ignored: there is no progress to tell.
    public func prepareToAnalyze(
        in audioFormat: AVAudioFormat?,
        withProgressReadyHandler progressReadyHandler: (@Sendable (Progress) -> Void)? = nil
    ) async throws { try await prepareToAnalyze() }

    /// Returns the format that no module has to convert; nil if there is none, or if a model is not installed.
    public static func bestAvailableAudioFormat(
        compatibleWith modules: [any SpeechModule], considering naturalFormat: AVAudioFormat? = nil
    ) async -> AVAudioFormat? {
        let format: AudioFormat? = await bestAvailableAudioFormat(compatibleWith: modules)
        return format.flatMap {
            AVAudioFormat(
                commonFormat: .pcmFormatInt16, sampleRate: Double($0.sampleRate),
                channels: AVAudioChannelCount($0.channelCount), interleaved: true)
        }
    }
}
