import Glibc
import System

/// The recordings of a run: the inputs that the user named, with the recordings in a folder in the place of that.
///
/// A recording in a folder is known by its name. What has another name is left, and counted in `others`. Names that begin with a dot
/// are left without a word, and a symbolic link to a folder is not entered, but counted in `links`. A folder that can't be read, or has no
/// recording in it, stays in the list; opening it fails, and says why.
struct InputList {
    /// The paths of the recordings; `-` is standard input.
    private(set) var inputs: [String] = []
    /// The files in folders whose names are not those of recordings.
    private(set) var others: [String] = []
    /// The links to folders in folders.
    private(set) var links: [String] = []

    /// Finds the recordings that are named by arguments and then by a list.
    init(_ arguments: [String], list: String? = nil, interruption: Interruption) throws {
        for path in arguments + (try list.map { try Self.paths(in: $0, interruption) } ?? []) { add(path) }
    }

    private mutating func add(_ path: String) {
        guard path != "-", FolderTools.isFolder(path) else { return inputs.append(path) }
        let count = inputs.count
        enter(path)
        if inputs.count == count { inputs.append(path) }
    }

    /// Adds the recordings in a folder and those below it, by name.
    private mutating func enter(_ folder: String) {
        guard let names = Self.names(in: folder) else { return inputs.append(folder) }
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            if Self.isFolderItself(path) {
                enter(path)
            } else if FolderTools.isFolder(path) {
                links.append(path)
            } else if SoundFormats.isRecording(name), Self.isRegularOrGone(path) {
                inputs.append(path)
            } else {
                others.append(path)
            }
        }
    }

    /// Whether a path leads through a name that is not UTF-8, as the list of a folder has it.
    static func hasOtherName(_ path: String) -> Bool {
        let found = errno
        defer { errno = found }
        var path = path
        while path.contains("\u{FFFD}") {
            let folder = FolderTools.parent(of: path)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            if name.contains("\u{FFFD}"), names(in: folder)?.contains(name) == true { return true }
            path = folder
        }
        return false
    }

    /// The names in a folder; nil when not all can be read. One that is not UTF-8 is repaired: no file has that name, and opening it says so.
    /// open(2)
    private static func names(in folder: String) -> [String]? {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
        defer { close(descriptor) }
        var names: [String] = []
        let code = FileCalls.system.nameBytes(descriptor) { bytes, _ in
            names.append(String(decoding: bytes, as: UTF8.self))
            return true
        }
        return code == 0 ? names : nil
    }

    /// What was left out, in sentences.
    var remarks: [String] {
        func shown(_ paths: [String]) -> String {
            paths.prefix(3).joined(separator: ", ") + (paths.count > 3 ? " and \(paths.count - 3) more" : "")
        }
        let reason =
            others.count == 1 ? "its name is not that of a recording" : "their names are not those of recordings"
        return (others.isEmpty ? [] : ["left out, for \(reason): \(shown(others))"])
            + (links.isEmpty
                ? []
                : ["left out, for links to folders are not followed; name them to hear what is there: \(shown(links))"])
    }

    /// What programs for Windows write before a text in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The paths in a list: one a line, which may all end as Windows ends them, or, as `find -print0` writes them, with a zero byte after each.
    /// One that is not UTF-8 is repaired, as in a folder.
    private static func paths(in list: String, _ interruption: Interruption) throws -> [String] {
        var bytes = try InputFile(path: list, interruption: interruption).readAll()[...]
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let end = bytes.contains(0) ? 0 : lineFeed
        if end == lineFeed, bytes.starts(with: byteOrderMark) { bytes = bytes.dropFirst(byteOrderMark.count) }
        let lines = bytes.split(separator: end)
        // The last line may have no end.
        let ended = bytes.last == end || lines.count < 2 ? lines : lines.dropLast()
        let isOfWindows = end == lineFeed && ended.allSatisfy { $0.last == carriageReturn }
        return lines.map { isOfWindows && $0.last == carriageReturn ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a path is not that of a pipe or a device, from which a whole folder would wait for data. stat(2)
    private static func isRegularOrGone(_ path: String) -> Bool { stat(path)?.isFile ?? true }

    /// Whether a path is that of a folder, and not of a link to one. lstat(2)
    private static func isFolderItself(_ path: String) -> Bool { stat(itself: path)?.isFolder ?? false }
}
