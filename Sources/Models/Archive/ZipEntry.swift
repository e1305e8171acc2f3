/// An entry in the directory of a zip archive.
struct ZipEntry: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A link, a device or a pipe.
        case other
    }

    /// The name as it is in the archive, which may not be UTF-8.
    var nameBytes: [UInt8]
    var flags: UInt16
    var method: UInt16
    var checksum: UInt32
    /// The size of the packed data, in bytes.
    var packedSize: Int
    /// The size of the unpacked file, in bytes.
    var size: Int
    /// The position of the entry's local header in the archive, in bytes.
    var offset: Int
    /// The system that made the entry; 3 is Unix.
    var system: UInt8
    var attributes: UInt32

    var isFolderByName: Bool { nameBytes.last == UInt8(ascii: "/") }

    var kind: Kind {
        switch attributes >> 16 & 0o170000 {
        // Archives made on other systems have no mode.
        case 0: isFolderByName || attributes & 0x10 != 0 && system != 3 ? .folder : .file
        case 0o100000: .file
        case 0o040000: .folder
        default: .other
        }
    }

    var isEncrypted: Bool { flags & 0x2041 != 0 }
}
