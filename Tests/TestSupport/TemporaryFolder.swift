import Foundation
import Glibc

/// A folder that goes away with its owner.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter place: where there is such a folder, it is made in there.
    package init(in place: String? = nil) {
        let usable = place.flatMap { access($0, W_OK) == 0 ? $0 : nil }
        let parent = usable ?? FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = parent + "/utter-test-\(UUID().uuidString)"
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file into the folder and returns its path.
    @discardableResult
    package func put(_ bytes: [UInt8], in name: String) -> String {
        precondition(FileManager.default.createFile(atPath: file(name), contents: Data(bytes)))
        return file(name)
    }

    @discardableResult
    package func put(_ text: String, in name: String) -> String { put(Array(text.utf8), in: name) }

    package func bytes(of name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: file(name)).map { Array($0) }
    }

    package func text(of name: String) -> String? { bytes(of: name).map { String(decoding: $0, as: UTF8.self) } }

    package func names(in folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
    }

    package func mode(of name: String) -> mode_t {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    package func inode(of name: String) -> ino_t {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_ino : 0
    }
}
