/// Makes zip archives, also invalid ones: every field can be set to a wrong value.
struct ZipBuilder {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8] = []
        /// The Unix mode: the type of the file and its permissions.
        var mode: UInt32 = 0o100644
        var method: UInt16 = 0
        var flags: UInt16 = 0
        /// A wrong checksum in both headers; nil for the real one.
        var checksum: UInt32?
        var size: Int?
        /// The packed bytes, if they are not to be those of `content`.
        var packed: [UInt8]?
        /// Another name in the local header.
        var headName: [UInt8]?
        /// The index of another entry at whose offset the directory places this one.
        var sharesPlaceOf: Int?

        init(_ name: String, _ content: [UInt8] = [], mode: UInt32 = 0o100644) {
            self.name = Array(name.utf8)
            self.content = content
            self.mode = mode
        }

        static func folder(_ name: String) -> Entry { Entry(name + "/", mode: 0o040755) }
        static func link(_ name: String, to target: String) -> Entry { Entry(name, Array(target.utf8), mode: 0o120777) }

        /// The entry with content as deflate data, in a stored block.
        func deflated(_ content: [UInt8]) -> Entry {
            var entry = self
            let count = UInt16(content.count)
            entry.method = 8
            entry.packed = [1] + ZipBuilder.number(count) + ZipBuilder.number(~count) + content
            return entry
        }
    }

    var entries: [Entry]
    var before: [UInt8] = []
    var comment: [UInt8] = []
    var behind: [UInt8] = []
    /// A wrong count of entries in the end record; nil for the real one.
    var count: Int?
    var diskNumber: UInt16 = 0
    /// Whether to write the end records of archives beyond 4 GiB.
    var is64 = false

    var bytes: [UInt8] {
        var bytes = before
        var offsets: [Int] = []
        var directory: [UInt8] = []
        for entry in entries {
            offsets.append(bytes.count)
            let packed = entry.packed ?? entry.content
            let facts = Self.facts(entry, packed)
            let name = entry.headName ?? entry.name
            bytes += Self.number(UInt32(0x0403_4B50)) + Self.number(UInt16(20)) + facts
            bytes += Self.number(UInt16(name.count)) + Self.number(UInt16(0)) + name + packed
        }
        for (index, entry) in entries.enumerated() {
            let packed = entry.packed ?? entry.content
            directory += Self.number(UInt32(0x0201_4B50)) + Self.number(UInt16(3 << 8 | 20)) + Self.number(UInt16(20))
            directory += Self.facts(entry, packed) + Self.number(UInt16(entry.name.count))
            directory += [UInt8](repeating: 0, count: 8) + Self.number(entry.mode << 16)
            directory += Self.number(UInt32(offsets[entry.sharesPlaceOf ?? index])) + entry.name
        }
        let offset = bytes.count
        bytes += directory
        let count = count ?? entries.count
        if is64 {
            let place = bytes.count
            bytes +=
                Self.number(UInt32(0x0606_4B50)) + Self.number(UInt64(44)) + Self.number(UInt16(45))
                + Self.number(UInt16(45))
            bytes +=
                Self.number(UInt32(0)) + Self.number(UInt32(0)) + Self.number(UInt64(count))
                + Self.number(UInt64(count))
            bytes += Self.number(UInt64(directory.count)) + Self.number(UInt64(offset))
            bytes +=
                Self.number(UInt32(0x0706_4B50)) + Self.number(UInt32(0)) + Self.number(UInt64(place))
                + Self.number(UInt32(1))
        }
        let shown = is64 ? 0xFFFF : UInt16(truncatingIfNeeded: count)
        bytes +=
            Self.number(UInt32(0x0605_4B50)) + Self.number(diskNumber) + Self.number(diskNumber) + Self.number(shown)
            + Self.number(shown)
        bytes +=
            Self.number(is64 ? UInt32.max : UInt32(directory.count)) + Self.number(is64 ? UInt32.max : UInt32(offset))
        bytes += Self.number(UInt16(comment.count)) + comment
        return bytes + behind
    }

    /// The fields from the flags to the sizes, which both headers have.
    private static func facts(_ entry: Entry, _ packed: [UInt8]) -> [UInt8] {
        number(entry.flags) + number(entry.method) + number(UInt32(0))
            + number(entry.checksum ?? checksum(entry.content))
            + number(UInt32(packed.count)) + number(UInt32(entry.size ?? entry.content.count))
    }

    static func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// The CRC-32, computed bit by bit.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var state = UInt32.max
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = (state >> 1) ^ (state & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~state
    }

    /// An archive that an installation accepts as a model, although libvosk can't load it.
    static func model(_ name: String = "vosk-model-test") -> ZipBuilder {
        ZipBuilder(
            entries: [.folder(name), .folder(name + "/am")]
                + ["am/final.mdl", "conf/mfcc.conf", "conf/model.conf", "graph/HCLr.fst", "graph/Gr.fst"].map {
                    Entry("\(name)/\($0)", Array("the content of \($0)".utf8))
                })
    }

    func adding(_ more: Entry...) -> ZipBuilder {
        var builder = self
        builder.entries += more
        return builder
    }
}
