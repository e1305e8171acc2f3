@testable import Models

/// The directory of a zip archive: nothing is read outside the archive, and no path leads out of the model's folder.
enum ArchiveSubject {
    static func check(_ bytes: [UInt8]) {
        let peak = HeapWatch.peak { read(bytes) }
        require(peak <= 64 * bytes.count + 1 << 20, "memory of the archive's own order, not \(peak) for \(bytes.count)")
    }

    private static func read(_ bytes: [UInt8]) {
        var readCount = 0
        do {
            let directory = try ZipDirectory(size: bytes.count) { offset, count in
                require(
                    offset >= 0 && count >= 0 && offset <= bytes.count - count,
                    "reads inside: \(count) at \(offset) of \(bytes.count)")
                readCount += count
                return Array(bytes[offset..<offset + count])
            }
            require(readCount <= 4 * bytes.count + 100, "reads nothing over and over")
            check(directory.entries, archiveSize: bytes.count)
            check(try ArchivePlan(directory.entries, archiveSize: bytes.count), archiveSize: bytes.count)
        } catch let failure as ZipDirectory.Failure {
            require(
                !failure.reason.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) },
                "a reason that can be shown")
        } catch {
            require(false, "an error of the reader's own type, not \(error)")
        }
    }

    /// Checks that no two entries share bytes.
    private static func check(_ entries: [ZipEntry], archiveSize: Int) {
        var free = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            require(entry.packedSize >= 0 && entry.size >= 0 && entry.offset >= free, "entries one after another")
            free = entry.offset + 30 + entry.nameBytes.count + entry.packedSize
        }
        require(free <= archiveSize, "entries inside")
    }

    private static func check(_ plan: ArchivePlan, archiveSize: Int) {
        if let name = plan.name { check(path: name, depth: 1) }
        for path in plan.folders + plan.files.map(\.path) { check(path: path, depth: 8) }
        require(plan.files.allSatisfy { $0.size >= 0 } && plan.size <= max(archiveSize * 10, 16 << 20), "no bomb")
        require(!plan.files.isEmpty, "something to unpack")

        var known: Set<String> = []
        for folder in plan.folders {
            require(known.insert(folder).inserted, "a folder once: \(folder)")
            require(parent(of: folder).map(known.contains) ?? true, "folders from above: \(folder)")
        }
        for file in plan.files {
            require(parent(of: file.path).map(known.contains) ?? true, "a folder for each file: \(file.path)")
        }
        // In lower case, as a file system without letter case compares them.
        let names = plan.folders.map { $0.lowercased() } + plan.files.map { $0.path.lowercased() }
        require(Set(names).count == names.count, "a name once")
    }

    private static func check(path: String, depth: Int) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        require(parts.count <= depth, "not too deep: \(path)")
        require(!parts.contains { ["", ".", ".."].contains($0) || $0.utf8.count > 255 }, "inside the folder: \(path)")
        require(
            !path.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\\" },
            "plain: \(path)")
    }

    private static func parent(of path: String) -> String? { path.lastIndex(of: "/").map { String(path[..<$0]) } }
}
