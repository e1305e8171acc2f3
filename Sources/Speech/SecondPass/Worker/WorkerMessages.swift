import Foundation

/// A request from a session to its worker, the process that computes the second pass.
enum WorkerRequest: WorkerMessage, Hashable {
    /// Load a model; once, before any other request.
    case load(WorkerSetup)
    /// Decode samples at the model's rate, in a language if one is named here. A guess is of speech that goes on.
    /// Identifiers begin at 1.
    case decode(UInt64, SoundBytes, language: String? = nil, isGuess: Bool = false)
    /// Stop decoding this request, which is still answered.
    case cancel(UInt64)

    var isInBounds: Bool { true }
}

/// Samples as a part of a message, where numbers would take much longer than their bytes.
struct SoundBytes: Codable, Hashable, Sendable {
    private var bytes: Data

    init(_ samples: [Int16]) { bytes = samples.withUnsafeBytes { Data($0) } }

    var samples: [Int16] {
        [Int16](unsafeUninitializedCapacity: bytes.count / 2) { samples, count in
            count = bytes.copyBytes(to: samples) / 2
        }
    }
}

/// An answer of a worker, in the order of the requests.
enum WorkerAnswer: WorkerMessage, Hashable {
    /// The model is loaded.
    case ready
    /// The text of the request with this identifier.
    case result(UInt64, DecodedText)
    /// The failure of the request with this identifier; 0 is the load.
    case failure(UInt64, WorkerFailure)

    var isInBounds: Bool {
        switch self {
        case .result(_, let text):
            // Times that are too great for any stream are refused, so that sums with them can't overflow.
            (text.words + text.segments).allSatisfy {
                $0.time.lowerBound >= 0 && $0.time.upperBound < 1 << 40 && isConfidence($0.confidence)
            } && isConfidence(text.confidence)
        case .ready, .failure: true
        }
    }

    private func isConfidence(_ value: Double?) -> Bool { value.map((0...1).contains) ?? true }
}

struct WorkerSetup: Codable, Hashable, Sendable {
    /// The folder of libtranscribe and its backends.
    var library: String
    /// The path of the model's file.
    var model: String
    /// The codes of the languages that may be spoken, such as `en`. Of several the model detects which; none allows all.
    var languages: [String] = []
    /// The phrases to prefer.
    var vocabulary: [String] = []
    /// The names of the marks that may be dictated; see `SpokenMarks`.
    var marks: [String] = []
    var punctuates = true
    /// The most threads of a decoding. More than two are not faster. With one each, decodings beside each other take a
    /// fifth less of the processor's time, and the text does not depend on the machine.
    var threads = 2
    /// Whether there will be guesses, and memory for what makes them sooner.
    var guesses = false
}

/// The text that a model has decoded from a stretch of sound.
struct DecodedText: Codable, Hashable, Sendable {
    /// A word or a segment, which is a sentence or a clause, with its time.
    struct Piece: Codable, Hashable, Sendable {
        var text: String
        /// The time in milliseconds since the first sample; it may reach beyond the last.
        var time: Range<Int64>
        /// The confidence, 0…1; nil if the model gives none.
        var confidence: Double?

        /// Returns the time in samples.
        func samples(at sampleRate: Int) -> Range<Int64> {
            (time.lowerBound * Int64(sampleRate) / 1000)..<(time.upperBound * Int64(sampleRate) / 1000)
        }
    }

    var text: String
    /// The code of the language that was named or detected; nil if it is not known.
    var language: String?
    /// The confidence, 0…1; nil if the model gives none.
    var confidence: Double?
    /// The words; empty if the model gives no times of words.
    var words: [Piece] = []
    /// The segments; empty if the model gives times of words, or none.
    var segments: [Piece] = []
    /// Whether the model would hear it better if it took its time: the text is good for a guess.
    var isRough = false

    /// The least confidence in a text that leaves no doubt.
    private static let leastSure = 0.6

    /// Whether the model is sure of it. One that gives no confidence is taken to be.
    var isSure: Bool { Self.isSure(confidence) }

    /// Whether a model is sure of a text in which it has a confidence.
    static func isSure(_ confidence: Double?) -> Bool { confidence.map { $0 >= leastSure } ?? true }

    /// Returns the text with all times later by some milliseconds.
    func later(by delay: Int64) -> DecodedText {
        func moved(_ pieces: [Piece]) -> [Piece] {
            pieces.map { piece in
                var piece = piece
                piece.time = piece.time.lowerBound + delay..<piece.time.upperBound + delay
                return piece
            }
        }
        var text = self
        (text.words, text.segments) = (moved(words), moved(segments))
        return text
    }
}

/// The reason for which a worker has no result.
struct WorkerFailure: Error, Codable, Hashable, Sendable {
    enum Kind: String, Codable, Sendable, CaseIterable {
        /// The library is missing or has another version.
        case library
        /// The model can't be loaded.
        case model
        /// The model does not know the language.
        case language
        case memory
        case decoding
        case cancelled
        /// The text repeats itself.
        case repetition
        /// The sound or the text is longer than the model takes.
        case length
    }

    var kind: Kind
    /// A description without a full stop, which never contains what was said.
    var sentence: String
}
