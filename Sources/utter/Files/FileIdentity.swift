import Glibc

/// Which file a path or a descriptor leads to, whatever it is called there.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    /// Nil where there is no regular file: only those are replaced by an output. stat(2)
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The same for what is open. fstat(2)
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
