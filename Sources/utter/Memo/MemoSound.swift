import Audio
import Foundation
import Glibc
import Outbox
import System

/// The sound of a memo, kept beside its note: one WAV file in a folder that the user names.
///
/// It is called by the note's day and the beginning of the memo's mark in the note, so that each is found from the other and names sort by
/// time. All marks of a memo begin alike, whatever vault they are in.
///
///     2025-03-01.md:  - 14:22 buy milk ^utter-019553b4-8a2c-7113-9f4e-0c5d2a7b9e01
///     2025-03-01-utter-019553b4-8a2c-7113.wav
struct MemoSound: Sendable {
    private let folder: String
    let saver: AudioSaver

    private static let suffix = ".wav"

    /// Nothing is made before there is sound.
    ///
    /// - Parameters:
    ///   - folder: made where it is missing, but none above it, since where that one is missing, a disk is not mounted.
    ///   - id: the memo's.
    ///   - sampleRate: in Hz.
    ///   - failed: told once why no more is kept: a sentence.
    init(in folder: String, of id: UUID, begun: Moment, sampleRate: Int, failed: @escaping @Sendable (String) -> Void) {
        self.folder = folder
        saver = AudioSaver(
            path: Self.path(in: folder, of: id, begun: begun), sampleRate: sampleRate,
            preparing: { _ = try OpenFolder(folder, .named) }, failed: { failed(Self.sentence($0)) })
    }

    /// Becomes a part of an earlier memo's sound, behind what that one had heard.
    func join(_ id: UUID, begun: Moment) { saver.join(Self.path(in: folder, of: id, begun: begun)) }

    /// Removes what an earlier memo has left here.
    func remove(_ id: UUID, begun: Moment) { _ = unlink(Self.path(in: folder, of: id, begun: begun)) }

    /// Where the sound of a memo is; nil where there is none.
    ///
    /// - Parameter id: the memo's, or that of its mark in a note.
    /// - Throws: `FileError` when the folder is there and can't be read.
    static func find(_ id: UUID, in folder: String) throws(FileError) -> String? {
        let end = "-\(mark(of: id))\(suffix)"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return names.sorted().first { $0.hasSuffix(end) }.map { "\(folder)/\($0)" }
        } catch {
            if !FileManager.default.fileExists(atPath: folder) { return nil }
            throw FileError(.open, path: folder, errno: error.systemErrorNumber)
        }
    }

    /// Why not all is kept: a sentence; nil where all is.
    var trouble: String? { saver.failure.map(Self.sentence) }

    private static func sentence(_ error: any Error) -> String {
        "the sound is not kept from here on: \(CommandError(error).message)"
    }

    private static func path(in folder: String, of id: UUID, begun: Moment) -> String {
        "\(folder)/\(begun.day)-\(mark(of: id))\(suffix)"
    }

    /// What all marks of a memo begin with: its time.
    private static func mark(of id: UUID) -> String { "utter-" + id.name.prefix(18) }
}
