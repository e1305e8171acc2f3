import Foundation
import Glibc
import System

/// The installation of a model for the second pass: one file, which needs no unpacking.
extension InstallationSteps {
    /// Installs a file from the catalog or from any address.
    ///
    /// - Parameter checksum: the expected checksum; nil uses the one that the server sends.
    func installFile(_ name: String, from address: HTTPAddress, size: Int?, checksum: Checksum?) throws
        -> ModelInstallation.Outcome
    {
        try installing(name, .second) { folder in
            let download = try download(.file, address, size: size, checksum: checksum, into: folder)
            var outcome = try place(download.file, download.checksum, name: name, folder)
            outcome.verification = download.verification
            return outcome
        }
    }

    /// Installs a copy of a local file.
    func installFile(_ name: String, from file: ArchiveFile) throws -> ModelInstallation.Outcome {
        try checkTable(of: file, file.path)
        return try installing(name, .second) { folder in
            do {
                try makeRoom(for: file.size, in: folder.path)
                let copy = try PartialFile(path: folder.filePath, on: disk)
                try copy.clear()
                installation.begin(.copying, total: file.size)
                for offset in stride(from: 0, to: file.size, by: 1 << 20) {
                    try stop.check()
                    let bytes = try file.read(offset, min(1 << 20, file.size - offset))
                    try copy.write(bytes[...], at: offset)
                    installation.take(offset + bytes.count, of: file.size)
                }
                let copied = try ArchiveFile(path: copy.path)
                try compare(copied, installation.checksum)
                return try place(copied, installation.checksum, name: name, folder)
            } catch {
                try folder.remove()
                throw error
            }
        }
    }

    /// Moves the verified file to its place. link(2)
    ///
    /// - Parameter verified: the checksum by which it was verified.
    private func place(
        _ file: ArchiveFile, _ verified: Checksum?, name: String, _ folder: InstallFolder
    ) throws -> ModelInstallation.Outcome {
        // The manifest needs a SHA-256, even if the file was verified by none.
        let sum =
            if let verified, verified.algorithm == .sha256 { verified } else { try file.checksum(.sha256, stop: stop) }
        try stop.check()
        try disk.make(folder.unpackedPath)
        // Give the file, which only its owner can read, the read permissions of the folder.
        var status = stat()
        guard disk.calls.statusOf(AT_FDCWD, folder.unpackedPath, &status) == 0,
            disk.calls.setMode(file.descriptor, status.st_mode & 0o666) == 0,
            disk.calls.flush(file.descriptor) == 0
        else { throw FileError(.write, path: file.path, errno: errno) }
        let target = folder.unpackedPath + "/" + ModelFile.name
        // Link, so that the download keeps its name until the model is in its place. Some file systems have no links.
        if disk.calls.link(AT_FDCWD, file.path, target) != 0,
            disk.calls.rename(AT_FDCWD, file.path, AT_FDCWD, target) != 0
        {
            throw FileError(.create, path: target, errno: errno)
        }
        let manifest = ModelManifest(files: [
            ModelManifest.File(path: ModelFile.name, size: file.size, sum: .sha256(sum))
        ])
        return try place(folder, name: name, manifest)
    }
}
