import Foundation
import Glibc
import Outbox
import System

/// Changes the configuration file. All other members keep their values and their order; only white space may change.
struct ConfigurationFile {
    let path: String
    private let environment: [String: String]

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = Settings.path(environment)
        self.environment = environment
    }

    /// Changes the file, or creates it.
    ///
    /// - Throws: `CommandError` when the file is invalid, or would be after the change; then it is left as it is. `OutboxError` when
    ///   it can't be written.
    func change(_ body: (inout JSONObject) throws -> Void) throws {
        // A symbolic link is followed, not replaced: some users keep the files of all their configurations in one place.
        let target = FolderTools.resolved(path) ?? linkedPath(path) ?? path
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        let (parent, name) = (String(target[..<slash]), String(target[target.index(after: slash)...]))
        let resolved = FolderTools.resolved(parent)
        let folder = try OpenFolder(resolved ?? parent, resolved == nil ? .own : .named)
        // The lock keeps concurrent changes from being lost. It is on the folder, since the file is replaced.
        while flock(folder.descriptor, LOCK_EX) != 0, errno == EINTR {}
        // No other process is writing here, so what is left is a killed one's.
        try? folder.removeLitter()
        let old = try Settings.content(of: target)
        var object = try old.map { try Settings.object(in: $0, path) } ?? JSONObject()
        try body(&object)
        let text = JSONValue.object(object).pretty(indentation: Self.indentation(of: old)) + "\n"
        _ = try Settings(path: path, file: Data(text.utf8), environment)
        if let old, old == Data(text.utf8) { return }
        _ = try folder.write(Array(text.utf8), to: name, .replacing)
    }

    /// The path that a symbolic link leads to, where there is no file yet; nil for what is no link.
    private func linkedPath(_ path: String) -> String? {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return nil }
        return URL(fileURLWithPath: target, relativeTo: URL(fileURLWithPath: path)).standardizedFileURL.path
    }

    /// The indentation of the first member that has a line of its own; two spaces when none has.
    private static func indentation(of file: Data?) -> String {
        let lines = String(decoding: file ?? Data(), as: UTF8.self).split(separator: "\n")
        let margin = lines.dropFirst().lazy.compactMap { line -> String? in
            let margin = line.prefix { $0 == " " || $0 == "\t" }
            return !margin.isEmpty && line.dropFirst(margin.count).hasPrefix("\"") ? String(margin) : nil
        }.first
        return margin ?? "  "
    }
}
