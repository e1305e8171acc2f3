import Foundation
import System
import TestSupport
import Testing

@testable import Audio

@Suite("A byte source")
struct ByteSourceTests {
    private func bytes(of source: some ByteSource, atOnce count: Int = 5) throws -> [UInt8] {
        var source = source
        var buffer = [UInt8](repeating: 0, count: count)
        var bytes: [UInt8] = []
        while true {
            let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    @Test("with a prefix gives the prefix first, then the rest", arguments: [1, 5, 100])
    func prefixed(atOnce: Int) throws {
        let rest = ArrayByteSource([4, 5, 6])
        #expect(try bytes(of: PrefixedByteSource([1, 2, 3], followedBy: rest), atOnce: atOnce) == [1, 2, 3, 4, 5, 6])
        #expect(try bytes(of: PrefixedByteSource([], followedBy: rest), atOnce: atOnce) == [4, 5, 6])
        let wav = WAVBuilder.pcm16([1, 2, 3])
        let source = PrefixedByteSource(Array(wav.prefix(12)), followedBy: ArrayByteSource(Array(wav.dropFirst(12))))
        #expect(try readWAV(source).frameCount == 3)
    }

    @Test("of a file gives the file and closes its descriptor once")
    func file() throws {
        let folder = TemporaryFolder()
        let all = [UInt8](0...255)
        let path = folder.put(all, in: "bytes")
        #expect(try bytes(of: FileByteSource(path: path)) == all)

        let descriptor = open(path, O_RDONLY)
        #expect(try bytes(of: FileByteSource(descriptor: descriptor, owned: false, name: "bytes")) == all)
        #expect(fcntl(descriptor, F_GETFD) != -1, "a borrowed descriptor stays open")

        // The descriptor's number may be given away again at once by another test: look at the file, not the number.
        let owned = dup(descriptor)
        close(descriptor)
        do {
            let source = FileByteSource(descriptor: owned, owned: true, name: "bytes")
            #expect(links(to: path) == 1)
            _ = source
        }
        #expect(links(to: path) == 0, "an owned descriptor is closed")
    }

    /// How many of this process' descriptors are open on the file.
    private func links(to path: String) -> Int {
        (0..<1024).count { descriptor in
            var target = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            return count > 0 && String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) == path
        }
    }

    @Test("repeats a call that a signal broke off, as often as that happens, and no other")
    func interrupted() {
        var answers: [(result: Int, errno: Int32)] = [(-1, EINTR), (-1, EINTR), (-1, EIO), (3, 0)]
        func call() -> Int {
            let answer = answers.removeFirst()
            errno = answer.errno
            return answer.result
        }
        #expect(Descriptor.retrying(call) == -1 && answers.count == 1)
        #expect(Descriptor.retrying(call) == 3)
    }

    @Test("that can't be opened or read says why, and which file it is")
    func errors() throws {
        let folder = TemporaryFolder()
        let path = folder.file("none")
        #expect(throws: FileError(.open, path: path, errno: ENOENT)) { try FileByteSource(path: path) }
        #expect(throws: FileError(.read, path: folder.path, errno: EISDIR)) {
            try bytes(of: FileByteSource(path: folder.path))
        }
        #expect(
            FileError(.open, path: "a.wav", errno: ENOENT).description == "can't open a.wav: No such file or directory")
        #expect(throws: FileError(.read, path: "standard input", errno: EBADF)) {
            try bytes(of: FileByteSource(descriptor: -1, owned: false, name: "standard input"))
        }
    }

    @Test("of a pipe gives a WAV while it is written, also if the descriptor doesn't block", arguments: [false, true])
    func pipe(nonBlocking: Bool) throws {
        var ends: [Int32] = [0, 0]
        #expect(Glibc.pipe(&ends) == 0)
        if nonBlocking { #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) }
        let file = WAVBuilder.pcm16((0..<20_000).map { Int16($0) }, channelCount: 2)
        let writer = Thread { [writeEnd = ends[1]] in
            var written = 0
            while written < file.count {
                let size = min(file.count - written, written < 60 ? 1 : 4099)
                written += file.withUnsafeBytes { write(writeEnd, $0.baseAddress! + written, size) }
            }
            close(writeEnd)
        }
        writer.start()
        let contents = try readWAV(FileByteSource(descriptor: ends[0], owned: true, name: "pipe"), framesAtOnce: 1000)
        #expect(contents.samples == (0..<20_000).map { Float($0) / 32768 })
        #expect(contents.warnings.isEmpty)
    }
}
