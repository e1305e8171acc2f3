import Glibc

/// What the system knows of a file: its kind, its size, its owner.
extension stat {
    /// That of what a path leads to; nil when that is nothing, or can't be told. stat(2)
    package init?(_ path: String) {
        self.init()
        if fstatat(AT_FDCWD, path, &self, 0) != 0 { return nil }
    }

    /// That of what has a path, which may be a symbolic link. lstat(2)
    package init?(itself path: String) {
        self.init()
        if lstat(path, &self) != 0 { return nil }
    }

    /// That of an open file. fstat(2)
    package init?(_ descriptor: Int32) {
        self.init()
        if fstat(descriptor, &self) != 0 { return nil }
    }

    package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}
