import CLinux
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Speech

@Suite("The worker of the second pass")
struct SecondPassWorkerTests {
    private let folder = TemporaryFolder()

    @Test(
        "has its socket and no other descriptor, writes no core file, has the session's priority, and ends on request")
    func surroundings() async throws {
        // A descriptor that the session has open without close-on-exec.
        let other = open("/dev/null", O_RDONLY)
        defer { close(other) }
        let (events, sending) = AsyncStream.makeStream(of: WorkerProcess.Event.self)
        let worker = WorkerProcess(program: SecondPassRig.program, arguments: SecondPassWorker.arguments) {
            sending.yield($0)
        }
        // By the time that it answers, it has set itself up.
        worker.send(.load(WorkerSetup(library: "/nonexistent", model: "")))
        var iterator = events.makeAsyncIterator()
        guard case .answer(.failure(0, let failure)) = await iterator.next() else {
            return #expect(Bool(false), "it answers")
        }
        #expect(failure.kind == .library && failure.sentence.contains("/nonexistent/libtranscribe.so"))
        let process = try #require(SecondPassRig.children.first)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").sorted()
        #expect(descriptors == ["0", "1", "2"])
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        #expect(
            limits.split(separator: "\n").contains {
                $0.hasPrefix("Max core file size") && $0.split(separator: " ")[4...].first == "0"
            })
        #expect(
            getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process))
                == getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
        #expect(try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8) == "500\n")
        worker.stop()
        guard case .ended(.stopped) = await iterator.next() else { return #expect(Bool(false), "it ends") }
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("that never answers ends a probe at its time limit, and is gone")
    func hanging() async throws {
        let program = folder.put("#!/bin/sh\nexec cat >/dev/null\n", in: "hangs")
        #expect(chmod(program, 0o700) == 0)
        let model = SecondPassModel(path: "/m", library: "/l", program: program)
        #expect(await model.probe([0], timeLimit: .milliseconds(100)) == .late(hasLoaded: false))
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("ends when the process that started it is killed, and when its socket is closed")
    func orphan() async throws {
        let script = """
            import os, socket, subprocess, sys
            ours, theirs = socket.socketpair()
            worker = subprocess.Popen([sys.argv[1], "--second-pass-worker", str(os.getpid())], stdin=theirs)
            theirs.close()
            # A request that is not whole: it reads, and waits for the rest.
            ours.sendall(bytes([9, 0, 0, 0]))
            print(worker.pid, flush=True)
            if sys.stdin.readline() == "close\\n":
                ours.close()
                print(worker.wait(), flush=True)
            sys.stdin.read()
            """
        let environment = ProcessInfo.processInfo.environment
        let closing = try Program(
            ["python3", "-c", script, SecondPassRig.program], environment: environment, input: .pipe)
        try await closing.write(Array("close\n".utf8))
        #expect(try await closing.finish().outputLines.last == "0")

        let killed = try Program(
            ["python3", "-c", script, SecondPassRig.program], environment: environment, input: .pipe)
        try await killed.wait(forOutput: "\n")
        let worker = try #require(pid_t(killed.outputSoFar.trimmingCharacters(in: .whitespacesAndNewlines)))
        let end = pidfd_open(worker, 0)
        killed.signal(SIGKILL)
        try await onThread { waitForEnd(end) }
        close(killed.input)
        _ = try await killed.finish()
    }

    @Test("refuses another version of the library, and one with another layout of a structure", .secondPass)
    func version() throws {
        let setup = try #require(SecondPassRig.setup)
        var calls = try TranscribeCalls(folder: setup.library)
        #expect(throws: Never.self) { try calls.check() }
        calls.version = { UnsafePointer(strdup("0.5.0")) }
        #expect { try calls.check() } throws: {
            "\($0)".contains("libtranscribe is version 0.5.0, and utter works with 0.4.1")
        }
        calls = try TranscribeCalls(folder: setup.library)
        calls.structSize = { _ in 8 }
        #expect { try calls.check() } throws: { ($0 as? WorkerFailure)?.kind == .library }
        #expect { try TranscribeCalls(folder: "/nonexistent") } throws: { ($0 as? WorkerFailure)?.kind == .library }
    }

    @Test(
        "recognizes the same text in another process, and whatever the libraries' environment variables are",
        .secondPass)
    func decoding() async throws {
        let samples = try Fixture.named("memo").samples()
        func text() async throws -> DecodedText {
            // With one thread, a text does not depend on what else runs.
            var setup = try #require(SecondPassRig.setup)
            setup.threads = 1
            let host = EngineHost(
                setup: setup, program: SecondPassRig.program, report: { Issue.record("\($0)") })
            let outcome = await host.decode(samples)
            await host.closeAndWait()
            guard case .text(let text) = outcome else { throw WorkerFailure(kind: .decoding, sentence: "\(outcome)") }
            return text
        }
        let once = try await text()
        setenv("TRANSCRIBE_DUMP_DIR", folder.path, 1)
        setenv("GGML_BACKEND_PATH", "/nonexistent.so", 1)
        defer {
            unsetenv("TRANSCRIBE_DUMP_DIR")
            unsetenv("GGML_BACKEND_PATH")
        }
        let again = try await text()
        #expect(once == again)
        #expect(folder.names().isEmpty, "nothing said is written into files")
        let words = Set(once.text.split(separator: " ").map { WordAlignment.normalized($0) })
        let expected = ["start", "repeat", "help", "stop", "monday", "wednesday", "friday", "sunday"]
        #expect(words.intersection(expected).count >= 6, "\(once.text)")
        #expect(once.words.isEmpty && !once.segments.isEmpty)
        var end: Int64 = 0
        for segment in once.segments {
            #expect(segment.time.lowerBound >= end, "segments are in order")
            end = segment.time.lowerBound
        }
        #expect(once.segments.map(\.text).joined(separator: " ") == once.text)
        #expect(once.text.contains { $0.isUppercase } && once.text.contains { $0.isPunctuation }, "\(once.text)")
    }

    @Test("skips a request that is cancelled before it has begun, and does the next", .secondPass)
    func cancelled() async throws {
        let (events, sending) = AsyncStream.makeStream(of: WorkerProcess.Event.self)
        let worker = WorkerProcess(program: SecondPassRig.program, arguments: SecondPassWorker.arguments) {
            sending.yield($0)
        }
        defer { worker.stop() }
        let samples = try Fixture.named("weekdays-awb").samples()
        worker.send(.load(try #require(SecondPassRig.setup)))
        worker.send(.decode(1, SoundBytes(samples)))
        worker.send(.cancel(1))
        worker.send(.decode(2, SoundBytes(Array(samples.prefix(1600)))))
        var answers: [WorkerAnswer] = []
        for await case .answer(let answer) in events {
            answers.append(answer)
            if answers.count == 3 { break }
        }
        guard case .failure(1, let failure) = answers[1], case .result(2, _) = answers[2] else {
            return #expect(Bool(false), "it was decoded to its end")
        }
        #expect(failure.kind == .cancelled)
    }

    @Test("reports what is wrong with a file that is cut, or is no model", .secondPass)
    func damage() async throws {
        var setup = try #require(SecondPassRig.setup)
        let whole = try FileHandle(forReadingFrom: URL(fileURLWithPath: setup.model))
        let head = try #require(try whole.read(upToCount: 2_000_000))
        for length in [0, 24, 100_000, 2_000_000] {
            setup.model = folder.put(Array(head.prefix(length)), in: "cut.gguf")
            let host = SecondPassRig.real(setup)
            let sentence = reason(await host.decode([1, 2, 3]))
            #expect(sentence.contains(setup.model), "\(sentence)")
            await host.closeAndWait()
        }
        setup.model = SecondPassRig.setup!.model
        for languages in [["de"], ["en", "de"]] {
            setup.languages = languages
            let host = SecondPassRig.real(setup)
            let sentence = reason(await host.decode([1, 2, 3]))
            #expect(sentence.contains("does not know the language de; it knows: en"), "\(sentence)")
            await host.closeAndWait()
        }
    }

    /// The reason for which there is no worker.
    private func reason(_ outcome: DecodingOutcome) -> String {
        if case .failed(.unavailable(let failure)) = outcome { failure.sentence } else { "\(outcome)" }
    }
}

extension Trait where Self == ConditionTrait {
    /// Requires the library and a model of the second pass.
    static var secondPass: ConditionTrait {
        .enabled(if: SecondPassRig.isThere, "libtranscribe or its model is not there: Scripts/setup")
    }
}
