import AVFoundation
import Foundation
import TestSupport
import Testing

/// What a file for writing does with what is at its place.
@Suite("A sound file for writing")
struct AudioFileTests {
    private let folder = TemporaryFolder()

    private func write(_ name: String) throws -> AVAudioFile {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 16_000, channels: 1))
        return try AVAudioFile(forWriting: URL(fileURLWithPath: folder.file(name)), settings: format.settings)
    }

    /// Whether a regular file has the name itself, and no link to one.
    private func isFile(_ name: String) throws -> Bool {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.type] as? FileAttributeType == .typeRegular
    }

    @Test("takes the place of a file, and of a link to one, which stays as it is")
    func file() throws {
        folder.put("old", in: "old.wav")
        folder.put("linked", in: "linked.wav")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.wav"), withDestinationPath: folder.file("linked.wav"))
        for name in ["old.wav", "link.wav", "new.wav"] {
            try write(name).close()
            #expect(folder.bytes(of: name)?.prefix(4) == Array("RIFF".utf8)[...])
        }
        #expect(folder.bytes(of: "linked.wav") == Array("linked".utf8))
    }

    @Test("is refused with a sentence where a folder, a pipe or a device is, and those stay")
    func inTheWay() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        folder.put("kept", in: "folder/a.txt")
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        for (name, target) in [("to a folder", folder.file("folder")), ("to a device", "/dev/full")] {
            try files.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
        }
        let before = try files.subpathsOfDirectory(atPath: folder.path).sorted()
        for name in ["folder", "pipe", "to a folder", "to a device"] {
            let error = #expect(throws: (any Error).self, "\(name)") { try write(name) }
            #expect(error?.localizedDescription.contains(folder.file(name)) == true)
            #expect(try !isFile(name))
        }
        #expect(try files.subpathsOfDirectory(atPath: folder.path).sorted() == before)
        #expect(folder.bytes(of: "folder/a.txt") == Array("kept".utf8))
    }
}
