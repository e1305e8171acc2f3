import Glibc
import Synchronization

/// Caches the catalog of a store, and reads it again when a list has changed: decoding takes longer than most of its
/// uses.
final class CatalogCache: Sendable {
    /// The identity and version of a file. stat(2)
    private struct Stamp: Equatable {
        var path: String
        var inode: ino_t
        var size: off_t
        var seconds: Int
        var nanoseconds: Int
    }

    private let last = Mutex<(stamps: [Stamp], catalog: ModelCatalog)?>(nil)

    func catalog(in folders: [String]) -> ModelCatalog {
        let stamps = ModelCatalog.paths(in: folders).compactMap(Self.stamp)
        return last.withLock { last in
            if let last, last.stamps == stamps { return last.catalog }
            let catalog = ModelCatalog(folders: folders)
            last = (stamps, catalog)
            return catalog
        }
    }

    private static func stamp(of path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            path: path, inode: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }
}
