/// The download of a model: of an archive for the first pass, of a file for the second.
extension InstallationSteps {
    /// The greatest size of a download, in bytes.
    private static let maximumSize = 16 << 30

    /// The downloaded file, its verified checksum, and how it was verified.
    typealias Downloaded = (file: ArchiveFile, checksum: Checksum?, verification: DownloadVerification)

    func download(
        _ content: Download.Content, _ address: HTTPAddress, size: Int?, checksum: Checksum?, into folder: InstallFolder
    ) throws -> Downloaded {
        let file = try PartialFile(path: content == .file ? folder.filePath : folder.archivePath, on: disk)
        do { return try download(content, address, size: size, checksum: checksum, into: folder, file) } catch {
            // A part stays for the next attempt; an empty file is removed.
            if file.size == 0 { try folder.remove() }
            throw error
        }
    }

    private func download(
        _ content: Download.Content, _ address: HTTPAddress, size: Int?, checksum: Checksum?,
        into folder: InstallFolder,
        _ file: PartialFile
    ) throws -> Downloaded {
        installation.begin(.downloading, total: size)
        let download = Download(
            address: address, content: content, size: size, isChecked: checksum != nil, maximumSize: Self.maximumSize,
            curl: tools.curl, stop: stop,
            report: { [installation] in installation.take($0, of: $1) },
            // An unpacked archive is less than twice as large as the archive, which is kept beside it for a while.
            makeRoom: { try makeRoom(for: content == .file ? $0 : $0 + 2 * ($0 + file.size), in: folder.path) })
        var outcome = try download.run(into: file)
        while true {
            let archive = try ArchiveFile(path: file.path)
            do {
                try compare(archive, checksum ?? outcome.sha256)
                if let checksum { return (archive, checksum, .known) }
                if content == .file { try checkTable(of: archive, "what \(address.host) sent") }
                return (archive, outcome.sha256, outcome.sha256 == nil ? .impossible : .server(address.host))
            } catch let error as SpeechError where error.code == .archiveRefused {
                // A wrong file must not be continued.
                try file.clear()
                // The part that was here before may have been of another archive, or damaged in a power failure.
                guard outcome.hadPart else { throw error }
                installation.begin(.downloading, total: size)
                outcome = try download.run(into: file)
            }
        }
    }

    /// Refuses a file that its own table of contents shows to be cut off, damaged, or no model of speech.
    ///
    /// - Parameter what: what the file is, for the error.
    func checkTable(of file: ArchiveFile, _ what: String) throws {
        do { try file.table().checkArchitecture() } catch let failure as ModelFileTable.Failure {
            throw SpeechError(.archiveRefused, "\(what) \(failure.reason)")
        }
    }

    func compare(_ archive: ArchiveFile, _ checksum: Checksum?) throws {
        guard let checksum else { return }
        installation.begin(.verifying, total: archive.size)
        if try archive.checksum(checksum.algorithm, stop: stop) == checksum { return }
        let isFile = archive.path.hasSuffix(Self.fileEnd)
        throw SpeechError(
            .archiveRefused,
            "the \(isFile ? "file" : "archive")'s \(checksum.algorithm.rawValue.uppercased()) is not the one it must have: "
                + "it was damaged or changed, or the list is old" + (isFile ? "" : " (utter models update)"))
    }
}
