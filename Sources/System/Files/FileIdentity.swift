import Glibc

/// The identity of a regular file, whatever path or descriptor leads to it.
package struct FileIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    /// The file at a path; nil when that is not a regular file, for an output replaces only those. stat(2)
    package init?(path: String) { self.init(stat(path)) }

    /// The file of a descriptor; nil when that is not a regular file. fstat(2)
    package init?(descriptor: Int32) { self.init(stat(descriptor)) }

    private init?(_ status: stat?) {
        guard let status, status.isFile else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
