import Foundation
import Glibc
import System

/// The steps of an installation, on a thread that may block.
struct InstallationSteps {
    let installation: ModelInstallation
    let stop: ChildCancellation

    /// The space to leave free on the disk, in bytes.
    private static let spareSpace = 16 << 20

    var store: ModelStore { installation.store }
    var tools: InstallTools { installation.tools }
    var disk: FolderTools { tools.disk }
    /// The folder in which models are installed.
    var own: String { store.folders[0] }

    func run() throws -> ModelInstallation.Outcome {
        let outcome: ModelInstallation.Outcome
        switch installation.source {
        case .catalog(let model): outcome = try install(model)
        case .archive(let path):
            let archive = try ArchiveFile(path: path)
            if let name = try fileName(path) {
                outcome = try installFile(name, from: archive)
                break
            }
            try compare(archive, installation.checksum)
            outcome = try unpack(archive, named: path)
        case .address(let address): outcome = try install(address)
        }
        installation.begin(.installed)
        return outcome
    }

    private func install(_ model: CatalogModel) throws -> ModelInstallation.Outcome {
        guard model.isRecognizer else {
            throw SpeechError(.noModel, "\(model.name) does not recognize speech; utter has no use for it")
        }
        let name = installation.givenName ?? model.name
        if model.pass == .second {
            guard let address = HTTPAddress(model.address) else {
                throw SpeechError(.noModel, "the list of models has no safe address for \(model.name)")
            }
            return try installFile(
                name, from: address, size: model.isSizeExact ? model.size : nil,
                checksum: installation.checksum ?? model.checksums.first)
        }
        return try installing(name) { folder in
            let model = try withChecksum(model)
            guard let address = HTTPAddress(model.address),
                let checksum = installation.checksum ?? model.checksums.first
            else {
                throw SpeechError(.noModel, "the list of models has no safe address or checksum for \(model.name)")
            }
            let download = try download(
                .archive, address, size: model.isSizeExact ? model.size : nil, checksum: checksum, into: folder)
            return try unpack(download.file, name: name, folder, isDownload: true)
        }
    }

    private func install(_ address: HTTPAddress) throws -> ModelInstallation.Outcome {
        if let name = try fileName(address.path) {
            return try installFile(name, from: address, size: nil, checksum: installation.checksum)
        }
        let fileStem = Self.stem(of: address.fileName)
        let stem = CatalogModel.isName(fileStem) ? fileStem : "archive"
        if let name = installation.givenName, let there = try installedBefore(name) { return there }
        // A model's name never begins with a dot, so this lock is always taken before a model's, never after it.
        let folder = try lock(".from-" + stem)
        let archive = try download(.archive, address, size: nil, checksum: installation.checksum, into: folder).file
        do {
            let outcome = try unpack(archive, named: stem)
            try folder.remove()
            return outcome
        } catch let error as SpeechError where error.code == .archiveRefused {
            try folder.remove()
            throw error
        }
    }

    /// Returns the model with a checksum. The catalog that came with utter has few; the official list has the others.
    private func withChecksum(_ model: CatalogModel) throws -> CatalogModel {
        if !model.checksums.isEmpty || installation.checksum != nil { return model }
        installation.begin(.listing)
        _ = try CatalogUpdate(store: store, tools: tools, stop: stop).run()
        guard let listed = store.catalog.model(named: model.name), !listed.checksums.isEmpty else {
            throw SpeechError(
                .noModel,
                "the official list has no checksum for \(model.name), so it is not installed; "
                    + "download \(model.address) yourself and give it with --from")
        }
        return listed
    }

    // MARK: Unpacking

    /// Installs the model in an archive, unless it is installed.
    ///
    /// - Parameter path: the path or the name of the archive, for a model without a name.
    private func unpack(_ archive: ArchiveFile, named path: String) throws -> ModelInstallation.Outcome {
        let name = try name(of: try archive.plan(), path)
        return try installing(name) { try unpack(archive, name: name, $0) }
    }

    /// Unpacks an archive in the folder of a model and installs that.
    ///
    /// - Parameter isDownload: whether the archive is a download in the folder.
    private func unpack(
        _ archive: ArchiveFile, name: String, _ folder: InstallFolder, isDownload: Bool = false
    ) throws -> ModelInstallation.Outcome {
        do {
            let plan = try archive.plan()
            try makeRoom(for: plan.size, in: folder.path)
            installation.begin(.unpacking, total: plan.size)
            try disk.make(folder.unpackedPath)
            try Unpacking(
                archive: archive, plan: plan, stop: stop, disk: disk,
                report: { [installation] in installation.take($0, of: plan.size) }
            )
            .run(into: folder.unpackedPath)
            if let problem = ModelFolder(path: folder.unpackedPath).problem {
                let what = problem.description.replacingOccurrences(
                    of: "the model \(folder.unpackedPath) ", with: "it ")
                throw SpeechError(.archiveRefused, "the archive \(archive.path) holds no model: \(what)")
            }
            try stop.check()
            return try place(folder, name: name, ModelManifest(plan: plan))
        } catch {
            try disk.remove(folder.unpackedPath)
            // Keep a good download, since the next attempt may succeed. One that is refused is not tried again.
            if !isDownload || (error as? SpeechError)?.code == .archiveRefused { try folder.remove() }
            throw error
        }
    }

    /// Makes the assembled folder a model of the store, in one step. rename(2)
    func place(_ folder: InstallFolder, name: String, _ manifest: ModelManifest) throws
        -> ModelInstallation.Outcome
    {
        try disk.write(Array(manifest.text.utf8), to: folder.unpackedPath + "/" + ModelManifest.name)
        let target = own + "/" + name
        func rename(_ from: String, _ to: String) -> Bool { disk.calls.rename(AT_FDCWD, from, AT_FDCWD, to) == 0 }
        if !rename(folder.unpackedPath, target) {
            guard [ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else {
                throw FileError(.create, path: target, errno: errno)
            }
            // The folder there is no complete model, otherwise nothing would have been installed.
            if !rename(target, folder.replacedPath) { throw FileError(.replace, path: target, errno: errno) }
            if !rename(folder.unpackedPath, target) {
                let code = errno
                // Its user may have put files of their own into it.
                _ = rename(folder.replacedPath, target)
                throw FileError(.create, path: target, errno: code)
            }
        }
        try disk.calls.flushFolder(at: own)
        try folder.remove()
        return ModelInstallation.Outcome(model: InstalledModel(path: target), wasInstalled: false)
    }

    // MARK: Small parts

    /// Returns the outcome if the model is installed already.
    ///
    /// - Throws: `SpeechError` if a model for the other pass has the name.
    private func installed(_ name: String, _ pass: RecognitionPass) throws -> ModelInstallation.Outcome? {
        if let model = store.wholeModel(named: name, for: pass) {
            return ModelInstallation.Outcome(model: model, wasInstalled: true)
        }
        let other = pass == .first ? RecognitionPass.second : .first
        guard let model = store.wholeModel(named: name, for: other) else { return nil }
        throw SpeechError(
            .noModel,
            "\(model.path) is a model of the \(other.rawValue) pass; give this one another name, before --from")
    }

    /// Returns the outcome if the model is installed already, and removes what an installation left that failed or was
    /// killed after it had given the model its place.
    private func installedBefore(_ name: String, _ pass: RecognitionPass = .first) throws
        -> ModelInstallation.Outcome?
    {
        guard let there = try installed(name, pass) else { return nil }
        try InstallFolder.sweep(own, on: disk)
        return there
    }

    /// Calls `body` with the locked folder of a model, unless the model is installed already.
    func installing(
        _ name: String, _ pass: RecognitionPass = .first,
        _ body: (InstallFolder) throws -> ModelInstallation.Outcome
    ) throws -> ModelInstallation.Outcome {
        if let there = try installedBefore(name, pass) { return there }
        let folder = try lock(name)
        // The process that had the lock may have installed it.
        if let there = try installed(name, pass) {
            try folder.remove()
            return there
        }
        return try body(folder)
    }

    private func lock(_ name: String) throws -> InstallFolder {
        try disk.make(own)
        try InstallFolder.sweep(own, on: disk)
        return try InstallFolder.lock(name, in: own, on: disk, stop: stop) { [installation] in
            installation.begin(.waiting)
        }
    }

    private func name(of plan: ArchivePlan, _ path: String) throws -> String {
        try checked(installation.givenName ?? plan.name ?? Self.stem(of: path), of: "the archive's folder")
    }

    /// Returns the name of a model that is one file; nil if `path` is not the path of a GGUF file.
    private func fileName(_ path: String) throws -> String? {
        guard path.lowercased().hasSuffix(Self.fileEnd) else { return nil }
        return try checked(installation.givenName ?? Self.stemOrFolder(of: path), of: "the file")
    }

    /// Returns the name of a file without the extension, or that of its folder where the file is called as in every model's folder.
    private static func stemOrFolder(of path: String) -> String {
        let parts = URL(fileURLWithPath: path).standardizedFileURL.pathComponents.suffix(2)
        guard parts.last == ModelFile.name, let folder = parts.first, CatalogModel.isName(folder) else {
            return stem(of: path)
        }
        return folder
    }

    private func checked(_ name: String, of what: String) throws -> String {
        if CatalogModel.isName(name) { return name }
        throw SpeechError(
            .archiveRefused, "\(what) has a name that no model can have; give the model one of your own before --from")
    }

    static let fileEnd = ".gguf"

    /// Returns the last component of a path, without the extension.
    private static func stem(of path: String) -> String {
        let name = String(path.split(separator: "/").last ?? "")
        let end = [".zip", fileEnd].first { name.lowercased().hasSuffix($0) }
        return String(name.dropLast(end?.count ?? 0))
    }

    func makeRoom(for bytes: Int, in folder: String) throws {
        guard let free = tools.freeSpace(folder), free < bytes + Self.spareSpace else { return }
        func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }
        throw SpeechError(
            .insufficientSpace,
            "the model needs \(megabytes(bytes + Self.spareSpace)) in \(own) and \(megabytes(free)) are free there; "
                + "make room and run the same command again")
    }
}
