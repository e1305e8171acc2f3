import Foundation
import Glibc
import TestSupport
import Testing

/// The files that a version of utter wrote: a folder in `Golden`, which `Scripts/golden` made.
struct GoldenFiles: Sendable, CustomTestStringConvertible {
    let version: String
    var testDescription: String { version }

    private static let folder = Sandbox.root + "/Tests/CommandTests/Golden"

    static let all: [GoldenFiles] = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        .filter { !$0.hasSuffix(".md") }.map { GoldenFiles(version: $0) }

    /// The text of each memo and entry.
    static let lines = "buy milk\nübermorgen 🥛 “quoted” \\ and a tab\there"
    static let long = (0..<700).map { "word\($0)" }.joined(separator: " ") + " and the end"

    func path(_ name: String) -> String { "\(Self.folder)/\(version)/\(name)" }

    /// Copies a folder of these files into a sandbox, readable by the owner only, and with times of days ago.
    func put(_ name: String, into sandbox: Sandbox, as place: String) throws {
        let manager = FileManager.default
        let target = sandbox.file(place)
        try? manager.removeItem(atPath: target)
        try manager.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try manager.copyItem(atPath: path(name), toPath: target)
        for path in [target] + (try manager.subpathsOfDirectory(atPath: target)).map({ target + "/" + $0 }) {
            var isFolder = ObjCBool(false)
            #expect(
                manager.fileExists(atPath: path, isDirectory: &isFolder)
                    && chmod(path, isFolder.boolValue ? 0o700 : 0o600) == 0)
            try manager.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3 * 86_400)], ofItemAtPath: path)
        }
    }

    func text(of name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
}
