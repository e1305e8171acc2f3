/// A request from a session to its worker, the process that computes the second pass.
enum WorkerRequest: Hashable, Sendable {
    /// Load a model; once, before any other request.
    case load(WorkerSetup)
    /// Decode samples at the model's rate, in a language if one is named here. A guess is of speech that goes on.
    /// Identifiers begin at 1.
    case decode(UInt64, [Int16], language: String? = nil, isGuess: Bool = false)
    /// Stop decoding this request, which is still answered.
    case cancel(UInt64)
}

/// An answer of a worker, in the order of the requests.
enum WorkerAnswer: Hashable, Sendable {
    /// The model has loaded.
    case ready(WorkerModel)
    /// The text of the request with this identifier.
    case result(UInt64, DecodedText)
    /// The failure of the request with this identifier; 0 is the load.
    case failure(UInt64, WorkerFailure)
}

/// The settings of a worker.
struct WorkerSetup: Hashable, Sendable {
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

/// The properties of a worker's model.
struct WorkerModel: Hashable, Sendable {
    /// The architecture of the model, such as `whisper`.
    var family: String
    /// The codes of the model's languages; empty if the model names none.
    var languages: [String]
    /// Whether the model detects the language.
    var detectsLanguage = false
    /// Whether the model gives the times of words.
    var hasWordTimes: Bool
    /// Whether the model gives the times of segments, and no finer ones.
    var hasSegmentTimes = false
    /// The longest sound that the model takes at once, in milliseconds; 0 for no limit.
    var longestAudio: Int64
    /// Whether the model can prefer a vocabulary.
    var takesVocabulary: Bool
    /// Whether the model decodes a stream, so that a guess costs only the new samples.
    var streams = false
}

/// The text that a model has decoded from a stretch of sound.
struct DecodedText: Hashable, Sendable {
    /// A word or a segment, which is a sentence or a clause, with its time.
    struct Piece: Hashable, Sendable {
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
}

/// The reason for which a worker has no result.
struct WorkerFailure: Error, Hashable, Sendable {
    enum Kind: UInt8, Sendable, CaseIterable {
        /// The library is missing or has another version.
        case library = 1
        /// The model can't be loaded.
        case model = 2
        /// The model does not know the language.
        case language = 3
        /// There is not enough memory.
        case memory = 4
        /// The decoding has failed.
        case decoding = 5
        /// The request was cancelled.
        case cancelled = 6
        /// The text repeats itself.
        case repetition = 7
        /// The sound or the text is longer than the model takes.
        case length = 8
    }

    var kind: Kind
    /// A description without a full stop, which never contains what was said.
    var sentence: String
}

extension WorkerRequest: WorkerMessage {
    init(kind: UInt8, _ reader: inout MessageReader) throws(MalformedMessage) {
        switch kind {
        case 1:
            guard try reader.integer(UInt16.self) == WorkerProtocol.version else { throw MalformedMessage() }
            self = .load(
                WorkerSetup(
                    library: try reader.string(), model: try reader.string(),
                    languages: try reader.strings(), vocabulary: try reader.strings(),
                    marks: try reader.strings(), punctuates: try reader.flag(),
                    threads: Int(try reader.integer(UInt8.self)), guesses: try reader.flag()))
        case 2:
            self = .decode(
                try reader.integer(), try reader.samples(), language: try reader.optionalString(),
                isGuess: try reader.flag())
        case 3: self = .cancel(try reader.integer())
        default: throw MalformedMessage()
        }
    }

    func write(to writer: inout MessageWriter) -> UInt8 {
        switch self {
        case .load(let setup):
            writer.write(WorkerProtocol.version)
            writer.write(setup.library)
            writer.write(setup.model)
            writer.write(setup.languages)
            writer.write(setup.vocabulary)
            writer.write(setup.marks)
            writer.write(setup.punctuates)
            writer.write(UInt8(clamping: setup.threads))
            writer.write(setup.guesses)
            return 1
        case .decode(let identifier, let samples, let language, let isGuess):
            writer.write(identifier)
            writer.write(samples)
            writer.write(language)
            writer.write(isGuess)
            return 2
        case .cancel(let identifier):
            writer.write(identifier)
            return 3
        }
    }
}

extension WorkerAnswer: WorkerMessage {
    init(kind: UInt8, _ reader: inout MessageReader) throws(MalformedMessage) {
        switch kind {
        case 1:
            guard try reader.integer(UInt16.self) == WorkerProtocol.version else { throw MalformedMessage() }
            let family = try reader.string()
            let languages = try reader.strings()
            let detectsLanguage = try reader.flag()
            let hasWordTimes = try reader.flag()
            let hasSegmentTimes = try reader.flag()
            let longest = try reader.integer(Int64.self)
            guard longest >= 0 else { throw MalformedMessage() }
            self = .ready(
                WorkerModel(
                    family: family, languages: languages, detectsLanguage: detectsLanguage, hasWordTimes: hasWordTimes,
                    hasSegmentTimes: hasSegmentTimes,
                    longestAudio: longest, takesVocabulary: try reader.flag(), streams: try reader.flag()))
        case 2:
            self = .result(
                try reader.integer(),
                DecodedText(
                    text: try reader.string(), language: try reader.optionalString(),
                    confidence: try reader.confidence(), words: try reader.pieces(),
                    segments: try reader.pieces(), isRough: try reader.flag()))
        case 3:
            let identifier = try reader.integer(UInt64.self)
            guard let kind = WorkerFailure.Kind(rawValue: try reader.integer()) else { throw MalformedMessage() }
            self = .failure(identifier, WorkerFailure(kind: kind, sentence: try reader.string()))
        default: throw MalformedMessage()
        }
    }

    func write(to writer: inout MessageWriter) -> UInt8 {
        switch self {
        case .ready(let model):
            writer.write(WorkerProtocol.version)
            writer.write(model.family)
            writer.write(model.languages)
            writer.write(model.detectsLanguage)
            writer.write(model.hasWordTimes)
            writer.write(model.hasSegmentTimes)
            writer.write(model.longestAudio)
            writer.write(model.takesVocabulary)
            writer.write(model.streams)
            return 1
        case .result(let identifier, let text):
            writer.write(identifier)
            writer.write(text.text)
            writer.write(text.language)
            writer.write(text.confidence)
            writer.write(text.words)
            writer.write(text.segments)
            writer.write(text.isRough)
            return 2
        case .failure(let identifier, let failure):
            writer.write(identifier)
            writer.write(failure.kind.rawValue)
            writer.write(failure.sentence)
            return 3
        }
    }
}

extension MessageWriter {
    fileprivate mutating func write(_ string: String?) {
        write(string != nil)
        if let string { write(string) }
    }

    fileprivate mutating func write(_ confidence: Double?) {
        // An invalid confidence counts as none.
        let confidence = confidence.flatMap { (0...1).contains($0) ? $0 : nil }
        write(confidence != nil)
        if let confidence { write(confidence.bitPattern) }
    }

    fileprivate mutating func write(_ pieces: [DecodedText.Piece]) {
        write(UInt32(clamping: pieces.count))
        for piece in pieces {
            write(piece.text)
            write(piece.time.lowerBound)
            write(piece.time.upperBound)
            write(piece.confidence)
        }
    }
}

extension MessageReader {
    fileprivate mutating func optionalString() throws(MalformedMessage) -> String? {
        try flag() ? try string() : nil
    }

    fileprivate mutating func confidence() throws(MalformedMessage) -> Double? {
        guard try flag() else { return nil }
        let confidence = Double(bitPattern: try integer())
        guard (0...1).contains(confidence) else { throw MalformedMessage() }
        return confidence
    }

    /// Reads words or segments. Times that are too great for any stream are malformed, so that sums with them can't overflow.
    fileprivate mutating func pieces() throws(MalformedMessage) -> [DecodedText.Piece] {
        try list { reader throws(MalformedMessage) in
            let text = try reader.string()
            let start = try reader.integer(Int64.self)
            let end = try reader.integer(Int64.self)
            guard 0 <= start, start <= end, end < 1 << 40 else { throw MalformedMessage() }
            return DecodedText.Piece(text: text, time: start..<end, confidence: try reader.confidence())
        }
    }
}
