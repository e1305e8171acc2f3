import CLinux
import Glibc
import System

/// Which recording an output is the text of. Recordings in different folders may have one name, and a later run must not take the text
/// of one for that of another. It stands in an extended attribute of the output, where the file system has those. xattr(7)
enum OutputSource {
    private static let attribute = "user.utter.recording"

    /// The full path of an input that is a regular file, without symbolic links; nil for another. realpath(3)
    static func recording(_ input: String) -> String? {
        guard FileIdentity(path: input) != nil, let path = realpath(input, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// Notes the recording of an open output. fsetxattr(2)
    static func note(_ recording: String, in descriptor: Int32) {
        _ = fsetxattr(descriptor, attribute, recording, recording.utf8.count, 0)
    }

    /// Returns the recording that an output in a folder is the text of, if that is another one; nil where it is not known, or is no longer
    /// there, as after a move. fgetxattr(2)
    static func other(than recording: String, of name: String, in folder: OutputFolder) -> String? {
        let descriptor = openat(folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = fgetxattr(descriptor, attribute, &bytes, bytes.count)
        let path = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        guard let found = FileIdentity(path: path), found != FileIdentity(path: recording) else { return nil }
        return path
    }
}
