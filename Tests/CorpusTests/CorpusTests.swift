import Foundation
import Testing

/// Every run of the tests checks the inputs with which the fuzzing begins, and those that it has found.
@Suite("The corpus for fuzzing")
struct CorpusTests {
    private static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Fuzzing/Corpus"

    /// The input that is checked.
    @TaskLocal static var input = "nothing"

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("has a folder for each subject, and no others")
    func folders() throws {
        #expect(try Self.names(Self.folder) == Subject.allCases.map(\.rawValue).sorted())
    }

    @Test("passes every check", arguments: Subject.allCases)
    func replayed(_ subject: Subject) throws {
        let folder = "\(Self.folder)/\(subject.rawValue)"
        let names = try Self.names(folder)
        #expect(!names.isEmpty)
        for name in names {
            let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
            Self.$input.withValue("Fuzzing/Corpus/\(subject.rawValue)/\(name)") { subject.check([UInt8](bytes)) }
        }
        // libFuzzer begins with an empty input.
        Self.$input.withValue("no bytes") { subject.check([]) }
    }
}
