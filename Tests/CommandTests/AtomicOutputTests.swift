import Audio
import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

/// A folder for one test, removed with it.
private final class Folder {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/utter-test-\(UUID().uuidString)"
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { try! FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    func text(of name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    func put(_ text: String, in name: String) {
        _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8))
    }
}

struct AtomicOutputTests {
    private let folder = Folder()

    private func failure(_ path: String) -> FileError? {
        do throws(FileError) {
            let output = try AtomicOutput(path: path)
            try output.write("text")
            try output.commit()
            return nil
        } catch {
            return error
        }
    }

    @Test("A file appears whole with its commit, and only its owner can read it")
    func commit() throws {
        let output = try AtomicOutput(path: folder.path + "/a.srt")
        try output.write("one\n")
        try output.write("zwei ü\n")
        #expect(folder.text(of: "a.srt") == nil)
        try output.commit()
        #expect(folder.text(of: "a.srt") == "one\nzwei ü\n")
        #expect(folder.names == ["a.srt"])
        var status = stat()
        #expect(stat(folder.path + "/a.srt", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("Until the commit the old file stands, and without one it stays")
    func abandoned() throws {
        folder.put("old", in: "a.srt")
        let output = try AtomicOutput(path: folder.path + "/a.srt")
        try output.write("new")
        #expect(folder.names.count == 2)
        output.abandon()
        output.abandon()
        #expect(folder.names == ["a.srt"])
        do {
            let dropped = try AtomicOutput(path: folder.path + "/a.srt")
            try dropped.write("new")
        }
        #expect(folder.names == ["a.srt"])
        #expect(folder.text(of: "a.srt") == "old")
        #expect(failure(folder.path + "/a.srt") == nil)
        #expect(folder.text(of: "a.srt") == "text")
    }

    @Test("No descriptor stays open, whichever way it ends")
    func descriptors() throws {
        func lowestFree() -> Int32 {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            close(descriptor)
            return descriptor
        }
        // Other tests open files at the same time, so only many leaks are told from their noise.
        let before = lowestFree()
        for index in 0..<300 {
            let output = try AtomicOutput(path: folder.path + "/a")
            if index % 3 == 0 { try output.commit() }
            if index % 3 == 1 { output.abandon() }
        }
        #expect(lowestFree() < before + 90)
        #expect(folder.names == ["a"])
    }

    @Test("A symbolic link stays one, and the file it leads to is replaced")
    func link() throws {
        folder.put("old", in: "real")
        #expect(symlink("real", folder.path + "/link") == 0)
        #expect(failure(folder.path + "/link") == nil)
        #expect(folder.text(of: "real") == "text")
        #expect(folder.names == ["link", "real"])
        var status = stat()
        #expect(lstat(folder.path + "/link", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    // With pipes in a folder of our own, never with the real /dev/null: where the code under test is wrong and the tests
    // run as root, the device would be replaced for the whole machine.
    @Test("What isn't a file is written to and not replaced, and its failure is told")
    func notAFile() throws {
        signal(SIGPIPE, SIG_IGN)
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        #expect(failure(path) == nil)
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &buffer, buffer.count) == 4)
        #expect(folder.names == ["pipe"])
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFIFO)

        let output = try AtomicOutput(path: path)
        close(reader)
        let error = #expect(throws: FileError.self) { try output.write("text") }
        #expect(error?.description == "can't write \(path): Broken pipe")
        #expect(error?.exitCode == .ioError)
        output.abandon()
        #expect(folder.names == ["pipe"])
    }

    @Test("A full disk is told")
    func full() {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(Descriptor.write("text", to: descriptor) == ENOSPC)
        #expect(
            FileError(.write, path: "/x/y.srt", errno: ENOSPC).description
                == "can't write /x/y.srt: No space left on device")
    }

    @Test("What can't be created is told before anything is written")
    func cannotCreate() {
        let missing = failure("\(folder.path)/missing/a.srt")
        #expect(missing?.description == "can't create \(folder.path)/missing/a.srt: No such file or directory")
        #expect(missing?.exitCode == .cannotCreate)
        folder.put("", in: "file")
        #expect(failure("\(folder.path)/file/a.srt")?.errno == ENOTDIR)
        #expect(failure(folder.path)?.errno == EISDIR)
        #expect(failure(folder.path + "/new/")?.errno == EISDIR)
        #expect(failure("")?.errno == ENOENT)
        #expect(failure("\(folder.path)/file")?.errno == nil)
    }

    @Test("A name as long as names can be needs no longer one beside it; a longer one is refused and leaves nothing")
    func longName() {
        #expect(failure("\(folder.path)/\(String(repeating: "a", count: 255))") == nil)
        #expect(failure("\(folder.path)/\(String(repeating: "b", count: 256))")?.errno == ENAMETOOLONG)
        #expect(folder.names.count == 1)
    }

    @Test("When the folder goes away meanwhile, the commit says so")
    func folderGone() throws {
        let inner = folder.path + "/inner"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let output = try AtomicOutput(path: inner + "/a")
        try output.write("x")
        #expect(rename(inner, folder.path + "/elsewhere") == 0)
        let error = #expect(throws: FileError.self) { try output.commit() }
        #expect(error?.operation == .replace)
        #expect(error?.errno == ENOENT)
    }

    @Test("An error has the exit code that fits what was tried and why it failed")
    func errors() {
        #expect(FileError(.create, path: "a", errno: EACCES).exitCode == .noPermission)
        #expect(FileError(.create, path: "a", errno: ENOENT).exitCode == .cannotCreate)
        #expect(FileError(.create, path: "a", errno: EMFILE).exitCode == .osError)
        #expect(FileError(.write, path: "a", errno: EDQUOT).exitCode == .ioError)
        #expect(FileError(.open, path: "a", errno: EACCES).exitCode == .noInput)
        #expect(FileError(.read, path: "a", errno: EISDIR).exitCode == .noInput)
        #expect(FileError(.read, path: "a", errno: EIO).exitCode == .ioError)
    }

    @Test("A text is written whole though the pipe takes it in parts and doesn't wait")
    func partialWrites() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        let text = String(repeating: "0123456789abcdef", count: 40_000)
        let (reading, writing) = (ends[0], ends[1])
        async let code = onThread {
            defer { close(writing) }
            return Descriptor.write(text, to: writing)
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 5000)
        while true {
            var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            _ = poll(&ready, 1, -1)
            let count = read(reading, &buffer, buffer.count)
            if count == 0 { break }
            if count > 0 { received += buffer[..<count] }
        }
        close(reading)
        #expect(try await code == 0)
        #expect(String(decoding: received, as: UTF8.self) == text)
    }
}
