import Foundation
import Outbox

/// The files of one transcript in an output folder, one for each format.
///
/// With `--resume`, a text is sent to the destinations once, whatever is killed, and however many runs transcribe one recording: the
/// run that gives the last missing file its name sends the text. Until that is done, the file has a note with the text's id. A later
/// run that finds the note transcribes the recording again, and sends the text with the same id.
struct TranscriptFiles: Sendable {
    private let names: [String]
    private let folder: OutputFolder
    /// The place in `names` of the file that decides who sends the text.
    private let deciding: Int
    /// The id with which the text of files that are there should have been sent.
    private let unsent: UUID?
    private var files: [AtomicOutput] = []

    /// Looks for the files in the folder.
    ///
    /// - Parameter sends: whether a text that is there, and was not sent, is transcribed and sent again.
    init(_ names: [String], in folder: OutputFolder, sends: Bool) {
        (self.names, self.folder) = (names, folder)
        let ids = sends ? names.map { OutputAttributes.unsent($0, in: folder) } : []
        unsent = ids.lazy.compactMap { $0 }.first
        deciding = ids.firstIndex { $0 != nil } ?? names.firstIndex { !folder.has($0) } ?? names.count - 1
    }

    /// The paths of the files.
    var paths: [String] { names.map { "\(folder.path)/\($0)" } }

    /// Whether all files are there, and nothing is left to send.
    var areDone: Bool { unsent == nil && names.allSatisfy(folder.has) }

    /// Which other recording one of the files that are there is the text of, with the file's path.
    func others(than recording: String, tellsSizes: Bool) -> [(path: String, recording: String)] {
        zip(names, paths).compactMap { name, path in
            OutputAttributes.other(than: recording, of: name, in: folder, tellsSizes: tellsSizes).map { (path, $0) }
        }
    }

    /// Creates the files, which have no names yet.
    ///
    /// - Parameter keepsOthers: whether the text of another recording stays, which is then an error.
    mutating func open(of recording: String?, keepsOthers: Bool, _ interruption: Interruption) throws {
        files = try names.map {
            try AtomicOutput($0, in: folder, of: recording, keepsOthers: keepsOthers, interruption: interruption)
        }
    }

    func write(_ piece: String, format: Int) throws { try files[format].write(piece) }

    /// Keeps what was written as files with `.part` after the name, and returns their paths.
    func keepParts() throws -> [String] { try files.compactMap { try $0.keepPart() } }

    /// Gives the files their names, in place of those that are there.
    func commit() throws { for file in files { try file.commit() } }

    /// Gives the files their names, and sends the text, unless another run has done so meanwhile.
    ///
    /// - Parameter send: sends the text with an id; nil when there is nothing to send.
    /// - Returns: false when another run has done it.
    func commitOnce(sending send: ((UUID) throws -> Void)?) throws -> Bool {
        if let unsent, OutputAttributes.unsent(names[deciding], in: folder) != unsent { return false }
        let id = unsent ?? .timeOrdered()
        let isNoted = send == nil || files[deciding].noteUnsent(id)
        // Without a note, an input whose file exists is never sent again.
        if !isNoted { try send?(id) }
        for index in files.indices where index != deciding { try files[index].commit() }
        guard try files[deciding].commit(replacing: unsent != nil) else { return false }
        if isNoted, let send {
            try send(id)
            OutputAttributes.noteSent(names[deciding], in: folder)
        }
        return true
    }
}
