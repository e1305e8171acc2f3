import Audio
import Foundation
import Glibc
import Outbox
import System

/// The sound of a memo, saved in addition to its note: one WAV file in a folder that the user names.
///
/// The file's name consists of the note's day and the beginning of the memo's mark in the note, so that each leads to the other, and the
/// names sort by time. All marks of a memo begin alike, whatever vault they are in.
///
///     2025-03-01.md:  - 14:22 buy milk ^utter-019553b4-8a2c-7113-9f4e-0c5d2a7b9e01
///     2025-03-01-utter-019553b4-8a2c-7113.wav
struct MemoSound: Sendable {
    private let folder: String
    /// The absolute path at which the memo's sound begins to be saved.
    let path: String
    let saver: AudioSaver

    private static let suffix = ".wav"

    /// Creates the sound of a memo. Neither folder nor file is created before there is sound.
    ///
    /// - Parameters:
    ///   - folder: the absolute path of the folder, which is created if it is missing. The folder above it is not, for if that is missing, probably
    ///     a disk is not mounted.
    ///   - failed: called at most once, with a sentence that says why no more sound is saved.
    init(in folder: String, of id: UUID, begun: Moment, sampleRate: Int, failed: @escaping @Sendable (String) -> Void) {
        self.folder = folder
        path = Self.path(in: folder, of: id, begun: begun)
        saver = AudioSaver(
            path: path, sampleRate: sampleRate,
            preparing: { _ = try OpenFolder(folder, .named) }, failed: { failed(Self.sentence($0)) })
    }

    /// Continues the file of an earlier memo, after the sound in it: where it was begun, or else here.
    ///
    /// - Returns: the path of the file.
    func join(_ earlier: MemoJournal) -> String {
        let path = Self.left(by: earlier) ?? Self.path(in: folder, of: earlier.id, begun: earlier.begun)
        saver.join(path)
        return path
    }

    /// Removes the sound that an earlier memo has left, wherever it was begun. A journal of an older version does not say where that
    /// is: then it is looked for in the folder of now.
    ///
    /// - Parameter sound: the sound of the memo of now; nil when it is not saved.
    static func remove(of earlier: MemoJournal, _ sound: MemoSound?) {
        if let path = left(by: earlier) { _ = unlink(path) }
        if let sound { _ = unlink(path(in: sound.folder, of: earlier.id, begun: earlier.begun)) }
    }

    /// The file with a memo's sound that its journal names; nil when there is none. A file with another name than the sound of that
    /// memo is none, whatever the journal says.
    private static func left(by journal: MemoJournal) -> String? {
        guard let path = journal.sound, path.hasPrefix("/") else { return nil }
        let isItsName = path == Self.path(in: FolderTools.parent(of: path), of: journal.id, begun: journal.begun)
        return isItsName && stat(itself: path)?.isFile == true ? path : nil
    }

    /// The path of the sound of a memo with this id, which may be that of its mark in a note; nil when there is none.
    ///
    /// - Throws: `FileError` when the folder exists and can't be read.
    static func find(_ id: UUID, in folder: String) throws(FileError) -> String? {
        let end = "-\(mark(of: id))\(suffix)"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let paths = names.sorted().filter { $0.hasSuffix(end) }.map { "\(folder)/\($0)" }
            // A pipe of that name would never end.
            return paths.first { stat(itself: $0)?.isFile == true }
        } catch {
            if !FileManager.default.fileExists(atPath: folder) { return nil }
            throw FileError(.open, path: folder, errno: error.systemErrorNumber)
        }
    }

    /// A sentence that says why not all sound is saved; nil when all is.
    var trouble: String? { saver.failure.map(Self.sentence) }

    private static func sentence(_ error: any Error) -> String {
        "the sound is not kept from here on: \(CommandError(error).message)"
    }

    private static func path(in folder: String, of id: UUID, begun: Moment) -> String {
        "\(folder)/\(begun.day)-\(mark(of: id))\(suffix)"
    }

    /// The beginning of all marks of a memo, which contains its time.
    private static func mark(of id: UUID) -> String { "utter-" + id.name.prefix(18) }
}
