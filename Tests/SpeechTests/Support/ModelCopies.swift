import Foundation
import TestSupport

@testable import Models
@testable import Speech

/// A changed copy of the built-in model, in a folder that is removed with this object.
final class ModelCopy: Sendable {
    private let parent = TemporaryFolder()
    let path: String

    /// Makes a copy.
    ///
    /// - Parameters:
    ///   - folder: the name of the copy's folder.
    ///   - change: changes the copy at this path.
    init(_ folder: String = "model", change: (_ path: String) throws -> Void = { _ in }) throws {
        path = parent.file(folder)
        try FileManager.default.copyItem(atPath: Fixture.modelPath, toPath: path)
        try change(path)
    }

    func load(_ calls: VoskCalls = .library) throws -> VoskModel {
        try VoskModel(folder: ModelFolder(path: path), endpointing: Endpointing(), calls: calls)
    }

    static func edit(_ file: String, _ change: (String) -> String) throws {
        try change(String(contentsOfFile: file, encoding: .utf8)).write(toFile: file, atomically: true, encoding: .utf8)
    }

    static func move(_ file: String, to place: String) throws {
        try FileManager.default.moveItem(atPath: file, toPath: place)
    }

    static func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: file) }
}
