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
    let saver: AudioSaver

    private static let suffix = ".wav"

    /// Creates the sound of a memo. Neither folder nor file is created before there is sound.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder, which is created if it is missing. The folder above it is not, for if that is missing, probably
    ///     a disk is not mounted.
    ///   - id: the memo's id.
    ///   - begun: when the memo began.
    ///   - sampleRate: the sample rate, in Hz.
    ///   - failed: called at most once, with a sentence that says why no more sound is saved.
    init(in folder: String, of id: UUID, begun: Moment, sampleRate: Int, failed: @escaping @Sendable (String) -> Void) {
        self.folder = folder
        saver = AudioSaver(
            path: Self.path(in: folder, of: id, begun: begun), sampleRate: sampleRate,
            preparing: { _ = try OpenFolder(folder, .named) }, failed: { failed(Self.sentence($0)) })
    }

    /// Continues the file of an earlier memo, after the sound in it.
    func join(_ id: UUID, begun: Moment) { saver.join(Self.path(in: folder, of: id, begun: begun)) }

    /// Removes the sound that an earlier memo has left.
    func remove(_ id: UUID, begun: Moment) { _ = unlink(Self.path(in: folder, of: id, begun: begun)) }

    /// The path of a memo's sound; nil when there is none.
    ///
    /// - Parameters:
    ///   - id: the memo's id, or that of its mark in a note.
    ///   - folder: the folder of the sound.
    /// - Throws: `FileError` when the folder exists and can't be read.
    static func find(_ id: UUID, in folder: String) throws(FileError) -> String? {
        let end = "-\(mark(of: id))\(suffix)"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let paths = names.sorted().filter { $0.hasSuffix(end) }.map { "\(folder)/\($0)" }
            // A pipe of that name would never end.
            return paths.first {
                (try? FileManager.default.attributesOfItem(atPath: $0))?[.type] as? FileAttributeType == .typeRegular
            }
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
