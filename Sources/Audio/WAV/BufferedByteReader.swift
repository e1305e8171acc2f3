/// A window of fixed size that moves forward over a byte source.
struct BufferedByteReader {
    private var source: any ByteSource
    private var storage: [UInt8]
    private var start = 0
    private var end = 0
    private var sourceHasEnded = false

    /// The number of bytes in the stream before the window.
    private(set) var position: Int64 = 0

    /// The number of bytes in the window.
    var count: Int { end - start }

    init(_ source: any ByteSource, capacity: Int) {
        self.source = source
        storage = [UInt8](repeating: 0, count: capacity)
    }

    /// Reads until the window has at least `minimum` bytes (at most the capacity) or the source has ended. Does not
    /// read if the window already has them.
    ///
    /// - Returns: the number of bytes in the window.
    mutating func fill(atLeast minimum: Int) throws -> Int {
        precondition(minimum <= storage.count)
        if count < minimum && start > 0 {
            // Few bytes are moved, and the read below gets all of the remaining space.
            let (from, length) = (start, count)
            storage.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[from..<from + length]))
            }
            (start, end) = (0, length)
        }
        while count < minimum && !sourceHasEnded {
            let added = try Self.read(&source, into: &storage, from: end)
            end += added
            // A terminal can continue after its end of file; a stream does not.
            sourceHasEnded = added == 0
        }
        return count
    }

    private static func read(_ source: inout any ByteSource, into storage: inout [UInt8], from end: Int) throws -> Int {
        try storage.withUnsafeMutableBytes { bytes in
            let space = UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
            let count = try source.read(into: space)
            precondition((0...space.count).contains(count), "a byte source read more than it was asked for")
            return count
        }
    }

    /// Moves the window past its first `count` bytes.
    mutating func consume(_ count: Int) {
        precondition(count <= self.count)
        start += count
        position += Int64(count)
    }

    /// Skips `count` bytes of the stream, or all until its end, and returns how many were skipped.
    mutating func skip(_ count: Int64) throws -> Int64 {
        var skipped: Int64 = 0
        while skipped < count, try fill(atLeast: 1) > 0 {
            let step = Int(min(count - skipped, Int64(self.count)))
            consume(step)
            skipped += Int64(step)
        }
        return skipped
    }

    /// Returns the little-endian integer at `offset` bytes into the window.
    func integer<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type, at offset: Int) -> Value {
        precondition(offset + MemoryLayout<Value>.size <= count)
        return withBytes { bytes in
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
    }

    /// Calls `body` with the window's bytes.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        }
    }
}
