import Foundation
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import utter

struct AtomicOutputTests {
    private let folder = TemporaryFolder()

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

    @Test("A file appears complete with the commit, and only its owner can read it")
    func commit() throws {
        let output = try AtomicOutput(path: folder.path + "/a.srt")
        try output.write("one\n")
        try output.write("zwei ü\n")
        #expect(folder.text(of: "a.srt") == nil)
        try output.commit()
        #expect(folder.text(of: "a.srt") == "one\nzwei ü\n")
        #expect(folder.names() == ["a.srt"])
        var status = stat()
        #expect(stat(folder.path + "/a.srt", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("Until the commit the old file stays, and without one for good")
    func abandoned() throws {
        folder.put("old", in: "a.srt")
        let output = try AtomicOutput(path: folder.path + "/a.srt")
        try output.write("new")
        // The new file has no name yet, so it can't be found, and is not left when the process is killed.
        #expect(folder.names() == ["a.srt"])
        output.abandon()
        output.abandon()
        #expect(folder.names() == ["a.srt"])
        do {
            let dropped = try AtomicOutput(path: folder.path + "/a.srt")
            try dropped.write("new")
        }
        #expect(folder.names() == ["a.srt"])
        #expect(folder.text(of: "a.srt") == "old")
        #expect(failure(folder.path + "/a.srt") == nil)
        #expect(folder.text(of: "a.srt") == "text")
    }

    @Test("The text of another recording stays where it may not be replaced, unless that recording is gone")
    func ofOthers() throws {
        let recordings = ["a.wav", "b.wav"].map { folder.path + "/" + $0 }
        for recording in recordings { try recording.write(toFile: recording, atomically: true, encoding: .utf8) }
        let outputs = try OutputFolder(making: folder.path + "/texts")
        func write(_ recording: String, keepsOthers: Bool = true) throws {
            let output = try AtomicOutput("a.txt", in: outputs, of: recording, keepsOthers: keepsOthers)
            try output.write(recording)
            try output.commit()
        }
        try write(recordings[0])
        #expect(OutputAttributes.other(than: recordings[0], of: "a.txt", in: outputs) == nil)
        #expect(
            OutputAttributes.other(than: recordings[1], of: "a.txt", in: outputs)
                == "\(recordings[0]); give the two an --output-dir each")
        let refused = #expect(throws: FileError.self) { try write(recordings[1]) }
        #expect(refused?.errno == EEXIST && folder.text(of: "texts/a.txt") == recordings[0])
        try write(recordings[0])
        #expect(rename(recordings[0], folder.path + "/c.wav") == 0)
        try write(recordings[1])
        #expect(folder.text(of: "texts/a.txt") == recordings[1])
        try write(folder.path + "/c.wav", keepsOthers: false)
        #expect(folder.text(of: "texts/a.txt") == folder.path + "/c.wav")
        #expect(OutputAttributes.recording("-") == nil && OutputAttributes.recording(folder.path) == nil)
    }

    @Test("The text of a recording of another size that had the same path is that of another recording")
    func ofEarlierRecording() throws {
        let recording = folder.path + "/a.wav"
        try "sound".write(toFile: recording, atomically: true, encoding: .utf8)
        let outputs = try OutputFolder(making: folder.path + "/texts")
        let output = try AtomicOutput("a.txt", in: outputs, of: recording)
        try output.write("text")
        try output.commit()
        try "other sound".write(toFile: recording, atomically: true, encoding: .utf8)
        #expect(
            OutputAttributes.other(than: recording, of: "a.txt", in: outputs)
                == "another recording of that name, with 5 bytes and not 11; rename or remove one of the two")
    }

    @Test("No descriptor stays open, whichever way it ends")
    func descriptors() throws {
        func lowestFree() -> Int32 {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            close(descriptor)
            return descriptor
        }
        // Other tests open files at the same time, so only many leaks are recognizable.
        let before = lowestFree()
        for index in 0..<300 {
            let output = try AtomicOutput(path: folder.path + "/a")
            if index % 3 == 0 { try output.commit() }
            if index % 3 == 1 { output.abandon() }
        }
        #expect(lowestFree() < before + 90)
        #expect(folder.names() == ["a"])
    }

    @Test("A symbolic link stays, and its target is replaced")
    func link() throws {
        folder.put("old", in: "real")
        #expect(symlink("real", folder.path + "/link") == 0)
        #expect(failure(folder.path + "/link") == nil)
        #expect(folder.text(of: "real") == "text")
        #expect(folder.names() == ["link", "real"])
        var status = stat()
        #expect(lstat(folder.path + "/link", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test(
        "The part of what a symbolic link leads to is named where it lies",
        arguments: ["real", "link", "long name.txt"])
    func linkedPart(name: String) throws {
        let elsewhere = folder.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        #expect(symlink("elsewhere/" + name, folder.path + "/link") == 0)
        let output = try AtomicOutput(path: folder.path + "/link")
        try output.write("text")
        let part = try output.keepPart()
        #expect(part == "\(elsewhere)/\(name).part")
        #expect(folder.text(of: "elsewhere/\(name).part") == "text")
    }

    // Uses pipes in the test's folder, never the real /dev/null: if the code under test is wrong and the tests run as root, the
    // device would be replaced for the whole machine.
    @Test("Something that isn't a file is written to, not replaced, and its failure is reported")
    func notAFile() throws {
        signal(SIGPIPE, SIG_IGN)
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        #expect(failure(path) == nil)
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &buffer, buffer.count) == 4)
        #expect(folder.names() == ["pipe"])
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFIFO)

        let output = try AtomicOutput(path: path)
        close(reader)
        let error = #expect(throws: FileError.self) { try output.write("text") }
        #expect(error?.description == "can't write \(path): Broken pipe")
        #expect(error?.exitCode == .ioError)
        output.abandon()
        #expect(folder.names() == ["pipe"])
    }

    @Test("An output that can't be created is reported before anything is written")
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

    @Test("For a name of the greatest length no longer one is needed; a longer name is refused and leaves nothing")
    func longName() {
        #expect(failure("\(folder.path)/\(String(repeating: "a", count: 255))") == nil)
        #expect(failure("\(folder.path)/\(String(repeating: "b", count: 256))")?.errno == ENAMETOOLONG)
        #expect(folder.names().count == 1)
    }

    @Test("The part of a name of the greatest length has a shorter one, and goes with the whole output")
    func longPart() throws {
        let path = "\(folder.path)/\(String(repeating: "ä", count: 127))"
        let part = try AtomicOutput(path: path)
        try part.write("x")
        #expect(try part.keepPart() == "\(folder.path)/\(String(repeating: "ä", count: 125)).part")
        #expect(folder.names().count == 1)
        try AtomicOutput(path: path).commit()
        #expect(folder.names() == [String(repeating: "ä", count: 127)])

        #expect(symlink(String(repeating: "b", count: 20), "\(folder.path)/link") == 0)
        let linked = try AtomicOutput(path: "\(folder.path)/link")
        try linked.write("x")
        #expect(try linked.keepPart() == "\(folder.path)/\(String(repeating: "b", count: 20)).part")
    }

    @Test("A folder that is moved meanwhile gets the file; if it was removed, the commit throws")
    func folderGone() throws {
        let inner = folder.path + "/inner"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let output = try AtomicOutput(path: inner + "/a")
        try output.write("x")
        #expect(rename(inner, folder.path + "/elsewhere") == 0)
        #expect(mkdir(inner, 0o700) == 0)
        try output.commit()
        #expect(folder.text(of: "elsewhere/a") == "x")

        let lost = try AtomicOutput(path: inner + "/a")
        #expect(rmdir(inner) == 0)
        let error = #expect(throws: FileError.self) { try lost.commit() }
        #expect(error?.operation == .replace)
        #expect(error?.errno == ENOENT)
    }

    @Test(
        "A part is kept beside the old file, and replaces an older part; a commit removes it, but only if it is a regular file"
    )
    func part() throws {
        folder.put("old", in: "a.srt")
        for text in ["one", "two"] {
            let output = try AtomicOutput(path: folder.path + "/a.srt")
            try output.write(text)
            #expect(try output.keepPart() == folder.path + "/a.srt.part")
            #expect(folder.text(of: "a.srt.part") == text && folder.text(of: "a.srt") == "old")
        }
        #expect(failure(folder.path + "/a.srt") == nil)
        #expect(folder.names() == ["a.srt"])
        #expect(mkdir(folder.path + "/a.srt.part", 0o700) == 0)
        #expect(failure(folder.path + "/a.srt") == nil)
        #expect(symlink("a.srt", folder.path + "/b.srt.part") == 0)
        #expect(failure(folder.path + "/b.srt") == nil)
        #expect(folder.names() == ["a.srt", "a.srt.part", "b.srt", "b.srt.part"])
    }

    @Test("Links to missing files and other links are followed, and circles are refused")
    func links() throws {
        #expect(mkdir(folder.path + "/sub", 0o700) == 0)
        for (name, target) in [
            ("one", "sub/two"), ("sub/two", "\(folder.path)/sub/../new"), ("way", "sub/."), ("c", "d"), ("d", "c"),
        ] {
            #expect(symlink(target, "\(folder.path)/\(name)") == 0)
        }
        #expect(failure(folder.path + "/one") == nil)
        #expect(folder.text(of: "new") == "text")
        #expect(failure(folder.path + "/way/three") == nil)
        #expect(folder.text(of: "sub/three") == "text")
        let circle = try #require(failure(folder.path + "/c"))
        #expect(circle.errno == ELOOP)
        let told = CommandError(circle)
        #expect(
            told.message.contains("/c: the symbolic links there lead in a circle; ") && told.exitCode == .cannotCreate)
        #expect(failure(folder.path + "/way")?.errno == EISDIR)
    }

    @Test("A link is followed only in a folder that others may not write to")
    func sharedFolder() throws {
        folder.put("old", in: "real")
        #expect(mkdir(folder.path + "/all", 0o700) == 0)
        #expect(symlink("../real", folder.path + "/all/link") == 0)
        for mode in [0o777, 0o1777, 0o775, 0o722] as [mode_t] {
            chmod(folder.path + "/all", mode)
            let refused = try #require(failure(folder.path + "/all/link"))
            #expect(refused.errno == ELOOP && CommandError(refused).message.contains("that others may write to"))
            #expect(failure(folder.path + "/all/link/below")?.errno == ELOOP)
        }
        chmod(folder.path + "/all", 0o755)
        #expect(failure(folder.path + "/all/link") == nil)
        #expect(folder.text(of: "real") == "text")
    }

    @Test(
        "A link is not followed in another user's folder, whatever its mode, and nothing is written to another user's pipe",
        .needsRoot)
    func folderOfAnother() throws {
        folder.put("old", in: "real")
        #expect(mkdir(folder.path + "/all", 0o755) == 0)
        #expect(symlink("../real", folder.path + "/all/link") == 0)
        #expect(failure(folder.path + "/all/link") == nil)
        #expect(chown(folder.path + "/all", 65_534, 65_534) == 0)
        #expect(failure(folder.path + "/all/link")?.errno == ELOOP)
        #expect(mkfifo(folder.path + "/all/pipe", 0o600) == 0 && chown(folder.path + "/all/pipe", 65_534, 65_534) == 0)
        let reader = open(folder.path + "/all/pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        #expect(failure(folder.path + "/all/pipe")?.errno == EPERM)
    }

    /// If the check and the opening were separate steps, a link that is put in place between them would be followed.
    @Test("A process that keeps swapping a file and a link never gets the text through the link")
    func race() throws {
        #expect(mkdir(folder.path + "/all", 0o700) == 0)
        chmod(folder.path + "/all", 0o777)
        folder.put("precious", in: "real")
        let path = folder.path
        let isDone = Atomic(false)
        let swaps = Atomic(0)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isDone.load(ordering: .relaxed) {
                unlink(path + "/all/a")
                symlink("../real", path + "/all/a")
                unlink(path + "/all/a")
                close(open(path + "/all/a", O_CREAT | O_WRONLY | O_CLOEXEC, 0o666))
                swaps.add(1, ordering: .relaxed)
            }
            hasEnded.signal()
        }
        defer {
            isDone.store(true, ordering: .relaxed)
            // A file that the thread still makes would keep the folder from being removed.
            hasEnded.wait()
        }
        let all = try OutputFolder(making: path + "/all")
        let count = Tier.count(200, long: 1_000, "UTTER_SWAPS")
        var refused = 0
        for index in 0..<count {
            do throws(FileError) {
                let output = index % 2 == 0 ? try AtomicOutput("a", in: all) : try AtomicOutput(path: path + "/all/a")
                try output.write("text")
                try output.commit()
            } catch {
                refused += 1
            }
        }
        #expect(swaps.load(ordering: .relaxed) > 0)
        #expect(folder.text(of: "real") == "precious")
        // Some attempts may be refused with an error, but not all.
        #expect(refused < count)
    }

    @Test("A folder is created with those above it, with the mode of the umask, but not as the target of a link")
    func makesFolder() throws {
        let path = folder.path + "/a/b//../c"
        _ = try OutputFolder(making: path)
        let output = try AtomicOutput("text", in: OutputFolder(making: path))
        try output.commit()
        var status = stat()
        #expect(stat(folder.path + "/a/c/text", &status) == 0)
        let mask = umask(0o777)
        umask(mask)
        #expect(stat(folder.path + "/a/c", &status) == 0 && status.st_mode & 0o777 == 0o777 & ~mask)
        // The link is dangling, as one to a disk that is not mounted.
        #expect(symlink("nowhere/texts", folder.path + "/link") == 0)
        #expect(throws: FileError.self) { try OutputFolder(making: folder.path + "/link") }
        #expect(access(folder.path + "/nowhere", F_OK) != 0)
        #expect(symlink("a", folder.path + "/good") == 0)
        _ = try OutputFolder(making: folder.path + "/good/new")
        #expect(access(folder.path + "/a/new", F_OK) == 0)
    }

    @Test("Temporary files of killed processes are removed; those of running ones, and other files, stay")
    func litter() throws {
        let opened = try OutputFolder(making: folder.path)
        let (living, name) = try OutputLitter.createLocked(in: opened, for: folder.path)
        let dead = [".utter-output-abc", ".utter-output-1y2p0ij32e8e7", ".utter-abc"]
        // An earlier version, which locks nothing, may still write to `.utter-def`.
        for other in dead + [
            ".utter-output-x.txt", ".utter-output-", ".utter-output-abc-def", ".utter-def", "utter-abc",
        ] {
            folder.put("speech", in: other)
        }
        let yesterday = time(nil) - 86_401
        var times = [timeval(tv_sec: yesterday, tv_usec: 0), timeval(tv_sec: yesterday, tv_usec: 0)]
        #expect(utimes(folder.path + "/.utter-abc", &times) == 0)
        #expect(mkdir(folder.path + "/.utter-output-dir", 0o700) == 0)
        #expect(mkfifo(folder.path + "/.utter-output-fifo", 0o600) == 0)
        #expect(symlink("utter-abc", folder.path + "/.utter-output-link") == 0)
        let theirs = getuid() == 0
        if theirs {
            folder.put("", in: ".utter-output-theirs")
            chown(folder.path + "/.utter-output-theirs", 65_534, 65_534)
        }
        OutputLitter.sweep(opened)
        var kept =
            ["", "abc-def", "dir", "fifo", "link", "x.txt"].map { ".utter-output-" + $0 } + [
                ".utter-def", "utter-abc", name,
            ]
        if theirs { kept.append(".utter-output-theirs") }
        #expect(folder.names() == kept.sorted())
        close(living)
        OutputLitter.sweep(opened)
        #expect(!folder.names().contains(name))
    }

    @Test("An error has the exit code for the operation and the reason")
    func errors() {
        #expect(FileError(.create, path: "a", errno: EACCES).exitCode == .noPermission)
        #expect(FileError(.create, path: "a", errno: ENOENT).exitCode == .cannotCreate)
        #expect(FileError(.create, path: "a", errno: EMFILE).exitCode == .osError)
        #expect(FileError(.write, path: "a", errno: EDQUOT).exitCode == .ioError)
        #expect(FileError(.open, path: "a", errno: EACCES).exitCode == .noInput)
        #expect(FileError(.read, path: "a", errno: EISDIR).exitCode == .noInput)
        #expect(FileError(.read, path: "a", errno: EIO).exitCode == .ioError)
    }

    @Test("A text is written completely even if the pipe accepts it in parts and doesn't block")
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
