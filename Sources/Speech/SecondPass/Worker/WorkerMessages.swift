/// What a session asks of its worker, the process that computes the second pass.
enum WorkerRequest: Hashable, Sendable {
    /// Once, and before anything else.
    case load(WorkerSetup)
    /// What is said in these samples, at the model's rate? Identifiers begin at 1. The times of segments are wanted or not, of a model that
    /// has none of words.
    case decode(UInt64, [Int16], findsSegments: Bool = false)
    /// Nobody waits for this one any more. It is answered all the same.
    case cancel(UInt64)
}

/// What a worker says, in the order in which it was asked.
enum WorkerAnswer: Hashable, Sendable {
    case ready(WorkerModel)
    case result(UInt64, SecondPassText)
    /// Of what was asked under that identifier; 0 is the load.
    case failure(UInt64, WorkerFailure)
}

/// What a worker loads.
struct WorkerSetup: Hashable, Sendable {
    /// The folder of libtranscribe and of its backends.
    var library: String
    /// The model's file.
    var model: String
    /// A code such as `en`; nil lets the model find out.
    var language: String?
    /// Phrases to lean towards.
    var vocabulary: [String] = []
    var punctuates = true
}

/// What a worker has loaded.
struct WorkerModel: Hashable, Sendable {
    enum Times: UInt8, Sendable {
        case none = 0
        case segments = 1
        case words = 2
    }

    /// The kind of model, such as `whisper`.
    var family: String
    /// Codes; empty when the model does not say.
    var languages: [String]
    var times: Times
    /// What it takes at once, in milliseconds; 0 when there is no limit.
    var longestAudio: Int64
    /// Whether it leans towards a vocabulary.
    var takesVocabulary: Bool
}

/// What the second pass has heard in an utterance.
struct SecondPassText: Hashable, Sendable {
    /// A segment or a word.
    struct Part: Hashable, Sendable {
        var text: String
        /// In milliseconds since the first sample; it may reach beyond the last.
        var time: Range<Int64>
        /// 0…1; nil when the model gives none.
        var confidence: Double?

        /// The time in samples.
        func samples(at sampleRate: Int) -> Range<Int64> {
            (time.lowerBound * Int64(sampleRate) / 1000)..<(time.upperBound * Int64(sampleRate) / 1000)
        }

        /// The same so many samples later, or earlier, but not before the beginning.
        func moved(by offset: Int64, at sampleRate: Int) -> Part {
            let milliseconds = offset * 1000 / Int64(sampleRate)
            var part = self
            part.time = max(0, time.lowerBound + milliseconds)..<max(0, time.upperBound + milliseconds)
            return part
        }
    }

    var text: String
    /// 0…1; nil when the model gives none.
    var confidence: Double?
    var segments: [Part] = []
    /// Empty when the model gives no times of words.
    var words: [Part] = []
}

/// Why there is no result.
struct WorkerFailure: Error, Hashable, Sendable {
    enum Kind: UInt8, Sendable, CaseIterable {
        /// The library is missing, or another version.
        case library = 1
        /// The model can't be loaded.
        case model = 2
        case language = 3
        case memory = 4
        /// A run has failed.
        case decoding = 5
        case cancelled = 6
        /// The model goes round in circles.
        case repetition = 7
        /// The sound is longer, or its text is, than the model takes.
        case length = 8
    }

    var kind: Kind
    /// What happened, to what: without a full stop, and without a word of what was said.
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
                    language: try reader.flag() ? try reader.string() : nil, vocabulary: try reader.strings(),
                    punctuates: try reader.flag()))
        case 2: self = .decode(try reader.integer(), try reader.samples(), findsSegments: try reader.flag())
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
            writer.write(setup.language != nil)
            if let language = setup.language { writer.write(language) }
            writer.write(setup.vocabulary)
            writer.write(setup.punctuates)
            return 1
        case .decode(let identifier, let samples, let findsSegments):
            writer.write(identifier)
            writer.write(samples)
            writer.write(findsSegments)
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
            guard let times = WorkerModel.Times(rawValue: try reader.integer()) else { throw MalformedMessage() }
            let longest = try reader.integer(Int64.self)
            guard longest >= 0 else { throw MalformedMessage() }
            self = .ready(
                WorkerModel(
                    family: family, languages: languages, times: times, longestAudio: longest, takesVocabulary: try reader.flag()))
        case 2:
            self = .result(
                try reader.integer(),
                SecondPassText(
                    text: try reader.string(), confidence: try reader.confidence(), segments: try reader.parts(), words: try reader.parts())
            )
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
            writer.write(model.times.rawValue)
            writer.write(model.longestAudio)
            writer.write(model.takesVocabulary)
            return 1
        case .result(let identifier, let text):
            writer.write(identifier)
            writer.write(text.text)
            writer.write(text.confidence)
            writer.write(text.segments)
            writer.write(text.words)
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
    fileprivate mutating func write(_ confidence: Double?) {
        // What is no confidence is none.
        let confidence = confidence.flatMap { (0...1).contains($0) ? $0 : nil }
        write(confidence != nil)
        if let confidence { write(confidence.bitPattern) }
    }

    fileprivate mutating func write(_ parts: [SecondPassText.Part]) {
        write(UInt32(clamping: parts.count))
        for part in parts {
            write(part.text)
            write(part.time.lowerBound)
            write(part.time.upperBound)
            write(part.confidence)
        }
    }
}

extension MessageReader {
    fileprivate mutating func confidence() throws(MalformedMessage) -> Double? {
        guard try flag() else { return nil }
        let confidence = Double(bitPattern: try integer())
        guard (0...1).contains(confidence) else { throw MalformedMessage() }
        return confidence
    }

    /// Times that fit into no stream are malformed, so that sums with them can't overflow.
    fileprivate mutating func parts() throws(MalformedMessage) -> [SecondPassText.Part] {
        try list { reader throws(MalformedMessage) in
            let text = try reader.string()
            let start = try reader.integer(Int64.self)
            let end = try reader.integer(Int64.self)
            guard 0 <= start, start <= end, end < 1 << 40 else { throw MalformedMessage() }
            return SecondPassText.Part(text: text, time: start..<end, confidence: try reader.confidence())
        }
    }
}
