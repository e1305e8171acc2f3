import Glibc
import Synchronization

/// Caches the catalog of a store, and reads it again when a list has changed: decoding takes longer than most of its
/// uses.
final class CatalogCache: Sendable {
    private let last = Mutex<(stamps: [[Int]], catalog: ModelCatalog)?>(nil)

    func catalog(in folders: [String]) -> ModelCatalog {
        let stamps = ModelCatalog.paths(in: folders).map(Self.stamp)
        return last.withLock { last in
            if let last, last.stamps == stamps { return last.catalog }
            let catalog = ModelCatalog(folders: folders)
            last = (stamps, catalog)
            return catalog
        }
    }

    /// The identity and version of a file; empty if there is none. stat(2)
    private static func stamp(of path: String) -> [Int] {
        guard let status = stat(path) else { return [] }
        return [Int(status.st_dev), Int(status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}
