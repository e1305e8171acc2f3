import Foundation
import Glibc

/// A folder that goes away with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter place: where there is such a folder, it is made in there.
    init(in place: String? = nil) {
        let usable = place.flatMap { access($0, W_OK) == 0 ? $0 : nil }
        let parent = usable ?? FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = parent + "/utter-outbox-\(UUID().uuidString)"
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }

    func file(_ name: String) -> String { path + "/" + name }

    func put(_ text: String, in name: String) { put(Array(text.utf8), in: name) }

    func put(_ bytes: [UInt8], in name: String) {
        precondition(FileManager.default.createFile(atPath: file(name), contents: Data(bytes)))
    }

    func bytes(of name: String) -> [UInt8]? { FileManager.default.contents(atPath: file(name)).map { Array($0) } }

    func text(of name: String) -> String? { bytes(of: name).map { String(decoding: $0, as: UTF8.self) } }

    func names(in folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
    }

    func mode(of name: String) -> mode_t {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    func inode(of name: String) -> ino_t {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_ino : 0
    }
}
