import Audio
import Glibc
import Foundation

/// What an installed model's files were when it was installed: for each its CRC-32, its size and its path.
///
/// It lies in the model's folder, where neither libvosk nor other programs look for it.
struct ModelManifest {
    static let name = ".utter-manifest"
    private static let firstLine = "utter-manifest 1"

    let files: [ArchivePlan.File]

    init(files: [ArchivePlan.File]) { self.files = files }

    var text: String {
        ([Self.firstLine] + files.map { "\(String($0.checksum, radix: 16)) \($0.size) \($0.path)" }).joined(separator: "\n") + "\n"
    }

    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.first == Self.firstLine[...] else { return nil }
        var files: [ArchivePlan.File] = []
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let checksum = UInt32(parts[0], radix: 16), let size = Int(parts[1]) else { return nil }
            files.append(ArchivePlan.File(path: String(parts[2]), size: size, checksum: checksum))
        }
        self.files = files
    }

    /// - Returns: nil when the model has none: something else installed it.
    static func of(modelAt path: String) -> ModelManifest? {
        SmallFile.content(of: path + "/" + name, limit: 1 << 24).flatMap { ModelManifest(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// The files that are not as they were. Reads them all.
    func changedFiles(inModelAt folder: String) throws -> [String] {
        try files.filter { try !isUnchanged($0, folder + "/" + $0.path) }.map(\.path)
    }

    private func isUnchanged(_ file: ArchivePlan.File, _ path: String) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR, ENXIO, ENODEV].contains(errno) { return false }
            throw FileError(.open, path: path, errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == file.size else { return false }
        var checksum = CRC32()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw FileError(.read, path: path, errno: errno) }
            if count == 0 { return checksum.value == file.checksum }
            buffer.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
