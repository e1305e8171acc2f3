import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// A shortage of a system resource is reported in a sentence, with an exit status, and never is a hang, a crash or a raw error.
    @Suite("Limits of the system", .notSanitized("it takes much by itself"))
    struct SystemLimitsTests {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")

        private func limited(_ limit: String, _ arguments: [String], under wrapper: [String] = []) async throws
            -> Program.Finished
        {
            try await sandbox.utter(arguments, under: wrapper + ["prlimit", limit])
        }

        /// Expects success, or a sentence, if the program could start at all.
        private func expectSentence(_ finished: Program.Finished, _ word: String) {
            if finished.end == .exited(0) { return }
            #expect(finished.end == .exited(71))
            #expect(finished.errorLines.count == 1 && finished.errors.hasPrefix("utter: "), "\(finished.errors)")
            #expect(finished.errors.contains(word), "\(finished.errors)")
            #expect(!finished.errors.contains("Domain="))
        }

        @Test(
            "address space: it transcribes, or says that it can't",
            arguments: Array(stride(from: 100, to: 400, by: 25)) + [500, 700, 1000])
        func addressSpace(megabytes: Int) async throws {
            for jobs in ["1", "2"] {
                let finished = try await limited(
                    "--as=\(megabytes)000000", ["transcribe", "-q", "-j", jobs, digits.path, digits.path])
                #expect(megabytes > 100 || finished.end != .exited(0))
                // With less, the loader of shared libraries has failed.
                if finished.end == .exited(127) { continue }
                #expect([.exited(0), .exited(71)].contains(finished.end), "\(finished.end) \(finished.errors)")
                #expect(
                    finished.end == .exited(0) || finished.errors.contains("memory")
                        || finished.errors.contains("may take"))
            }
        }

        /// Whether other users may enter every folder above the built program.
        private static var isReachable: Bool {
            var folder = URL(fileURLWithPath: Sandbox.utter)
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                var status = stat()
                if stat(folder.path, &status) != 0 || status.st_mode & S_IXOTH == 0 { return false }
            }
            return true
        }

        @Test(
            "threads and processes: it transcribes, or says that it can't", .needsRoot,
            .enabled(if: isReachable, "another user can't reach the folder of the build"),
            arguments: [1, 5, 12, 24])
        func threads(count: Int) async throws {
            // Root has no such limit, so run as another user.
            let finished = try await limited(
                "--nproc=\(count)", ["transcribe", "-q", "-m", Sandbox.model, digits.path],
                under: ["env", "TMPDIR=/tmp", "setpriv", "--reuid", "65532", "--regid", "65532", "--clear-groups"])
            #expect(count > 1 || finished.end != .exited(0))
            expectSentence(finished, "ulimit -u")
        }

        @Test("core files: none is written, since it would hold speech")
        func coreFile() async throws {
            let program = try sandbox.start(
                ["--raw", "--rate", "16000", "-"], under: ["prlimit", "--core=unlimited"], input: .pipe)
            let input = program.input
            try await program.write(
                Array(Sound.bytes(of: Recording.named("memo.wav").samples)[..<220_000]), closes: false)
            try await program.wait(forOutput: digits.transcript)
            let limits = try String(contentsOfFile: "/proc/\(program.processID)/limits", encoding: .utf8)
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(core?.split(separator: " ").dropFirst(4).first == "0")
            program.signal(SIGKILL)
            _ = try await program.finish()
            close(input)
        }

        @Test(
            "a model's configuration: bytes that are not text are ignored in comments",
            arguments: ["conf/mfcc.conf", "conf/model.conf"])
        func configuration(file: String) async throws {
            let copy = sandbox.file("copy")
            try FileManager.default.copyItem(atPath: Sandbox.model, toPath: copy)
            let bytes = [UInt8](FileManager.default.contents(atPath: copy + "/" + file)!)
            sandbox.put(Array("# caf\u{E9}\n".unicodeScalars.map { UInt8($0.value) }) + bytes, in: "copy/" + file)
            let finished = try await sandbox.transcribe("-m", copy, digits.path)
            #expect(finished.end == .exited(0) && finished.output == digits.transcript + "\n" && finished.errors == "")
            #expect(chmod(copy + "/" + file, 0) == 0)
            unlink(copy + "/" + file)
            mkdir(copy + "/" + file, 0o700)
            let refused = try await sandbox.transcribe("-m", copy, digits.path)
            refused.expectEnd(
                69, errors: "utter: the model \(copy) lacks \(file); install it again or unpack its archive again\n")
            #expect(!refused.errors.contains("Domain="))
        }

        @Test("temporary files: those of killed runs are removed, and those of running ones are not")
        func overlays() async throws {
            let folder = sandbox.file("temporary")
            let (dead, living) = (
                folder + "/utter-overlay-\(UUID().uuidString)", folder + "/utter-overlay-\(UUID().uuidString)"
            )
            for path in [dead, living, folder + "/utter-overlay-of-somebody"] {
                mkdir(path, 0o700)
                symlink(digits.path, path + "/link")
            }
            let held = open(living, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
            let finished = try await sandbox.transcribe(digits.path, environment: ["TMPDIR": folder])
            #expect(finished.end == .exited(0))
            let kept = [String(living.dropFirst(folder.count + 1)), "utter-overlay-of-somebody"]
            #expect(sandbox.names(in: "temporary") == kept.sorted())
            close(held)
            #expect(access(digits.path, F_OK) == 0)
        }
    }
}
