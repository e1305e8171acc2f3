import Foundation
import System
import TestSupport
import Testing

@testable import Audio

@Suite("A WAV writer")
struct WAVWriterTests {
    /// The length of a header without names, in bytes.
    private static let headerCount = WAVHeaderBytes(format: AudioFormat(sampleRate: 16_000, channelCount: 1)).count
    private let folder = TemporaryFolder()

    private func samples(_ count: Int, seed: UInt64) -> [Int16] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in Int16.random(in: .min...(.max), using: &random) }
    }

    /// What the other programs read, as 16-bit samples: libsndfile, sox and ffmpeg.
    private func readByOthers(_ name: String) async throws -> [(program: String, samples: [Int16])] {
        let path = folder.file(name)
        #expect(try await succeeds("sndfile-info", path))
        #expect(try await succeeds("sndfile-convert", "-pcm16", path, folder.file("libsndfile.raw")))
        #expect(try await succeeds("sox", path, "-t", "raw", folder.file("sox.raw")))
        #expect(try await succeeds("ffmpeg", "-v", "error", "-y", "-i", path, "-f", "s16le", folder.file("ffmpeg.raw")))
        return try ["libsndfile", "sox", "ffmpeg"].map {
            ($0, Samples.read(try #require(folder.bytes(of: $0 + ".raw"))))
        }
    }

    @Test("makes a plain file that other programs read completely", arguments: [1, 2])
    func finished(channelCount: Int) async throws {
        let all = samples(3000 * channelCount, seed: 1)
        let writer = try WAVWriter(path: folder.file("a.wav"), sampleRate: 16_000, channelCount: channelCount)
        try writer.append(Array(all.prefix(500 * channelCount)))
        try writer.append([])
        try writer.synchronize()
        try writer.append(Array(all.dropFirst(500 * channelCount)))
        try writer.finish()
        try writer.finish()
        #expect(writer.frameCount == 3000)

        let contents = try readWAV(FileByteSource(path: folder.file("a.wav")))
        #expect(contents.format == writer.format)
        #expect(contents.declaredFrameCount == 3000)
        #expect(contents.samples.map { Int16(sample: $0) } == all)
        #expect(contents.warnings.isEmpty)
        for (program, samples) in try await readByOthers("a.wav") { #expect(samples == all, "\(program)") }

        let bytes = try #require(folder.bytes(of: "a.wav"))
        #expect(Array(bytes[4..<8]) == littleEndian(UInt32(bytes.count - 8)))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("a.wav"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(
        "goes on with a file that was finished or whose process was killed, after its last whole frame, and with no other"
    )
    func continued() throws {
        let all = samples(4000, seed: 7)
        let path = folder.file("a.wav")
        var writer: WAVWriter? = try WAVWriter(path: path, sampleRate: 16_000, channelCount: 1)
        try writer?.append(Array(all[..<1000]))
        writer = nil
        // What a kill has left of a frame.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1]))
        try handle.close()
        var next = try WAVWriter(continuing: path, sampleRate: 16_000, channelCount: 1)
        #expect(next.frameCount == 1000)
        try next.append(Array(all[1000..<3000]))
        try next.finish()
        next = try WAVWriter(continuing: path, sampleRate: 16_000, channelCount: 1)
        #expect(next.frameCount == 3000)
        try next.append(Array(all[3000...]))
        // As long as it grows, nothing of it is hidden.
        #expect(try readWAV(FileByteSource(path: path)).samples.map { Int16(sample: $0) } == all)
        try next.finish()
        #expect(try readWAV(FileByteSource(path: path)).samples.map { Int16(sample: $0) } == all)
        #expect(throws: FileError(.read, path: path, errno: EBADMSG)) {
            _ = try WAVWriter(continuing: path, sampleRate: 8_000, channelCount: 1)
        }
        try FileManager.default.createSymbolicLink(atPath: folder.file("b.wav"), withDestinationPath: path)
        #expect(throws: FileError(.open, path: folder.file("b.wav"), errno: ELOOP)) {
            _ = try WAVWriter(continuing: folder.file("b.wav"), sampleRate: 16_000, channelCount: 1)
        }
    }

    private static let names = ["me", "Zoë & <Bob> ]]> 雪 \"'"]

    @Test("names the channels from the file's beginning on, and other programs read it completely, killed or finished")
    func channelNames() async throws {
        let all = samples(2000, seed: 8)
        let path = folder.file("a.wav")
        let writer = try WAVWriter(path: path, sampleRate: 16_000, channelCount: 2, channelNames: Self.names)
        try writer.append(all)
        try writer.synchronize()
        folder.put(try #require(folder.bytes(of: "a.wav")), in: "killed.wav")
        try writer.finish()
        for name in ["killed.wav", "a.wav"] {
            let contents = try readWAV(FileByteSource(path: folder.file(name)))
            #expect(contents.channelNames == Self.names)
            #expect(contents.samples.map { Int16(sample: $0) } == all)
            #expect(contents.warnings.isEmpty)
            for (program, samples) in try await readByOthers(name) {
                #expect(samples == all, "\(program), \(name)")
            }
        }
        let bytes = try #require(folder.bytes(of: "a.wav"))
        #expect(Array(bytes[4..<8]) == littleEndian(UInt32(bytes.count - 8)))
    }

    @Test("without names writes the header of before, and with names goes on with a file that has the same ones only")
    func namesContinued() throws {
        let format = AudioFormat(sampleRate: 16_000, channelCount: 2)
        #expect(WAVHeaderBytes(format: format).count == 80)
        #expect(WAVHeaderBytes(format: format).streaming().count == 80)
        #expect(!WAVHeaderBytes(format: format).streaming().contains(UInt8(ascii: "X")))
        let path = folder.file("a.wav")
        try WAVWriter(path: path, sampleRate: 16_000, channelCount: 2, channelNames: Self.names).append([1, 2])
        let next = try WAVWriter(continuing: path, sampleRate: 16_000, channelCount: 2, channelNames: Self.names)
        try next.append([3, 4])
        try next.finish()
        let contents = try readWAV(FileByteSource(path: path))
        #expect(contents.samples.map { Int16(sample: $0) } == [1, 2, 3, 4])
        #expect(contents.channelNames == Self.names && contents.declaredFrameCount == 2)
        for names in [[], ["me", "them"]] {
            #expect(throws: FileError(.read, path: path, errno: EBADMSG)) {
                _ = try WAVWriter(continuing: path, sampleRate: 16_000, channelCount: 2, channelNames: names)
            }
        }
    }

    @Test("whose process was killed has left the sizes so far for other programs, and each sample for WAVReader")
    func killed() async throws {
        let all = samples(3000, seed: 9)
        let path = folder.file("a.wav")
        var writer: WAVWriter? = try WAVWriter(path: path, sampleRate: 16_000, channelCount: 1)
        #expect(try readWAV(FileByteSource(path: path)).samples.isEmpty)
        for part in [all[..<1000], all[1000..<1700], all[1700...]] {
            try writer?.append(Array(part))
            let bytes = try #require(folder.bytes(of: "a.wav"))
            #expect(Array(bytes[4..<8]) == littleEndian(UInt32(bytes.count - 8)))
            #expect(Array(bytes[76..<80]) == littleEndian(UInt32(bytes.count - 80)))
        }
        writer = nil
        for (program, samples) in try await readByOthers("a.wav") { #expect(samples == all, "\(program)") }
        // What came after the last sizes is heard too, and what they announce need not be there.
        let bytes = try #require(folder.bytes(of: "a.wav"))
        for bytes in [bytes + littleEndian(Int16(7)), bytes.dropLast(2000)] {
            let contents = try readWAV(Array(bytes))
            #expect(contents.samples.count == (bytes.count - 80) / 2 && contents.declaredFrameCount == nil)
        }
        folder.put(bytes + littleEndian(Int16(7)), in: "b.wav")
        let next = try WAVWriter(continuing: folder.file("b.wav"), sampleRate: 16_000, channelCount: 1)
        #expect(next.frameCount == 3001)
        try next.finish()
        #expect(try readWAV(FileByteSource(path: folder.file("b.wav"))).declaredFrameCount == 3001)
    }

    @Test("whose header can't be written a second time hides no sound from other programs")
    func headerOnce() async throws {
        var calls = WAVFileCalls()
        calls.write = { descriptor, bytes, count, offset in
            var status = stat()
            if offset == 0, fstat(descriptor, &status) == 0, status.st_size > 0 {
                errno = ENOSPC
                return -1
            }
            return pwrite(descriptor, bytes, count, offset)
        }
        let all = samples(1000, seed: 9)
        var writer: WAVWriter? = try WAVWriter(
            path: folder.file("a.wav"), sampleRate: 16_000, channelCount: 1,
            maximumRIFFSize: WAVHeaderBytes.maximumRIFFSize, calls: calls)
        try writer?.append(all)
        writer = nil
        for (program, samples) in try await readByOthers("a.wav") { #expect(samples == all, "\(program)") }
    }

    @Test("whose disk lost power may have lost any part of the file's end: the rest is read")
    func powerCut() throws {
        let all = samples(200, seed: 3)
        let writer = try WAVWriter(path: folder.file("a.wav"), sampleRate: 16_000, channelCount: 2)
        try writer.append(all)
        let bytes = try #require(folder.bytes(of: "a.wav"))
        // The header is on the disk before the first sample can be.
        let headerCount = Self.headerCount
        for length in headerCount...bytes.count {
            let contents = try readWAV(Array(bytes.prefix(length)))
            #expect(contents.frameCount == (length - headerCount) / 4)
            #expect(contents.samples.map { Int16(sample: $0) } == Array(all.prefix(contents.samples.count)))
        }
        try writer.finish()
    }

    @Test("makes RF64 of a file that is too long for RIFF, and other programs read it")
    func rf64() async throws {
        let all = samples(1000, seed: 4)
        for (name, limit, container) in [("a.wav", 2071 as Int64, "RF64"), ("b.wav", 2072, "RIFF")] {
            let writer = try WAVWriter(
                path: folder.file(name), sampleRate: 16_000, channelCount: 1, maximumRIFFSize: limit,
                calls: WAVFileCalls())
            try writer.append(all)
            try writer.finish()
            let bytes = try #require(folder.bytes(of: name))
            #expect(String(decoding: bytes.prefix(4), as: UTF8.self) == container)
            #expect(bytes.count == 2080)
            let contents = try readWAV(bytes)
            #expect(contents.samples.map { Int16(sample: $0) } == all)
            #expect(contents.declaredFrameCount == 1000)
            #expect(contents.warnings.isEmpty)
        }
        for (program, samples) in try await readByOthers("b.wav") { #expect(samples == all, "\(program)") }
        // sox knows no RF64.
        #expect(try await succeeds("sndfile-convert", "-pcm16", folder.file("a.wav"), folder.file("a.raw")))
        #expect(folder.bytes(of: "a.raw") == all.flatMap(littleEndian))
        #expect(
            try await succeeds("ffmpeg", "-v", "error", "-i", folder.file("a.wav"), "-f", "s16le", folder.file("b.raw"))
        )
        #expect(folder.bytes(of: "b.raw") == all.flatMap(littleEndian))
    }

    @Test("writes the 64-bit sizes of a file beyond 4 GiB")
    func beyond4GiB() throws {
        let header = WAVHeaderBytes(format: AudioFormat(sampleRate: 16_000, channelCount: 1))
        let limit = WAVHeaderBytes.maximumRIFFSize - Int64(header.count - 8)
        for (dataByteCount, container) in [(limit, "RIFF"), (limit + 2, "RF64"), (1 << 40, "RF64")] {
            let bytes = header.complete(dataByteCount: dataByteCount)
            #expect(bytes.count == header.count)
            #expect(String(decoding: bytes.prefix(4), as: UTF8.self) == container)
            #expect(try readWAV(bytes).declaredFrameCount == dataByteCount / 2)
        }
    }

    @Test("never overwrites a file")
    func existing() throws {
        let path = folder.put([1, 2, 3], in: "a.wav")
        #expect(throws: FileError(.create, path: path, errno: EEXIST)) {
            try WAVWriter(path: path, sampleRate: 16_000, channelCount: 1)
        }
        #expect(folder.bytes(of: "a.wav") == [1, 2, 3])
        #expect(throws: FileError(.create, path: folder.file("none/a.wav"), errno: ENOENT)) {
            try WAVWriter(path: folder.file("none/a.wav"), sampleRate: 16_000, channelCount: 1)
        }
    }

    /// Counts system calls and makes some of them fail, in the place of a disk that is full, broken or slow.
    private final class Disk {
        /// Bytes that one write takes.
        var writeLimit = Int.max
        /// Bytes that there is still room for.
        var room = Int.max
        /// What the next calls fail with, one each.
        var writeErrors: [Int32] = []
        var flushErrors: [Int32] = []
        private(set) var log: [String] = []

        var calls: WAVFileCalls {
            var calls = WAVFileCalls()
            calls.write = { [self] descriptor, bytes, count, offset in
                if !writeErrors.isEmpty {
                    errno = writeErrors.removeFirst()
                    return -1
                }
                guard room > 0 else {
                    errno = ENOSPC
                    return -1
                }
                let count = pwrite(descriptor, bytes, min(count, writeLimit, room), offset)
                room -= count
                log.append(offset == 0 ? "header" : "samples")
                return count
            }
            calls.flush = { [self] descriptor in
                if !flushErrors.isEmpty {
                    errno = flushErrors.removeFirst()
                    return -1
                }
                log.append("flush")
                return fdatasync(descriptor)
            }
            return calls
        }
    }

    private func writer(_ path: String, on disk: Disk) throws -> WAVWriter {
        try WAVWriter(
            path: path, sampleRate: 16_000, channelCount: 2, maximumRIFFSize: WAVHeaderBytes.maximumRIFFSize,
            calls: disk.calls)
    }

    @Test("has the header on the disk before any sample, and the samples before the sizes that bind")
    func order() throws {
        let disk = Disk()
        let writer = try writer(folder.file("a.wav"), on: disk)
        try writer.append([1, 2])
        try writer.finish()
        #expect(disk.log == ["header", "flush", "samples", "header", "flush", "header", "flush"])
    }

    @Test("reports a full disk, counts nothing of that append, and goes on when there is room")
    func fullDisk() throws {
        let (disk, path) = (Disk(), folder.file("a.wav"))
        let writer = try writer(path, on: disk)
        try writer.append([1, 2])
        disk.room = 5
        #expect(throws: FileError(.write, path: path, errno: ENOSPC)) { try writer.append([3, 4, 5, 6]) }
        #expect(writer.frameCount == 1)
        #expect(try readWAV(FileByteSource(path: path)).samples.prefix(2).map { Int16(sample: $0) } == [1, 2])

        disk.room = .max
        try writer.append([7, 8])
        // Nothing follows this one, of which some bytes are left.
        disk.room = 3
        #expect(throws: FileError.self) { try writer.append([3, 4]) }
        disk.room = .max
        try writer.finish()
        let contents = try readWAV(FileByteSource(path: path))
        #expect(contents.samples.map { Int16(sample: $0) } == [1, 2, 7, 8])
        #expect(contents.warnings.isEmpty)
        #expect(folder.bytes(of: "a.wav")?.count == Self.headerCount + 8)
    }

    @Test("goes on after interruptions and short writes")
    func interruptions() throws {
        let disk = Disk()
        disk.writeLimit = 3
        disk.writeErrors = [EINTR, EINTR]
        disk.flushErrors = [EINTR]
        let writer = try writer(folder.file("a.wav"), on: disk)
        try writer.append([1, -2, 3, -4])
        try writer.finish()
        let contents = try readWAV(FileByteSource(path: folder.file("a.wav")))
        #expect(contents.samples.map { Int16(sample: $0) } == [1, -2, 3, -4])
    }

    @Test("reports a failed flush, and finish can be tried again")
    func failedFlush() throws {
        let (disk, path) = (Disk(), folder.file("a.wav"))
        let writer = try writer(path, on: disk)
        try writer.append([1, 2])
        disk.flushErrors = [EIO, EIO]
        #expect(throws: FileError(.flush, path: path, errno: EIO)) { try writer.synchronize() }
        #expect(throws: FileError(.flush, path: path, errno: EIO)) { try writer.finish() }
        #expect(try readWAV(FileByteSource(path: path)).declaredFrameCount == nil)
        try writer.finish()
        #expect(try readWAV(FileByteSource(path: path)).declaredFrameCount == 1)
    }

    @Test("that fails to begin leaves no file")
    func failedBeginning() throws {
        let (disk, path) = (Disk(), folder.file("a.wav"))
        disk.room = 0
        #expect(throws: FileError(.write, path: path, errno: ENOSPC)) { try writer(path, on: disk) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
