import CLinux
import Foundation
import Glibc
import Outbox
import System

/// Facts about an output in its extended attributes, where the file system has those. xattr(7)
///
/// They say which recording it is the text of: recordings in different folders may have one name, and a later run must not take the text
/// of one for that of another. They say also whether its text has still to be sent to the destinations.
enum OutputAttributes {
    private static let (attribute, sizeAttribute) = ("user.utter.recording", "user.utter.recording.size")
    private static let unsentAttribute = "user.utter.unsent"

    /// The full path of an input that is a regular file, without symbolic links; nil for another.
    static func recording(_ input: String) -> String? {
        FileIdentity(path: input) == nil ? nil : FolderTools.resolved(input)
    }

    /// Notes the recording of an open output, with its size. fsetxattr(2)
    static func note(_ recording: String, in descriptor: Int32) {
        _ = fsetxattr(descriptor, attribute, recording, recording.utf8.count, 0)
        guard let size = size(of: recording) else { return }
        _ = fsetxattr(descriptor, sizeAttribute, size, size.utf8.count, 0)
    }

    /// Returns which other recording an output in a folder is the text of, in words; nil where it is of this one, where that is not known,
    /// or where the other is no longer there, as after a move. fgetxattr(2)
    ///
    /// - Parameter tellsSizes: whether one that had this one's path and another size is another.
    static func other(
        than recording: String, of name: String, in folder: OutputFolder, tellsSizes: Bool = true
    ) -> String? {
        guard
            let (path, noted) = withFile(
                name, in: folder, { (value(of: attribute, in: $0), value(of: sizeAttribute, in: $0)) })
        else { return nil }
        if let found = FileIdentity(path: path), found != FileIdentity(path: recording) {
            return "\(path); give the two an --output-dir each"
        }
        // A memory card gives its names again.
        guard tellsSizes, path == recording, !noted.isEmpty, let size = size(of: recording), noted != size else {
            return nil
        }
        return "another recording of that name, with \(noted) bytes and not \(size); rename or remove one of the two"
    }

    /// Notes that the text of an open output is still to be sent, and with which id. fsetxattr(2)
    ///
    /// - Returns: false where the file system can't note it.
    static func noteUnsent(_ id: UUID, in descriptor: Int32) -> Bool {
        fsetxattr(descriptor, unsentAttribute, id.name, id.name.utf8.count, 0) == 0
    }

    /// The id with which the text of an output in a folder is still to be sent; nil when it was sent. fgetxattr(2)
    static func unsent(_ name: String, in folder: OutputFolder) -> UUID? {
        withFile(name, in: folder) { UUID(uuidString: value(of: unsentAttribute, in: $0)) } ?? nil
    }

    /// Removes the note that the text of an output in a folder is still to be sent. fremovexattr(2)
    static func noteSent(_ name: String, in folder: OutputFolder) {
        _ = withFile(name, in: folder) { fremovexattr($0, unsentAttribute) }
    }

    private static func withFile<Value>(
        _ name: String, in folder: OutputFolder, _ body: (_ descriptor: Int32) -> Value
    ) -> Value? {
        let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { return nil }
        defer { close(descriptor) }
        return body(descriptor)
    }

    private static func value(of attribute: String, in descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = fgetxattr(descriptor, attribute, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The size of a file, in bytes. stat(2)
    private static func size(of path: String) -> String? { stat(path).map { String($0.st_size) } }
}
