/// The table of contents of a file in GGUF format, which says how long the file must be. A file that was cut off begins like a whole one,
/// and only this tells them apart.
///
/// The bytes are not trusted: what they say is checked before it is used, and no more is read than the table.
struct ModelFileTable {
    /// Why a file is no model, in words that follow its name.
    struct Failure: Error { let reason: String }

    /// The size in bytes that the file must have at least: up to the end of the last tensor.
    let neededSize: Int

    /// The kind of network, by libtranscribe's name for it; nil where the file names none.
    let architecture: String?

    /// How much of a file is read for what it says of its languages, in bytes: that stands before the vocabulary.
    private static let headSize = 1 << 16

    /// The architectures that libtranscribe loads.
    private static let architectures: Set<String> = [
        "canary", "canary_qwen", "cohere_asr", "funasr_nano", "gigaam", "granite_speech", "granite_speech5_ctc",
        "granite_speech_nar", "medasr", "moonshine", "moonshine_streaming", "moss", "parakeet", "qwen3_asr",
        "sensevoice",
        "voxtral", "voxtral_realtime", "whisper",
    ]

    /// Checks that the file is a model that turns speech into text.
    ///
    /// - Throws: `Failure` if it is another one.
    func checkArchitecture() throws(Failure) {
        guard let architecture else { throw Failure(reason: "is no model of speech: it names no architecture") }
        if Self.architectures.contains(architecture) { return }
        throw Failure(
            reason: "is not a model of speech that libtranscribe loads: its architecture is \(architecture)")
    }

    /// Reads the table.
    ///
    /// - Parameters:
    ///   - size: the file's size, in bytes.
    ///   - read: reads so many bytes at an offset.
    /// - Throws: `Failure` if the table is damaged, or the file is shorter than it says; the errors of `read`.
    init(size: Int, read: @escaping (_ offset: Int, _ count: Int) throws -> [UInt8]) throws {
        var bytes = TableBytes(size: size, read: read)
        let counts = try Self.counts(in: &bytes)
        var alignment = 32
        var architecture: String?
        for _ in 0..<counts.values {
            let name = try bytes.text()
            let type = try bytes.number(UInt32.self)
            if name == "general.alignment", type == ValueType.uint32 {
                alignment = Int(try bytes.number(UInt32.self))
            } else if name == architectureKey, type == ValueType.text {
                architecture = try bytes.text()
            } else {
                try bytes.skipValue(type)
            }
        }
        guard alignment > 0 else { throw Self.damaged }
        self.architecture = architecture
        var end = 0
        for _ in 0..<counts.tensors { end = max(end, try Self.endOfTensor(in: &bytes)) }
        let padding = (alignment - bytes.offset % alignment) % alignment
        neededSize = try Self.sum(bytes.offset + padding, end)
        if size < neededSize {
            throw Failure(reason: "is cut off: it has \(size) of \(neededSize) bytes")
        }
    }

    /// Reads what a file says of its languages, and no more than its beginning.
    ///
    /// - Returns: the architecture and the codes of the languages; nil where the file names no language there.
    static func languages(
        size: Int, read: @escaping (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) -> (architecture: String?, codes: [String])? {
        var bytes = TableBytes(size: min(size, headSize), read: read)
        var (architecture, codes): (String?, [String]) = (nil, [])
        // What is damaged, or too far behind, counts as missing.
        do {
            for _ in 0..<(try counts(in: &bytes).values) {
                if architecture != nil, !codes.isEmpty { break }
                let name = try bytes.text()
                let type = try bytes.number(UInt32.self)
                if name == architectureKey, type == ValueType.text {
                    architecture = try bytes.text()
                } else if name == "general.languages", type == ValueType.list {
                    codes = try bytes.texts()
                } else {
                    try bytes.skipValue(type)
                }
            }
        } catch {}
        return codes.isEmpty ? nil : (architecture, codes)
    }

    /// Reads the beginning of a file: how many tensors and values it has.
    private static func counts(in bytes: inout TableBytes) throws -> (tensors: UInt64, values: UInt64) {
        guard try bytes.take(ModelFile.start.count).elementsEqual(ModelFile.start) else {
            throw Failure(reason: "is not a GGUF file")
        }
        let version = try bytes.number(UInt32.self)
        guard version == 2 || version == 3 else { throw Failure(reason: "is a GGUF file of an unknown version") }
        return (try bytes.number(UInt64.self), try bytes.number(UInt64.self))
    }

    static let damaged = Failure(reason: "is damaged in its table of contents")

    /// Reads what the table says of a tensor.
    ///
    /// - Returns: its end, in bytes from the beginning of all tensors.
    private static func endOfTensor(in bytes: inout TableBytes) throws -> Int {
        _ = try bytes.text()
        let dimensionCount = try bytes.number(UInt32.self)
        guard dimensionCount <= 8 else { throw damaged }
        var count = 1
        for _ in 0..<dimensionCount { count = try product(count, Int(exactly: try bytes.number(UInt64.self))) }
        let type = try bytes.number(UInt32.self)
        guard let start = Int(exactly: try bytes.number(UInt64.self)) else { throw damaged }
        // Of a type that is not known here, only the beginning is.
        guard let block = blocks[type] else { return start }
        return try sum(start, try product(count / block.count, block.size))
    }

    /// How many weights a block of each type has, and how many bytes: ggml's types by their numbers.
    private static let blocks: [UInt32: (count: Int, size: Int)] = [
        0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
        10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
        16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
        23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
        34: (256, 54), 35: (256, 66), 39: (32, 17),
    ]

    static func sum(_ one: Int, _ other: Int) throws -> Int {
        let (sum, overflows) = one.addingReportingOverflow(other)
        if overflows { throw damaged }
        return sum
    }

    static func product(_ one: Int, _ other: Int?) throws -> Int {
        guard let other else { throw damaged }
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        if overflows { throw damaged }
        return product
    }
}

/// The name of the value that says the architecture.
private let architectureKey = "general.architecture"

/// The types of values in a table of contents, by GGUF's numbers.
private enum ValueType {
    static let uint32: UInt32 = 4
    static let text: UInt32 = 8
    static let list: UInt32 = 9
    static let sizes: [UInt32: Int] = [0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8]
}

/// The bytes of a table of contents, one after the other.
private struct TableBytes {
    /// The longest table, in bytes. The longest vocabularies take a tenth of it.
    private static let longest = 1 << 28

    let size: Int
    let read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    /// The place of the next byte in the file.
    private(set) var offset = 0
    /// The bytes that were read ahead, up to `bufferEnd`.
    private var buffer: [UInt8] = []
    private var bufferEnd = 0

    init(size: Int, read: @escaping (_ offset: Int, _ count: Int) throws -> [UInt8]) {
        (self.size, self.read) = (size, read)
    }

    private static let cutOff = ModelFileTable.Failure(reason: "is cut off: it ends in its table of contents")

    mutating func skip(_ count: Int) throws {
        guard count >= 0, count <= size - offset else { throw Self.cutOff }
        guard offset + count <= Self.longest else { throw ModelFileTable.damaged }
        offset += count
    }

    mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        let start = offset
        try skip(count)
        if bufferEnd < offset || bufferEnd - buffer.count > start {
            buffer = try read(start, min(size - start, max(count, 1 << 16)))
            bufferEnd = start + buffer.count
        }
        // A file that shrinks meanwhile gives fewer bytes.
        guard bufferEnd >= offset else { throw Self.cutOff }
        let first = start - (bufferEnd - buffer.count)
        return buffer[first..<first + count]
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try take(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Reads a text, of which only a short one is wanted.
    mutating func text() throws -> String? {
        guard let count = Int(exactly: try number(UInt64.self)) else { throw ModelFileTable.damaged }
        if count <= 64 { return String(validating: try take(count), as: UTF8.self) }
        try skip(count)
        return nil
    }

    /// Reads a list, of which only short texts are wanted.
    mutating func texts() throws -> [String] {
        let element = try number(UInt32.self)
        var texts: [String] = []
        for _ in 0..<(try number(UInt64.self)) {
            if element == ValueType.text {
                if let text = try text() { texts.append(text) }
            } else {
                try skipValue(element, depth: 1)
            }
        }
        return texts
    }

    mutating func skipValue(_ type: UInt32, depth: Int = 0) throws {
        if let size = ValueType.sizes[type] { return try skip(size) }
        if type == ValueType.text { return _ = try text() }
        guard type == ValueType.list, depth < 4 else { throw ModelFileTable.damaged }
        let element = try number(UInt32.self)
        let count = try number(UInt64.self)
        if let size = ValueType.sizes[element] {
            return try skip(try ModelFileTable.product(size, Int(exactly: count)))
        }
        for _ in 0..<count { try skipValue(element, depth: depth + 1) }
    }
}
