/// An entry of a zip archive, as its directory tells of it.
struct ZipEntry: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A link, a device, a pipe.
        case other
    }

    /// As it stands there; not even that it is UTF-8 is sure.
    var nameBytes: [UInt8]
    var flags: UInt16
    var method: UInt16
    var checksum: UInt32
    /// In bytes.
    var packedSize: Int
    var size: Int
    /// Where it begins in the archive.
    var offset: Int
    /// The system that wrote it; 3 is Unix.
    var system: UInt8
    var attributes: UInt32

    var isFolderByName: Bool { nameBytes.last == UInt8(ascii: "/") }

    var kind: Kind {
        switch attributes >> 16 & 0o170000 {
        // Archives of other systems have no mode.
        case 0: isFolderByName || attributes & 0x10 != 0 && system != 3 ? .folder : .file
        case 0o100000: .file
        case 0o040000: .folder
        default: .other
        }
    }

    var isEncrypted: Bool { flags & 0x2041 != 0 }
}
