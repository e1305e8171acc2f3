/// The plan of which file of an archive is unpacked to which path. It exists only for archives that are safe to unpack.
struct ArchivePlan: Equatable {
    struct File: Equatable {
        /// The path in the model's folder, such as `am/final.mdl`.
        var path: String
        /// The size of the unpacked file, in bytes.
        var size: Int
        var checksum: UInt32
    }

    /// The name of the folder that contains everything in the archive; nil if there is none.
    let name: String?
    /// The folders in the model's folder, each after the folder that contains it.
    let folders: [String]
    /// The files, in the order in which they are unpacked.
    let files: [File]

    /// The size of all unpacked files, in bytes.
    var size: Int { files.reduce(0) { $0 + $1.size } }

    private typealias Failure = ZipDirectory.Failure

    /// The greatest ratio of unpacked to packed bytes.
    private static let maximumRatio = 100
    /// The size up to which a file may have a greater ratio, in bytes.
    private static let smallFile = 1 << 16
    private static let maximumDepth = 8

    /// Checks the entries of an archive, and makes the plan.
    ///
    /// - Parameters:
    ///   - entries: the entries of the archive.
    ///   - archiveSize: the size of the archive, in bytes. The unpacked files may be ten times as large, or 16 MiB if
    ///     that is more.
    /// - Throws: `ZipDirectory.Failure` if the archive is not safe to unpack.
    init(_ entries: [ZipEntry], archiveSize: Int) throws {
        var total = 0
        var paths: [(parts: [String], entry: ZipEntry)] = []
        for entry in entries {
            let parts = try Self.parts(of: entry)
            let name = parts.joined(separator: "/")
            guard entry.kind != .other else {
                throw Failure("has an entry that is neither a file nor a folder: \(name)")
            }
            guard !entry.isEncrypted else { throw Failure("is encrypted") }
            guard [0, 8].contains(entry.method) else {
                throw Failure("is packed in a way that is not known (\(entry.method)): \(name)")
            }
            guard (entry.kind == .folder) == entry.isFolderByName, entry.kind == .file || entry.size == 0 else {
                throw Failure("has an entry that is a file and a folder at once: \(name)")
            }
            guard entry.method != 0 || entry.size == entry.packedSize else {
                throw Failure("contradicts itself about an entry")
            }
            guard entry.size <= Self.smallFile || entry.size / Self.maximumRatio <= entry.packedSize else {
                throw Failure("has an entry that unpacks to more than \(Self.maximumRatio) times its size: \(name)")
            }
            total += entry.size
            guard total <= max(archiveSize * 10, 16 << 20) else {
                throw Failure("unpacks to more than ten times its size")
            }
            paths.append((parts, entry))
        }
        try Self.checkNames(paths.map { ($0.parts, $0.entry.kind == .folder) })
        guard paths.contains(where: { $0.entry.kind == .file }) else { throw Failure("has no files in it") }

        let tops = Set(paths.map { $0.parts[0] })
        let hasTop = tops.count == 1 && paths.allSatisfy { $0.parts.count > 1 || $0.entry.kind == .folder }
        name = hasTop ? tops.first : nil
        let depth = hasTop ? 1 : 0
        var folders: Set<String> = []
        for (parts, entry) in paths {
            let below = parts.dropFirst(depth)
            for end in stride(from: 1, through: below.count - (entry.kind == .file ? 1 : 0), by: 1) {
                folders.insert(below.prefix(end).joined(separator: "/"))
            }
        }
        self.folders = folders.sorted()
        files = paths.filter { $0.entry.kind == .file }.map { parts, entry in
            File(path: parts.dropFirst(depth).joined(separator: "/"), size: entry.size, checksum: entry.checksum)
        }
    }

    private static func parts(of entry: ZipEntry) throws -> [String] {
        guard let name = String(validating: entry.nameBytes, as: UTF8.self) else {
            throw Failure("has a name in it that is not UTF-8")
        }
        guard !name.isEmpty, name.utf8.count <= 1024 else {
            throw Failure("has a name in it that is empty or too long")
        }
        guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
            throw Failure("has a name in it with control characters")
        }
        guard !name.contains("\\") else { throw Failure("has a name in it with backslashes: \(name)") }
        guard !name.hasPrefix("/") else { throw Failure("has an entry that leaves its folder: \(name)") }
        let path = name.hasSuffix("/") ? name.dropLast() : name[...]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains("..") else { throw Failure("has an entry that leaves its folder: \(name)") }
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0.utf8.count > 255 }), parts.count <= maximumDepth
        else {
            throw Failure("has an invalid path in it: \(name)")
        }
        return parts
    }

    /// Checks that no two entries have the same path on any file system, and that no file is used as a folder.
    private static func checkNames(_ paths: [(parts: [String], isFolder: Bool)]) throws {
        /// The known paths by a key that ignores letter case: the path as written, whether it is a folder, and whether
        /// it is an entry.
        var known: [String: (path: String, isFolder: Bool, isEntry: Bool)] = [:]
        for (parts, isFolder) in paths {
            for end in 1...parts.count {
                let isEntry = end == parts.count
                let path = parts.prefix(end).joined(separator: "/")
                // String comparison already treats equivalent spellings of a letter as equal.
                let key = path.lowercased()
                let isFolderHere = !isEntry || isFolder
                guard let other = known[key] else {
                    known[key] = (path, isFolderHere, isEntry)
                    continue
                }
                guard Array(other.path.utf8) == Array(path.utf8) else {
                    throw Failure("has two names in it that differ only in their letters: \(path)")
                }
                guard other.isFolder == isFolderHere else {
                    throw Failure("has an entry that is a file and a folder at once: \(path)")
                }
                if isEntry, other.isEntry { throw Failure("has an entry twice: \(path)") }
                if isEntry { known[key]?.isEntry = true }
            }
        }
    }
}
