import CLinux
import Glibc
import System

/// Which recording an output is the text of. Recordings in different folders may have one name, and a later run must not take the text
/// of one for that of another. The name and the size stand in extended attributes of the output, where the file system has those.
/// xattr(7)
enum OutputSource {
    private static let (attribute, sizeAttribute) = ("user.utter.recording", "user.utter.recording.size")

    /// The full path of an input that is a regular file, without symbolic links; nil for another. realpath(3)
    static func recording(_ input: String) -> String? {
        guard FileIdentity(path: input) != nil, let path = realpath(input, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
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
        let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { return nil }
        defer { close(descriptor) }
        let path = value(of: attribute, in: descriptor)
        if let found = FileIdentity(path: path), found != FileIdentity(path: recording) {
            return "\(path); give the two an --output-dir each"
        }
        let noted = value(of: sizeAttribute, in: descriptor)
        // A memory card gives its names again.
        guard tellsSizes, path == recording, !noted.isEmpty, let size = size(of: recording), noted != size else {
            return nil
        }
        return "another recording of that name, with \(noted) bytes and not \(size); rename or remove one of the two"
    }

    private static func value(of attribute: String, in descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = fgetxattr(descriptor, attribute, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The size of a file, in bytes. stat(2)
    private static func size(of path: String) -> String? {
        var status = stat()
        return stat(path, &status) == 0 ? String(status.st_size) : nil
    }
}
