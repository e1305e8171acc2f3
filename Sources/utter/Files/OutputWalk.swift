import Audio
import CLinux
import Glibc

/// Follows a path to where an output is to be, a name at a time, each in the folder that the one before has opened: nobody can put
/// something else in the place of what was looked at.
///
/// A symbolic link is followed only where it lies in a folder that nobody else may write to: anywhere else somebody may have put it there
/// to lead us to a file that we may write and he may not.
struct OutputWalk: ~Copyable {
    /// For messages.
    private let path: String
    private var folder: Int32
    /// The names that are left, the last first.
    private var names: [String]
    private var linkCount = 0
    /// So many of the names that are left are from links.
    private var linkedNameCount = 0
    /// Whether the name that was taken last is from a link.
    private var isLinked = false

    /// As many as Linux itself follows.
    private static let maximumLinkCount = 40

    /// - Parameters:
    ///   - path: where to go.
    ///   - name: what messages call it.
    init(_ path: String, as name: String) throws(FileError) {
        if path.isEmpty { throw FileError(.create, path: name, errno: ENOENT) }
        let start = Self.start(of: path)
        if start < 0 { throw FileError(.create, path: name, errno: errno) }
        self.path = name
        names = Self.names(in: path)
        folder = start
    }

    deinit { if folder >= 0 { close(folder) } }

    /// The next name, taken from the path; nil when there are no more.
    mutating func next() -> String? {
        isLinked = linkedNameCount > 0
        if isLinked { linkedNameCount -= 1 }
        return names.popLast()
    }

    /// Whether all names have been taken.
    var isAtLastName: Bool { names.isEmpty }

    /// The folder that was reached. The caller closes it.
    mutating func takeFolder() -> Int32 {
        defer { folder = -1 }
        return folder
    }

    /// Goes into the folder of that name, or follows the link.
    ///
    /// - Parameter making: makes the folder where it is missing, unless it is a link that leads there.
    mutating func enter(_ name: String, making: Bool = false) throws(FileError) {
        let place: (descriptor: Int32, type: mode_t)
        do throws(FileError) {
            place = try open(name)
        } catch {
            guard making, !isLinked, error.errno == ENOENT else { throw error }
            try make(name)
            place = try open(name)
        }
        switch place.type {
        case S_IFDIR:
            close(folder)
            folder = place.descriptor
        case S_IFLNK:
            defer { close(place.descriptor) }
            try follow(place.descriptor)
        default:
            close(place.descriptor)
            throw FileError(.create, path: path, errno: ENOTDIR)
        }
    }

    /// What the last name of the path stands for.
    enum Last {
        /// An output can be put there: nothing, a file, or something that is written to directly.
        case here
        /// A link to something that is written to directly, such as /dev/stdout.
        case linkToDevice
        /// A link that was followed; the walk goes on.
        case further
    }

    /// Looks at the last name, and follows it where it is a link.
    mutating func last(_ name: String) throws(FileError) -> Last {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK else { return .here }
        if OutputFolder.isShared(folder) { throw FileError(.create, path: path, errno: ELOOP) }
        // Pipes behind /dev/stdout have names that only look like paths, so only those of files are read.
        if fstatat(folder, name, &status, 0) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) { return .linkToDevice }
        try enter(name)
        return .further
    }

    /// Puts where a link leads before the names that are left. readlinkat(2)
    private mutating func follow(_ link: Int32) throws(FileError) {
        linkCount += 1
        if OutputFolder.isShared(folder) || linkCount > Self.maximumLinkCount {
            throw FileError(.create, path: path, errno: ELOOP)
        }
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(link, "", &buffer, buffer.count)
        guard count > 0, let target = String(validating: buffer[..<count], as: UTF8.self) else {
            throw FileError(.create, path: path, errno: count < 0 ? errno : ENOENT)
        }
        let linked = Self.names(in: target)
        names += linked
        linkedNameCount += linked.count
        guard target.hasPrefix("/") else { return }
        close(folder)
        folder = Self.start(of: target)
        if folder < 0 { throw FileError(.create, path: path, errno: errno) }
    }

    /// Makes a folder of that name, for good. mkdirat(2)
    private func make(_ name: String) throws(FileError) {
        // Another process may have been quicker.
        if mkdirat(folder, name, 0o777) != 0, errno != EEXIST { throw FileError(.create, path: path, errno: errno) }
        do throws(OutputFolder.Errno) { try OutputFolder.flush(folder) } catch {
            throw FileError(.create, path: path, errno: error.code)
        }
    }

    /// Opens a name, whatever it is, without following it. openat(2)
    private func open(_ name: String) throws(FileError) -> (descriptor: Int32, type: mode_t) {
        let descriptor = openat(folder, name, Int32(CLINUX_PLACE_ONLY) | O_NOFOLLOW | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw FileError(.create, path: path, errno: errno) }
        return (descriptor, status.st_mode & S_IFMT)
    }

    private static func start(of path: String) -> Int32 {
        Glibc.open(path.hasPrefix("/") ? "/" : ".", Int32(CLINUX_PLACE_ONLY) | O_DIRECTORY | O_CLOEXEC)
    }

    private static func names(in path: String) -> [String] {
        path.split(separator: "/").reversed().map(String.init)
    }
}
