/// The format of the messages between a session and its worker: the length of the rest in four bytes, the kind of the
/// message in one, and its content. Numbers are little-endian. It is pure, and input is checked as if it were hostile.
enum WorkerProtocol {
    /// The version that both sides send first. They are the same program, but an update may come between.
    static let version: UInt16 = 8
    /// The longest message in bytes: an hour of samples, or more text than anyone says at once.
    static let longestMessage = 128 << 20

    static func bytes(of message: some WorkerMessage) -> [UInt8] {
        var writer = MessageWriter()
        let kind = message.write(to: &writer)
        precondition(writer.bytes.count < longestMessage, "a message fits into the protocol")
        var head = MessageWriter()
        head.write(UInt32(writer.bytes.count + 1))
        head.write(kind)
        return head.bytes + writer.bytes
    }
}

/// A message that can be written to the stream and read from it.
protocol WorkerMessage {
    init(kind: UInt8, _ reader: inout MessageReader) throws(MalformedMessage)
    /// Writes the content to `writer`.
    ///
    /// - Returns: the kind of the message.
    func write(to writer: inout MessageWriter) -> UInt8
}

/// The error of an invalid message.
struct MalformedMessage: Error {}

/// The messages of a stream that arrives in pieces.
struct WorkerMessages<Message: WorkerMessage> {
    private var bytes: [UInt8] = []
    /// The beginning of the next message in `bytes`.
    private var start = 0

    mutating func append(_ piece: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += piece
    }

    /// Returns the next message, or nil if it is not complete yet.
    ///
    /// - Throws: `MalformedMessage` if it is invalid. The rest of the stream can't be read then.
    mutating func next() throws(MalformedMessage) -> Message? {
        var head = MessageReader(bytes[start...])
        guard bytes.count - start >= 4 else { return nil }
        let length = Int(try head.integer(UInt32.self))
        guard (1...WorkerProtocol.longestMessage).contains(length) else { throw MalformedMessage() }
        guard bytes.count - start - 4 >= length else { return nil }
        var reader = MessageReader(bytes[(start + 4)..<(start + 4 + length)])
        let message = try Message(kind: try reader.integer(), &reader)
        guard reader.isAtEnd else { throw MalformedMessage() }
        start += 4 + length
        return message
    }

    /// Whether there is no part of a message left.
    var isEmpty: Bool { start == bytes.count }
}

/// Writes the content of a message.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func write(_ text: String) {
        write(UInt32(clamping: text.utf8.count))
        bytes += text.utf8
    }

    mutating func write(_ texts: [String]) {
        write(UInt32(clamping: texts.count))
        for text in texts { write(text) }
    }

    mutating func write(_ samples: [Int16]) {
        write(UInt32(clamping: samples.count))
        bytes.reserveCapacity(bytes.count + 2 * samples.count)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
    }
}

/// Reads the content of a message.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(MalformedMessage)
        -> Number
    {
        let bytes = try take(MemoryLayout<Number>.size)
        var number = Number.zero
        for (index, byte) in bytes.enumerated() { number |= Number(truncatingIfNeeded: byte) << Number(8 * index) }
        return number
    }

    mutating func flag() throws(MalformedMessage) -> Bool {
        switch try integer(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw MalformedMessage()
        }
    }

    mutating func string() throws(MalformedMessage) -> String {
        let bytes = try take(Int(try integer(UInt32.self)))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw MalformedMessage() }
        return text
    }

    mutating func strings() throws(MalformedMessage) -> [String] {
        try list { reader throws(MalformedMessage) in try reader.string() }
    }

    mutating func samples() throws(MalformedMessage) -> [Int16] {
        let bytes = try take(2 * Int(try integer(UInt32.self)))
        return [Int16](unsafeUninitializedCapacity: bytes.count / 2) { samples, count in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(samples).copyMemory(from: $0) }
            count = bytes.count / 2
            for index in 0..<count { samples[index] = Int16(littleEndian: samples[index]) }
        }
    }

    /// Reads a list. A great count alone allocates no memory; its elements must have arrived.
    mutating func list<Element>(
        _ element: (inout MessageReader) throws(MalformedMessage) -> Element
    ) throws(MalformedMessage) -> [Element] {
        let count = try integer(UInt32.self)
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    private mutating func take(_ count: Int) throws(MalformedMessage) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw MalformedMessage() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
