import Audio
import Models

/// A module for a `SpeechAnalyzer` that tells speech from everything else.
///
/// The names are those of Apple's `SpeechDetector`. Beside a `DictationTranscriber` it sets how sensitive that one's own
/// detector is, which decides what is decoded; alone it costs a thousandth of a core. It is Silero's network for voice
/// activity (version 6.2), whose weights come along.
///
/// ```swift
/// let detector = SpeechDetector(detectionOptions: .init(sensitivityLevel: .medium), reportResults: true)
/// let analyzer = SpeechAnalyzer(modules: [detector])
/// for try await result in detector.results where result.isFinal && result.speechDetected { print(result.range) }
/// ```
public final class SpeechDetector: SpeechModule, WorkerModule {
    /// How easily sound is taken for speech.
    public enum SensitivityLevel: Hashable, Sendable, CaseIterable {
        /// Only what is clearly speech.
        case low
        /// The standard.
        case medium
        /// Also what may be speech: a whisper, a voice far away.
        case high
    }

    /// Options of a detector.
    public struct DetectionOptions: Hashable, Sendable {
        /// How easily sound is taken for speech.
        public var sensitivityLevel: SensitivityLevel

        /// Creates options.
        public init(sensitivityLevel: SensitivityLevel) { self.sensitivityLevel = sensitivityLevel }
    }

    /// A range of audio in which there is speech, or none.
    public struct Result: SpeechModuleResult, Hashable {
        /// The range of audio. Final results follow each other without gaps; a volatile one is speech that goes on.
        public let range: AudioTimeRange
        /// The time before which all results are final.
        public let resultsFinalizationTime: AudioTime
        /// Whether there is speech in the range.
        public let speechDetected: Bool
    }

    /// The sequence of results.
    public typealias Results = ResultSequence<Result>

    /// The results, in order; none unless `reportResults` was set.
    public let results: Results
    /// The options of the detector.
    public let detectionOptions: DetectionOptions
    let worker: TranscriptionWorker
    let model: ModelReference? = nil

    /// Creates a detector.
    ///
    /// - Parameters:
    ///   - detectionOptions: the options of the detector.
    ///   - reportResults: whether there are results.
    public init(
        detectionOptions: DetectionOptions = DetectionOptions(sensitivityLevel: .medium), reportResults: Bool = false
    ) {
        self.detectionOptions = detectionOptions
        let storage = ResultStorage<Result>()
        results = ResultSequence(storage: storage)
        var output = WorkerOutput(storage) { utterance, rate in
            let start = AudioTime(sampleCount: utterance.range.lowerBound, sampleRate: rate)
            let end = AudioTime(sampleCount: utterance.range.upperBound, sampleRate: rate)
            return Result(
                range: start..<end, resultsFinalizationTime: utterance.isFinal ? end : start,
                speechDetected: !utterance.text.isEmpty)
        }
        if !reportResults { output.send = { _, _ in } }
        worker = TranscriptionWorker(TranscriptionWorker.Setup(), output: output)
        worker.sensitivity.withLock { $0 = detectionOptions.sensitivityLevel }
    }

    deinit { worker.cancel() }

    /// The format that the detector takes without conversion.
    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async { await worker.formats }
    }
}

extension SpeechDetector.SensitivityLevel {
    /// The probability from which a frame is speech.
    var threshold: Float {
        switch self {
        case .low: 0.5
        case .medium: 0.35
        case .high: 0.2
        }
    }
}
