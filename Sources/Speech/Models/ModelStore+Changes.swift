import Audio
import Foundation
import Glibc

extension ModelStore {
    /// The installation of a model of the catalog.
    ///
    /// - Parameter checksum: what the archive must have, instead of what the catalog says.
    public func installation(of model: CatalogModel, checksum: Checksum? = nil) -> ModelInstallation {
        ModelInstallation(.catalog(model), name: nil, checksum: checksum, store: self)
    }

    /// The installation of an archive, or of a GGUF file, that is here already.
    ///
    /// - Parameters:
    ///   - path: a file whose name ends in `.gguf` is one, and a model of the second pass.
    ///   - name: what the model is to be called; nil for the name of the archive's folder, or of the file.
    ///   - checksum: what the file must have.
    /// - Throws: `SpeechError` `.noModel` when no model can have that name.
    public func installation(
        ofArchive path: String, name: String? = nil, checksum: Checksum? = nil
    ) throws(SpeechError) -> ModelInstallation {
        try check(name)
        return ModelInstallation(.archive(path: path), name: name, checksum: checksum, store: self)
    }

    /// The installation of an archive, or of a GGUF file, from anywhere.
    ///
    /// - Throws: `SpeechError` `.downloadRefused` when `address` does not begin with https:// or http://.
    public func installation(
        fromAddress address: String, name: String? = nil, checksum: Checksum? = nil
    ) throws(SpeechError) -> ModelInstallation {
        try check(name)
        guard let address = HTTPAddress(address) else {
            throw SpeechError(.downloadRefused, "\(address) is no address that begins with https:// or http://")
        }
        // What the catalog knows of it counts.
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

    /// Fetches the official list.
    ///
    /// - Returns: how many models it has, and which are new.
    public func updateCatalog() async throws -> (modelCount: Int, newNames: [String]) {
        let stop = Stop()
        return try await withTaskCancellationHandler {
            try await onOwnThread {
                let outcome = try CatalogUpdate(store: self, tools: InstallTools(), stop: stop).run()
                return (outcome.modelCount, outcome.newNames)
            }
        } onCancel: {
            stop.stop()
        }
    }

    /// Removes an installed model, and what is left of its downloads.
    ///
    /// - Returns: whether there was a model; otherwise there was only a part of a download.
    /// - Throws: `SpeechError` `.notOwnModel` when it is not in the store's own folder, `.noModel` when there is none; `FileError`.
    @discardableResult
    public func remove(named name: String) async throws -> Bool {
        try await onOwnThread { try removeHere(name) }
    }

    private func removeHere(_ name: String) throws -> Bool {
        let own = folders[0]
        let path = own + "/" + name
        var status = stat()
        let isThere = CatalogModel.isName(name) && lstat(path, &status) == 0 && !isListOfOurs(name)
        var part = stat()
        let hasPart = CatalogModel.isName(name) && stat("\(own)/\(InstallFolder.parentName)/\(name)", &part) == 0
        if !isThere, !hasPart {
            guard let model = RecognitionPass.allCases.lazy.compactMap({ wholeModel(named: name, for: $0) }).first else {
                throw SpeechError(.noModel, "no model named \(name) is installed")
            }
            let owner = model.origin == .shared ? "came with utter or the system" : "belongs to another program"
            throw SpeechError(.notOwnModel, "\(model.path) is not utter's own to remove: it \(owner)")
        }
        let folder = try InstallFolder.lock(name, in: own, stop: Stop()) {}
        if isThere {
            // First out of sight, so that nobody meets half a model.
            let hidden = own + "/" + InstallFolder.removingPrefix + String(UInt64.random(in: 0...(.max)), radix: 36)
            if rename(path, hidden) != 0 { throw FileError(.remove, path: path, errno: errno) }
            try FolderTools.flush(folder: own)
            try FolderTools.remove(hidden)
        }
        try folder.remove()
        try InstallFolder.sweep(own)
        return isThere
    }

    private func isListOfOurs(_ name: String) -> Bool { ModelCatalog.names.contains(name) }

    /// What `verify` found.
    public enum Verification: Hashable, Sendable {
        /// All files are as they were installed.
        case unchanged
        /// None is missing; what they were nobody has written down.
        case complete
    }

    /// Checks a model's files and loads it, which takes as much memory as using it. A damaged model may crash the process, or never return:
    /// where that matters, use `verifyFiles(of:)` and load the model in another process.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` that names the files that are missing or changed, `.modelLoadFailed`.
    public func verify(_ model: InstalledModel) async throws -> Verification {
        let verification = try await verifyFiles(of: model)
        if model.pass == .second {
            let silence = [Int16](repeating: 0, count: TranscribeModel.sampleRate)
            switch try await SecondPassModel.installed(model.path).probe(silence) {
            case .works: return verification
            case .refused(let reason): throw SpeechError(.modelLoadFailed, reason)
            case .crashed, .late, .failed:
                throw SpeechError(
                    .modelLoadFailed,
                    "libtranscribe does not survive the model \(model.path); it may be damaged or made for another version")
            }
        }
        _ = try await ModelCache.shared.engine(SpeechModel(path: model.path), endpointing: Endpointing(), retention: .whileInUse)
        return verification
    }

    /// Checks a model's files.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` that names the files that are missing or changed.
    public func verifyFiles(of model: InstalledModel) async throws -> Verification {
        if let problem = model.pass == .first ? model.folder.problem : model.file.problem { throw problem }
        return try await onOwnThread { () throws -> Verification in
            guard let manifest = ModelManifest.of(modelAt: model.path) else { return .complete }
            let changed = try manifest.changedFiles(inModelAt: model.path)
            if changed.isEmpty { return .unchanged }
            throw SpeechError(
                .modelIncomplete,
                "the model \(model.path) has files that are not what was installed: \(changed.joined(separator: ", ")); "
                    + "remove it and install it again")
        }
    }
}
