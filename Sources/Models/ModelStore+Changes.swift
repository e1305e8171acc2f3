import Foundation
import Glibc
import System

extension ModelStore {
    /// Returns the installation of a model of the catalog.
    ///
    /// - Parameters:
    ///   - model: the model to install.
    ///   - checksum: the expected checksum of the download; nil for the one in the catalog.
    public func installation(of model: CatalogModel, checksum: Checksum? = nil) -> ModelInstallation {
        ModelInstallation(.catalog(model), name: nil, checksum: checksum, store: self)
    }

    /// Returns the installation of a local archive or GGUF file.
    ///
    /// - Parameters:
    ///   - path: the path of the file. If it ends in `.gguf`, the model is one for the second pass.
    ///   - name: the name for the model; nil for that of the archive's folder or the file, or for `model.gguf` of its folder.
    ///   - checksum: the expected checksum of the file; nil to compare none.
    /// - Throws: `SpeechError` `.noModel` if a model can't have that name.
    public func installation(
        ofArchive path: String, name: String? = nil, checksum: Checksum? = nil
    ) throws(SpeechError) -> ModelInstallation {
        try check(name)
        return ModelInstallation(.archive(path: path), name: name, checksum: checksum, store: self)
    }

    /// Returns the installation of an archive or GGUF file from any address.
    ///
    /// - Parameters:
    ///   - address: the address of the file.
    ///   - name: the name for the model; nil for that of the archive's folder or the file, or for `model.gguf` of its folder.
    ///   - checksum: the expected checksum of the file.
    ///
    /// - Throws: `SpeechError` `.downloadRefused` if `address` does not begin with https:// or http://; `.noModel` if a
    ///   model can't have that name.
    public func installation(
        fromAddress address: String, name: String? = nil, checksum: Checksum? = nil
    ) throws(SpeechError) -> ModelInstallation {
        try check(name)
        guard let address = HTTPAddress(address) else {
            throw SpeechError(.downloadRefused, "\(address) is not an address that begins with https:// or http://")
        }
        // If the catalog has this address, use what it knows of the model.
        if let entry = catalog.models.first(where: { $0.address == address.text }), entry.isRecognizer {
            return ModelInstallation(.catalog(entry), name: name, checksum: checksum, store: self)
        }
        return ModelInstallation(.address(address), name: name, checksum: checksum, store: self)
    }

    private func check(_ name: String?) throws(SpeechError) {
        if let name, !CatalogModel.isName(name) {
            throw SpeechError(.noModel, "\(name) can't be a model's name: letters, digits, dots and hyphens can")
        }
    }

    /// Downloads the official list of models.
    ///
    /// - Returns: the number of models in the list, and the names of the new ones.
    /// - Throws: `SpeechError` if the list can't be downloaded or is refused; `FileError` if it can't be written;
    ///   `CancellationError`.
    public func updateCatalog() async throws -> (modelCount: Int, newNames: [String]) {
        try await updateCatalog(with: InstallTools())
    }

    func updateCatalog(with tools: InstallTools) async throws -> (modelCount: Int, newNames: [String]) {
        try await ChildCancellation.onOwnThread { try CatalogUpdate(store: self, tools: tools, stop: $0).run() }
    }

    /// Removes an installed model and any part of its download.
    ///
    /// - Returns: whether there was a model; otherwise there was only a part of a download.
    /// - Throws: `SpeechError` `.notOwnModel` if the model is not in the store's own folder, `.noModel` if there is
    ///   none; `FileError` if it can't be removed.
    @discardableResult
    public func remove(named name: String) async throws -> Bool {
        try await remove(named: name, on: FolderTools())
    }

    func remove(named name: String, on disk: FolderTools) async throws -> Bool {
        try await onOwnThread { try removeHere(name, disk) }
    }

    private func removeHere(_ name: String, _ disk: FolderTools) throws -> Bool {
        let own = folders[0]
        let path = own + "/" + name
        let isThere = CatalogModel.isName(name) && stat(itself: path) != nil && !ModelCatalog.names.contains(name)
        let hasPart = CatalogModel.isName(name) && stat("\(own)/\(InstallFolder.parentName)/\(name)") != nil
        if !isThere, !hasPart {
            guard let model = RecognitionPass.allCases.lazy.compactMap({ wholeModel(named: name, for: $0) }).first
            else {
                throw SpeechError(.noModel, "no model named \(name) is installed")
            }
            let owner = model.origin == .shared ? "came with utter or the system" : "belongs to another program"
            throw SpeechError(.notOwnModel, "\(model.path) is not utter's own to remove: it \(owner)")
        }
        let folder = try InstallFolder.lock(name, in: own, on: disk, stop: ChildCancellation()) {}
        if isThere {
            // Hide the folder first, so that no process finds half a model.
            let hidden = own + "/" + InstallFolder.removingPrefix + String(UInt64.random(in: 0...(.max)), radix: 36)
            if disk.calls.rename(AT_FDCWD, path, AT_FDCWD, hidden) != 0 {
                throw FileError(.remove, path: path, errno: errno)
            }
            try disk.calls.flushFolder(at: own)
            try disk.remove(hidden)
        }
        try InstallFolder.sweep(own, on: disk)
        // The last step: when another fails, a repeat finds this folder, if no model any more, and does the rest.
        try folder.remove()
        return isThere
    }

    /// The result of a successful check of a model's files.
    public enum Verification: Hashable, Sendable {
        /// All files are as they were installed.
        case unchanged
        /// No file is missing; there is no manifest to compare them with.
        case complete
    }

    /// Checks a model's files without loading it.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` that names the missing or changed files.
    public func verifyFiles(of model: InstalledModel) async throws -> Verification {
        if let problem = model.pass == .first ? model.folder.problem : model.file.problem { throw problem }
        return try await onOwnThread { () throws -> Verification in
            guard let manifest = ModelManifest.of(modelAt: model.path) else {
                try model.checkFiles()
                return .complete
            }
            let changed = try manifest.changedFiles(inModelAt: model.path)
            if changed.isEmpty { return .unchanged }
            throw SpeechError(
                .modelIncomplete,
                "the model \(model.path) has files that are not what was installed: \(changed.joined(separator: ", ")); "
                    + "remove it and install it again")
        }
    }
}
