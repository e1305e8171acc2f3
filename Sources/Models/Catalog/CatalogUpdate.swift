import Foundation
import System

/// Downloads the official list of models into the store's own folder.
struct CatalogUpdate {
    let store: ModelStore
    let tools: InstallTools
    let stop: ChildCancellation

    private var disk: FolderTools { tools.disk }

    /// - Returns: the number of models in the list, and the names of the new ones.
    func run() throws -> (modelCount: Int, newNames: [String]) {
        let own = store.folders[0]
        guard let address = HTTPAddress(tools.listAddress) else {
            throw SpeechError(
                .downloadRefused, "UTTER_MODEL_LIST is not an address that begins with https:// or http://")
        }
        let old = store.catalog
        try disk.make(own)
        let folder = try InstallFolder.lock(".list", in: own, on: disk, stop: stop) {}
        let target = own + "/" + ModelCatalog.fetchedName
        try disk.removeLitter(ofWritesTo: target)
        let bytes: [UInt8]
        do {
            let file = try PartialFile(path: folder.path + "/list.json", on: disk)
            try file.clear()
            _ = try Download(
                address: address, content: .list, maximumSize: CatalogList.maximumSize, curl: tools.curl, stop: stop,
                report: { _, _ in },
                makeRoom: { _ in }
            ).run(into: file)
            bytes = try ArchiveFile(path: file.path).read(0, file.size)
        } catch {
            try folder.remove()
            throw error
        }
        guard let list = CatalogList(Data(bytes)), !list.models.isEmpty else {
            try folder.remove()
            throw SpeechError(.archiveRefused, "what \(address.host) sent is not a list of models; the old one stays")
        }
        try disk.write(bytes, to: target)
        try folder.remove()
        let known = Set(old.models.map(\.name))
        return (list.models.count, list.models.map(\.name).filter { !known.contains($0) })
    }
}
