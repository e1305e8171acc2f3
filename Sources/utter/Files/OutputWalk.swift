import CLinux
import Glibc
import System

/// Follows the path of an output one name at a time, each in the folder that the one before opened, so that nothing on the path
/// can be replaced after it was checked.
///
/// A symbolic link is followed only in a folder that no other user may write to. Elsewhere another user may have put it there to
/// make this process write to a file that only its user may write to.
struct OutputWalk: ~Copyable {
    /// The path as the user gave it, for messages.
    private let path: String
    private var folder: Int32
    /// The names that are left, the last first.
    private var names: [String]
    private var linkCount = 0
    /// How many of the names that are left come from symbolic links.
    private var linkedNameCount = 0
    /// Whether the name that was taken last comes from a symbolic link.
    private var isLinked = false

    /// The most symbolic links that are followed, as in Linux.
    private static let maximumLinkCount = 40

    /// Starts at the root or the working folder.
    ///
    /// - Parameters:
    ///   - path: the path to follow.
    ///   - name: the path in messages.
    /// - Throws: `FileError` when the path is empty or its start can't be opened.
    init(_ path: String, as name: String) throws(FileError) {
        if path.isEmpty { throw FileError(.create, path: name, errno: ENOENT) }
        let start = Self.start(of: path)
        if start < 0 { throw FileError(.create, path: name, errno: errno) }
        self.path = name
        names = Self.names(in: path)
        folder = start
    }

    deinit { if folder >= 0 { close(folder) } }

    /// Takes the next name from the path; nil when there are no more.
    mutating func next() -> String? {
        isLinked = linkedNameCount > 0
        if isLinked { linkedNameCount -= 1 }
        return names.popLast()
    }

    /// Whether all names have been taken.
    var isAtLastName: Bool { names.isEmpty }

    /// Takes the descriptor of the folder that was reached, which the caller closes.
    mutating func takeFolder() -> Int32 {
        defer { folder = -1 }
        return folder
    }

    /// Enters the folder of that name, or follows the symbolic link.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - making: whether to create the folder if it is missing, unless its name comes from a symbolic link.
    /// - Throws: `FileError` when the name is not that of a folder or of a symbolic link that may be followed.
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

    /// What the last name of the path is.
    enum Last {
        /// The place of the output: a free name, a file, or something that is written to directly.
        case here
        /// A symbolic link to something that is written to directly, such as /dev/stdout.
        case linkToDevice
        /// A symbolic link that was followed; the walk goes on.
        case further
    }

    /// Checks the last name, and follows it if it is a symbolic link.
    ///
    /// - Throws: `FileError`, with ELOOP when the link may not be followed.
    mutating func last(_ name: String) throws(FileError) -> Last {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK else {
            return .here
        }
        if OutputFolder.isShared(folder) { throw FileError(.create, path: path, errno: ELOOP) }
        // The target of /dev/stdout may be a pipe, whose name only looks like a path, so only targets that are files are followed.
        if fstatat(folder, name, &status, 0) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            return .linkToDevice
        }
        try enter(name)
        return .further
    }

    /// Adds the names in a link's target before those that are left. readlinkat(2)
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

    /// Creates a folder of that name, durably. mkdirat(2)
    private func make(_ name: String) throws(FileError) {
        // Another process may have created it meanwhile.
        if mkdirat(folder, name, 0o777) != 0, errno != EEXIST { throw FileError(.create, path: path, errno: errno) }
        try OutputFolder.flush(folder, .create, for: path)
    }

    /// Opens a name of any kind, without following a symbolic link. openat(2)
    private func open(_ name: String) throws(FileError) -> (descriptor: Int32, type: mode_t) {
        let descriptor = openat(folder, name, Int32(CLINUX_PLACE_ONLY) | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, let status = stat(descriptor) else {
            throw FileError(.create, path: path, errno: errno)
        }
        return (descriptor, status.st_mode & S_IFMT)
    }

    private static func start(of path: String) -> Int32 {
        Glibc.open(path.hasPrefix("/") ? "/" : ".", Int32(CLINUX_PLACE_ONLY) | O_DIRECTORY | O_CLOEXEC)
    }

    private static func names(in path: String) -> [String] {
        path.split(separator: "/").reversed().map(String.init)
    }
}
