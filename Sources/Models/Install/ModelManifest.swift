import Foundation
import Glibc
import System

/// The checksum, size and path of each file of a model at its installation. The checksum is the CRC-32 from the
/// archive, or the SHA-256 of a file that was installed by itself.
///
/// The manifest is in the model's folder, where neither libvosk nor other programs read it.
struct ModelManifest {
    static let name = ".utter-manifest"
    private static let firstLine = "utter-manifest 1"

    enum Sum: Equatable {
        case crc32(UInt32)
        case sha256(Checksum)

        var text: String {
            switch self {
            case .crc32(let sum): String(sum, radix: 16)
            case .sha256(let sum): sum.hexadecimal
            }
        }

        init?(_ text: some StringProtocol) {
            if let sum = Checksum(.sha256, String(text)) {
                self = .sha256(sum)
            } else if let sum = UInt32(text, radix: 16) {
                self = .crc32(sum)
            } else {
                return nil
            }
        }
    }

    struct File: Equatable {
        /// The path in the model's folder.
        var path: String
        /// The size in bytes.
        var size: Int
        var sum: Sum
    }

    let files: [File]

    init(files: [File]) { self.files = files }

    init(plan: ArchivePlan) { files = plan.files.map { File(path: $0.path, size: $0.size, sum: .crc32($0.checksum)) } }

    var text: String {
        ([Self.firstLine] + files.map { "\($0.sum.text) \($0.size) \($0.path)" }).joined(separator: "\n") + "\n"
    }

    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.first == Self.firstLine[...] else { return nil }
        var files: [File] = []
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let sum = Sum(parts[0]), let size = Int(parts[1]) else { return nil }
            files.append(File(path: String(parts[2]), size: size, sum: sum))
        }
        self.files = files
    }

    /// Reads the manifest of a model.
    ///
    /// - Returns: nil if the model has none, because it was not installed by utter.
    static func of(modelAt path: String) -> ModelManifest? {
        SmallFile.content(of: path + "/" + name, limit: 1 << 24).flatMap {
            ModelManifest(text: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Returns the paths of the files that have changed. Reads all files.
    func changedFiles(inModelAt folder: String) throws -> [String] {
        try files.filter { try !isUnchanged($0, folder + "/" + $0.path) }.map(\.path)
    }

    private func isUnchanged(_ file: File, _ path: String) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR, ENXIO, ENODEV].contains(errno) { return false }
            throw FileError(.open, path: path, errno: errno)
        }
        defer { close(descriptor) }
        guard let status = stat(descriptor), status.isFile, Int(status.st_size) == file.size else { return false }
        if case .sha256(let sum) = file.sum {
            return try ArchiveFile(path: path).checksum(.sha256, stop: ChildCancellation()) == sum
        }
        var checksum = CRC32()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Descriptor.retrying { read(descriptor, &buffer, buffer.count) }
            if count < 0 { throw FileError(.read, path: path, errno: errno) }
            if count == 0 { return .crc32(checksum.value) == file.sum }
            buffer.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
