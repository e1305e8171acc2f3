import Glibc

/// The identity of a regular file, whatever path or descriptor leads to it.
package struct FileIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    /// The file at a path; nil when that is not a regular file, for an output replaces only those. stat(2)
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file of a descriptor; nil when that is not a regular file. fstat(2)
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
