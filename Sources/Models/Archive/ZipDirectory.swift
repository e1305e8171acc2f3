/// Reads the directory of a zip archive before anything is unpacked: the central directory at its end, and the local
/// header of each entry.
///
/// It is strict where `unzip` is lenient: anything that two programs could interpret differently is refused. Every
/// number is checked before it is used, so no archive makes this code trap, loop for ever or take more than a few
/// megabytes.
struct ZipDirectory {
    let entries: [ZipEntry]

    /// The reason for which an archive is refused: the end of a sentence that begins with its name.
    struct Failure: Error, Equatable {
        var reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// Reads exactly `count` bytes of the archive at `offset`, or throws.
    typealias Read = (_ offset: Int, _ count: Int) throws -> [UInt8]

    static let maximumCount = 10_000
    private static let maximumDirectorySize = 8 << 20

    init(size: Int, read: Read) throws {
        let end = try Self.findEnd(size, read)
        guard end.count <= Self.maximumCount else {
            throw Failure("has \(end.count) entries, which is more than a model can have")
        }
        guard end.directorySize <= Self.maximumDirectorySize else {
            throw Failure("has a list of contents that is too large")
        }
        guard end.directoryOffset >= 0, end.directorySize >= 0, end.directoryOffset <= end.position,
            end.directorySize == end.position - end.directoryOffset
        else { throw Failure("has no sound list of contents; it is damaged or cut off") }
        var bytes = ZipBytes(try read(end.directoryOffset, end.directorySize))
        var entries: [ZipEntry] = []
        while !bytes.isAtEnd { entries.append(try Self.entry(&bytes)) }
        guard entries.count == end.count else { throw Failure("has another number of entries than it declares") }
        try Self.checkHeads(entries, end: end.directoryOffset, read)
        self.entries = entries
    }

    private struct End {
        var count: Int
        var directorySize: Int
        var directoryOffset: Int
        /// The position at which the directory must end.
        var position: Int
    }

    private static func findEnd(_ size: Int, _ read: Read) throws -> End {
        guard size >= 22 else { throw Failure("is not a zip archive") }
        let tailSize = min(size, 22 + 0xFFFF)
        let tail = try read(size - tailSize, tailSize)
        let signature: [UInt8] = [0x50, 0x4B, 5, 6]
        // As in unzip, the last signature counts; only its comment may follow.
        guard
            let place = (0...tailSize - 22).reversed().first(where: {
                tail[$0] == 0x50 && tail[$0..<$0 + 4].elementsEqual(signature)
            })
        else { throw Failure("is not a complete zip archive; it is damaged or cut off") }
        var bytes = ZipBytes(Array(tail[(place + 4)...]))
        let disks = (try bytes.short(), try bytes.short())
        let counts = (Int(try bytes.short()), Int(try bytes.short()))
        let directorySize = Int(try bytes.long())
        let directoryOffset = Int(try bytes.long())
        let commentSize = Int(try bytes.short())
        guard place + 22 + commentSize == tailSize else { throw Failure("has data after its end") }
        let position = size - tailSize + place
        if counts.1 == 0xFFFF || directorySize == 0xFFFF_FFFF || directoryOffset == 0xFFFF_FFFF {
            return try find64(position, read)
        }
        guard disks == (0, 0), counts.0 == counts.1 else { throw Failure("is a part of an archive in several parts") }
        return End(count: counts.1, directorySize: directorySize, directoryOffset: directoryOffset, position: position)
    }

    /// Reads the end of an archive of more than 4 GiB.
    private static func find64(_ position: Int, _ read: Read) throws -> End {
        guard position >= 20 + 56 else { throw Failure("is damaged at its end") }
        var locator = ZipBytes(try read(position - 20, 20))
        guard try locator.long() == 0x0706_4B50, try locator.long() == 0 else { throw Failure("is damaged at its end") }
        let place = try locator.longLong()
        guard try locator.long() <= 1, place >= 0, place <= position - 20 - 56 else {
            throw Failure("is damaged at its end")
        }
        var bytes = ZipBytes(try read(place, 56))
        guard try bytes.long() == 0x0606_4B50, place + 12 + (try bytes.longLong()) == position - 20 else {
            throw Failure("is damaged at its end")
        }
        _ = try bytes.long()
        guard try bytes.long() == 0, try bytes.long() == 0 else {
            throw Failure("is a part of an archive in several parts")
        }
        let counts = (try bytes.longLong(), try bytes.longLong())
        guard counts.0 == counts.1 else { throw Failure("is a part of an archive in several parts") }
        return End(
            count: counts.1, directorySize: try bytes.longLong(), directoryOffset: try bytes.longLong(), position: place
        )
    }

    private static func entry(_ bytes: inout ZipBytes) throws -> ZipEntry {
        guard try bytes.long() == 0x0201_4B50 else { throw Failure("has a list of contents that is damaged") }
        let madeBy = try bytes.short()
        _ = try bytes.short()
        let flags = try bytes.short()
        let method = try bytes.short()
        _ = try bytes.long()
        let checksum = try bytes.long()
        var packedSize = Int(try bytes.long())
        var size = Int(try bytes.long())
        let nameSize = Int(try bytes.short())
        let extraSize = Int(try bytes.short())
        let commentSize = Int(try bytes.short())
        let disk = try bytes.short()
        _ = try bytes.short()
        let attributes = try bytes.long()
        var offset = Int(try bytes.long())
        let name = try bytes.take(nameSize)
        var extra = ZipBytes(try bytes.take(extraSize))
        _ = try bytes.take(commentSize)
        guard disk == 0 || disk == 0xFFFF else { throw Failure("is a part of an archive in several parts") }
        while extra.count >= 4 {
            let tag = try extra.short()
            var field = ZipBytes(try extra.take(Int(try extra.short())))
            guard tag == 1 else { continue }
            if size == 0xFFFF_FFFF { size = try field.longLong() }
            if packedSize == 0xFFFF_FFFF { packedSize = try field.longLong() }
            if offset == 0xFFFF_FFFF { offset = try field.longLong() }
        }
        return ZipEntry(
            nameBytes: name, flags: flags, method: method, checksum: checksum, packedSize: packedSize, size: size,
            offset: offset,
            system: UInt8(madeBy >> 8), attributes: attributes)
    }

    /// Checks that each local header agrees with the directory, and that no two entries overlap.
    private static func checkHeads(_ entries: [ZipEntry], end: Int, _ read: Read) throws {
        var free = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            guard entry.offset >= free, entry.packedSize >= 0, entry.size >= 0, entry.offset <= end - 30 else {
                throw Failure("has entries that overlap")
            }
            var head = ZipBytes(try read(entry.offset, 30))
            guard try head.long() == 0x0403_4B50 else {
                throw Failure("is damaged: an entry does not begin where it should")
            }
            _ = try head.short()
            let flags = try head.short()
            let method = try head.short()
            _ = try head.long()
            let (checksum, packedSize, size) = (try head.long(), try head.long(), try head.long())
            let (nameSize, extraSize) = (Int(try head.short()), Int(try head.short()))
            let start = entry.offset + 30 + nameSize + extraSize
            guard start <= end, entry.packedSize <= end - start else { throw Failure("has entries that overlap") }
            guard flags == entry.flags, method == entry.method, try read(entry.offset + 30, nameSize) == entry.nameBytes
            else {
                throw Failure("contradicts itself about an entry")
            }
            // With flag 3 these values follow the data; beyond 4 GiB they are in an extra field.
            if flags & 8 == 0 {
                guard checksum == entry.checksum, packedSize == 0xFFFF_FFFF || Int(packedSize) == entry.packedSize,
                    size == 0xFFFF_FFFF || Int(size) == entry.size
                else { throw Failure("contradicts itself about an entry") }
            }
            free = start + entry.packedSize
        }
    }
}

/// Reads little-endian numbers from bytes.
private struct ZipBytes {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count - offset }
    var isAtEnd: Bool { count == 0 }

    mutating func take(_ count: Int) throws -> [UInt8] {
        guard count <= self.count else { throw ZipDirectory.Failure("has a list of contents that is cut off") }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    private mutating func number(_ size: Int) throws -> UInt64 {
        try take(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    mutating func short() throws -> UInt16 { UInt16(try number(2)) }
    mutating func long() throws -> UInt32 { UInt32(try number(4)) }

    /// Reads a 64-bit number. It is limited, so that the sum of two can't overflow.
    mutating func longLong() throws -> Int {
        let value = try number(8)
        guard value < 1 << 60 else { throw ZipDirectory.Failure("has impossible sizes") }
        return Int(value)
    }
}
