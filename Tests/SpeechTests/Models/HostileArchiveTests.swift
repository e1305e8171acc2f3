import Foundation
import System
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("An archive")
struct HostileArchiveTests {
    typealias Entry = ZipBuilder.Entry

    struct Hostile: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var archive: @Sendable () -> [UInt8]
        /// A part of the expected reason.
        var reason: String

        init(_ name: String, _ reason: String, _ archive: @escaping @Sendable () -> ZipBuilder) {
            self.init(name, reason) { archive().bytes }
        }

        init(_ name: String, _ reason: String, _ archive: @escaping @Sendable () -> [UInt8]) {
            testDescription = name
            self.reason = reason
            self.archive = archive
        }
    }

    private static func model(_ more: Entry...) -> ZipBuilder {
        var builder = ZipBuilder.model()
        builder.entries += more
        return builder
    }

    private static func built(_ change: (inout ZipBuilder) -> Void) -> ZipBuilder {
        var builder = ZipBuilder.model()
        change(&builder)
        return builder
    }

    private static func changed(_ change: (inout Entry) -> Void) -> ZipBuilder { built { change(&$0.entries[3]) } }

    /// An archive in which bytes were changed, at an offset from the last header with that signature.
    private static func overwritten(
        _ signature: UInt32, in builder: ZipBuilder = model(), at offset: Int, with bytes: [UInt8]
    ) -> [UInt8] {
        var archive = builder.bytes
        let start = ZipBuilder.number(signature)
        let place = archive.indices.dropLast(3).last { archive[$0..<$0 + 4].elementsEqual(start) }!
        archive.replaceSubrange(place + offset..<place + offset + bytes.count, with: bytes)
        return archive
    }

    private static let evil = Array("evil".utf8)

    static let hostile: [Hostile] = [
        Hostile("a parent path", "leaves its folder: ../evil") { model(Entry("../evil", evil)) },
        Hostile("a parent path within", "leaves its folder") { model(Entry("vosk-model-test/../../evil", evil)) },
        Hostile("a parent as a folder", "leaves its folder") { model(Entry("vosk-model-test/..", evil)) },
        Hostile("an absolute path", "leaves its folder: /tmp/evil") { model(Entry("/tmp/evil", evil)) },
        Hostile("backslashes", "with backslashes") { model(Entry("vosk-model-test\\..\\..\\evil", evil)) },
        Hostile("a NUL in a name", "with control characters") { model(Entry("vosk-model-test/a\0../../evil", evil)) },
        Hostile("an escape sequence in a name", "with control characters") {
            model(Entry("vosk-model-test/\u{1B}[2J", evil))
        },
        Hostile("a name that is not UTF-8", "not UTF-8") {
            var entry = Entry("x", evil)
            entry.name = Array("vosk-model-test/".utf8) + [0xFF]
            return model(entry)
        },
        Hostile("a name without letters", "has an invalid path") { model(Entry("vosk-model-test//evil", evil)) },
        Hostile("an empty name", "empty or too long") { model(Entry("", evil)) },
        Hostile("a very long name", "has an invalid path") {
            model(Entry("vosk-model-test/" + String(repeating: "a", count: 256), evil))
        },
        Hostile("a very deep path", "has an invalid path") {
            model(Entry(String(repeating: "a/", count: 9) + "evil", evil))
        },
        Hostile("a link", "neither a file nor a folder: vosk-model-test/link") {
            model(.link("vosk-model-test/link", to: "/etc/passwd"))
        },
        Hostile("a link and a file through it", "neither a file nor a folder") {
            model(.link("vosk-model-test/link", to: "../../.."), Entry("vosk-model-test/link/evil", evil))
        },
        Hostile("a file that comes again as a folder", "a file and a folder at once") {
            model(Entry("vosk-model-test/am/final.mdl/evil", evil))
        },
        Hostile("a device", "neither a file nor a folder") { model(Entry("vosk-model-test/null", mode: 0o020666)) },
        Hostile("a pipe", "neither a file nor a folder") { model(Entry("vosk-model-test/pipe", mode: 0o010666)) },
        Hostile("a folder with content", "a file and a folder at once") {
            model(Entry("vosk-model-test/x/", evil, mode: 0o040755))
        },
        Hostile("a name twice", "has an entry twice") { model(Entry("vosk-model-test/am/final.mdl", evil)) },
        Hostile("names that differ in case", "differ only in their letters") {
            model(Entry("vosk-model-test/AM/final.mdl", evil))
        },
        Hostile("names that differ in spelling", "differ only in their letters") {
            model(Entry("vosk-model-test/\u{E9}", evil), Entry("vosk-model-test/e\u{301}", evil))
        },
        Hostile("entries that share their bytes", "overlap") { changed { $0.sharesPlaceOf = 2 } },
        Hostile("an entry whose head has another name", "contradicts itself") {
            changed { $0.headName = Array("../../evil".utf8) }
        },
        Hostile("a million entries, as it says", "has 1000000 entries") {
            built { ($0.is64, $0.count) = (true, 1_000_000) }
        },
        Hostile("ten thousand entries", "has 10007 entries") {
            built { $0.entries += (0..<10_000).map { Entry("vosk-model-test/\($0)") } }
        },
        Hostile("more entries than it says", "another number of entries") { built { $0.count = 3 } },
        Hostile("a ratio over 100", "more than 100 times its size") {
            changed {
                $0 = $0.deflated(evil)
                $0.size = 10 << 20
            }
        },
        Hostile("more than ten times the archive", "more than ten times its size") {
            built {
                $0.entries += (0..<300).map { number in
                    var entry = Entry("vosk-model-test/\(number)").deflated(evil)
                    entry.size = 65_536
                    return entry
                }
            }
        },
        Hostile("more content than it says", "damaged at conf/") { changed { $0 = $0.deflated($0.content + evil) } },
        Hostile("less content than it says", "damaged at conf/mfcc.conf") {
            changed { entry in
                entry = entry.deflated(Array(entry.content.dropLast()))
            }
        },
        Hostile("a last file that is longer than it says", "damaged at graph/Gr.fst") {
            built { $0.entries[6] = $0.entries[6].deflated($0.entries[6].content + evil) }
        },
        Hostile("a stored size that is not the packed one", "contradicts itself") { changed { $0.size = 5 } },
        Hostile("a wrong checksum", "damaged at conf/mfcc.conf") { changed { $0.checksum = 0x1234_5678 } },
        Hostile("content that is no deflate", "damaged at conf/mfcc.conf") {
            changed {
                $0.method = 8
                $0.packed = [0xFF, 0xFF, 0xFF]
            }
        },
        Hostile("a password", "is encrypted") { changed { $0.flags = 1 } },
        Hostile("a way of packing that is not known", "not known (14)") { changed { $0.method = 14 } },
        Hostile("something behind its end", "has data after its end") { built { $0.behind = [0, 1, 2] } },
        // Self-extracting programs begin like this.
        Hostile("something before its beginning", "no sound list of contents") {
            Array("#!/bin/sh\n".utf8) + model().bytes
        },
        Hostile("a second end in its comment", "sound list of contents") {
            built { $0.comment = ZipBuilder(entries: []).bytes }
        },
        Hostile("a part of several", "several parts") { built { $0.diskNumber = 1 } },
        Hostile("no end", "is not a complete zip archive; it is damaged or cut off") {
            Array(model().bytes.dropLast(30))
        },
        Hostile("a list of contents that is none", "has a list of contents that is damaged") {
            overwritten(0x0201_4B50, at: 0, with: [0])
        },
        Hostile("a name in the list that goes on behind its end", "has a list of contents that is cut off") {
            overwritten(0x0201_4B50, at: 28, with: [0xFF, 0x7F])
        },
        Hostile("a list that is said to be of nine megabytes", "has a list of contents that is too large") {
            overwritten(0x0605_4B50, at: 12, with: [0, 0, 0x90, 0])
        },
        Hostile("an entry that is not where it should be", "is damaged: an entry does not begin where it should") {
            overwritten(0x0403_4B50, at: 0, with: [0])
        },
        Hostile("a large archive's end without its place", "is damaged at its end") {
            overwritten(0x0706_4B50, in: built { $0.is64 = true }, at: 0, with: [0])
        },
        Hostile("more entries than there are numbers for", "has impossible sizes") {
            built { ($0.is64, $0.count) = (true, 1 << 61) }
        },
        Hostile("no files", "no files") { ZipBuilder(entries: [.folder("vosk-model-test")]) },
        Hostile("no entries", "no files") { ZipBuilder(entries: []) },
        Hostile("no model", "holds no model: it lacks am/final.mdl") {
            ZipBuilder(entries: [Entry("vosk-model-test/README", Array("hello".utf8))])
        },
        Hostile("a hidden folder's name", "no model can have") { ZipBuilder.model(".ssh") },
    ]

    @Test(
        "that is hostile or damaged is refused with the reason, and leaves no file inside or outside the store",
        arguments: hostile)
    func refused(_ hostile: Hostile) async throws {
        let shelf = try ModelShelf()
        let archive = try shelf.put(hostile.archive(), "archive.zip")
        let before = try shelf.tree(shelf.path)
        let outside = try names(of: shelf)
        let error = await shelf.failure(.archive(path: archive))
        #expect(error?.code == .archiveRefused)
        #expect(error?.description.contains(hostile.reason) == true, "\(error?.description ?? "")")
        #expect(try shelf.tree(shelf.path) == before)
        #expect(try names(of: shelf) == outside)
    }

    /// The names in the folder that an entry could reach by one `..` too many. Other tests make and remove folders there.
    private func names(of shelf: ModelShelf) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: shelf.path + "/..").filter { $0.contains("evil") }
    }

    @Test("that is valid is unpacked, however it is written")
    func honest() async throws {
        for builder in [
            ZipBuilder.model(), Self.built { $0.is64 = true }, Self.built { $0.comment = Array("a comment".utf8) },
            Self.built { $0.entries.insert(Entry("vosk-model-test/empty"), at: 3) },
            Self.built {
                for index in 2..<7 { $0.entries[index] = $0.entries[index].deflated($0.entries[index].content) }
            },
        ] {
            let shelf = try ModelShelf()
            let archive = try shelf.put(builder.bytes, "archive.zip")
            let outcome = try await shelf.installation(.archive(path: archive)).downloadAndInstall()
            #expect(!outcome.wasInstalled && outcome.model.name == "vosk-model-test")
            #expect(try shelf.model("vosk-model-test") == ModelShelf.content(of: builder))
            #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.storePath) == ["vosk-model-test"])
        }
    }

    @Test("without a top folder is installed under the archive's name, or the given one")
    func flat() async throws {
        var builder = ZipBuilder.model("x")
        builder.entries.removeFirst(2)
        for index in builder.entries.indices { builder.entries[index].name.removeFirst(2) }
        let shelf = try ModelShelf()
        let archive = try shelf.put(builder.bytes, "my-model.zip")
        #expect(try await shelf.installation(.archive(path: archive)).downloadAndInstall().model.name == "my-model")
        #expect(
            try await shelf.installation(.archive(path: archive), name: "other").downloadAndInstall().model.name
                == "other")
        #expect(try shelf.model("other") == ModelShelf.content(of: builder, top: ""))
    }

    @Test("that is cut off anywhere is refused, and leaves nothing")
    func truncated() async throws {
        let whole = ZipBuilder.model().bytes
        let shelf = try ModelShelf()
        for count in stride(from: 0, to: whole.count, by: 7) {
            let archive = try shelf.put(Array(whole[..<count]), "archive.zip")
            #expect(await shelf.failure(.archive(path: archive))?.code == .archiveRefused)
            #expect(try shelf.tree(shelf.storePath).isEmpty)
        }
    }

    @Test("is checked with CRC-32, in pieces of any size")
    func checksum() {
        // The check value in the definition of CRC-32.
        var checksum = CRC32()
        Array("123456789".utf8).withUnsafeBytes { checksum.add($0) }
        #expect(checksum.value == 0xCBF4_3926)
        var random = SplitMix64(for: "checksums")
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var whole = CRC32()
            let cut = Int.random(in: 0...bytes.count, using: &random)
            bytes.withUnsafeBytes {
                whole.add(UnsafeRawBufferPointer(rebasing: $0[..<cut]))
                whole.add(UnsafeRawBufferPointer(rebasing: $0[cut...]))
            }
            #expect(whole.value == ZipBuilder.checksum(bytes), "seed \(random.seed)")
        }
    }
}
