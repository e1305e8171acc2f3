import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Runs the commands and the code that a newcomer reads in the README.
    @Suite("The README", .long)
    struct Readme {
        private let sandbox = Sandbox()

        /// The lines that are indented as code, in the README and in the pages that it leads to.
        private var code: [String] {
            get throws {
                let pages = try FileManager.default.contentsOfDirectory(atPath: Sandbox.root + "/Documentation").filter
                {
                    $0.hasSuffix(".md")
                }
                #expect(pages.contains("outbox.md"))
                return try (["README.md"] + pages.sorted().map { "Documentation/" + $0 }).flatMap { page in
                    try String(contentsOfFile: Sandbox.root + "/" + page, encoding: .utf8).split(separator: "\n").filter
                    {
                        $0.hasPrefix("    ")
                    }
                    .map { String($0.dropFirst(4)) }
                }
            }
        }

        /// The command in a line, without the comment.
        private func command(_ line: String) -> String {
            (line.firstRange(of: #/ +# /#).map { String(line[..<$0.lowerBound]) } ?? line).trimmingCharacters(
                in: .whitespaces)
        }

        // MARK: Commands

        /// The beginnings of commands that are not run here; other tests run most of them.
        private let elsewhere = [
            "make ", "systemctl ", "journalctl ",
            // These need a terminal or a microphone.
            "utter memo", "utter listen", "utter notes", "arecord ", "utter outbox clear",
            // These need a window, or go on until they are ended.
            "utter type", "date | utter type", "utter status --follow",
            // These need the network, or other machines.
            "utter models install", "utter models use", "find /archive -name '*.wav' | parallel --sshlogin",
            "sbatch ",
        ]

        @Test("names commands that do what it says")
        func commands() async throws {
            let programs = #/(date|find|utter|make|systemctl|journalctl|sbatch|arecord) .*/#
            let lines = try code.map(command).filter { $0.wholeMatch(of: programs) != nil }
            let here = lines.filter { line in !elsewhere.contains { line.hasPrefix($0) } }
            #expect(here.count >= 14 && lines.count > here.count, "\(lines)")
            for folder in ["bin", "archive", "work/texts", "work/talks", "work/recordings"] {
                try FileManager.default.createDirectory(atPath: sandbox.file(folder), withIntermediateDirectories: true)
            }
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.file("bin/utter"), withDestinationPath: Sandbox.utter)
            let digits = Recording.named("digits-slt.wav")
            for name in [
                "work/talk.wav", "work/talks/talk.wav", "work/recordings/talk.wav", "archive/one.wav",
                "archive/two.wav",
            ] {
                try FileManager.default.copyItem(atPath: digits.path, toPath: sandbox.file(name))
            }
            try await sandbox.run("ffmpeg", "-v", "error", "-i", digits.path, sandbox.file("work/talk.mp4"))
            try await sandbox.run(
                "ffmpeg", "-v", "error", "-i", digits.path, "-ac", "2", sandbox.file("work/meeting.wav"))
            let printed = sandbox.file("printed")
            try sandbox.configureDestinations(
                #"{"notes": {"type": "vault", "folder": "~/notes"}, "work": {"type": "command", "command": "cat >>'\#(printed)'"}, "#
                    + #""me": {"type": "command", "command": "exit 1"}}"#)
            let path = sandbox.file("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            for line in here {
                var runnable = line.replacing("/archive", with: sandbox.file("archive"))
                // Use the id of an operation that exists, and that no drain delivers meanwhile.
                if line.contains("9c1194f1") {
                    let id = try sandbox.queue("for nobody", for: "nobody")
                    runnable = runnable.replacing("9c1194f1", with: id.name)
                }
                let finished = try await Program(
                    ["bash", "-c", "cd '\(sandbox.file("work"))' && \(runnable)"],
                    environment: sandbox.environment(["PATH": path])
                ).finish()
                // The doctor's exit status depends on what it finds, and that of a drain on whether all arrives: `me` always fails.
                let allowed: [Int32?] =
                    line == "utter doctor" ? [0, 69] : line.hasPrefix("utter outbox") ? [0, 75] : [0]
                #expect(
                    allowed.contains(finished.exitCode),
                    "\(line): \(String(describing: finished.exitCode)) \(finished.errors)")
                if line == "utter transcribe talk.wav" { #expect(finished.output == digits.transcript + "\n") }
            }
            #expect(sandbox.text(of: "work/talk.srt")?.contains("\n\(digits.transcript)\n") == true)
            #expect(sandbox.text(of: "work/texts/talk.json")?.contains(digits.transcript) == true)
            #expect(sandbox.text(of: "work/texts/one.txt") == digits.transcript + "\n")
            #expect(sandbox.text(of: "work/texts/two.txt") == digits.transcript + "\n")
        }

        @Test("begins with make demo, which ends with a sentence, and each command that it suggests works")
        func demo() async throws {
            // As after `make build`: the program is there.
            let make = ["make", "-s", "-C", Sandbox.root, "-o", "build", "PROGRAM=\(Sandbox.utter)"]
            let demo = try await Program(make + ["demo"], environment: sandbox.environment()).finish()
            #expect(demo.exitCode == 0, "\(demo.errors)")
            let memo = try await MemoTests.transcript(of: .named("memo.wav"))
            let lines = demo.outputLines
            let said = try #require(lines.firstIndex { $0.hasPrefix("What is said in ") })
            let sentence = try #require(lines.firstIndex { $0.hasPrefix("A sentence of a novel") })
            let next = try #require(lines.firstIndex { $0.hasPrefix("Now try: ") })
            // The memo shows the first pass's text, since these tests turn the second pass off; the sentence has one of its own.
            #expect(
                !memo.isEmpty
                    && lines[(said + 1)..<sentence].joined(separator: " ").trimmingCharacters(in: .whitespaces) == memo)
            #expect(lines[sentence + 1].contains(#/^[A-Z].* (Mr\.|John|Dashwood).*\.$/#), "\(lines)")

            let suggested = lines[next...].map {
                $0.replacing("Now try:", with: "").replacing(#/  \(.*\)$/#, with: "").trimmingCharacters(
                    in: .whitespaces)
            }
            let utter = suggested.filter { $0.hasPrefix(Sandbox.utter + " ") }.map {
                String($0.dropFirst(Sandbox.utter.count + 1))
            }
            #expect(utter.count == 4)
            for line in utter {
                // Only the help of commands that need a microphone is run.
                let words = ["memo", "listen"].contains(line) ? line + " --help" : line
                let finished = try await Program(
                    ["sh", "-c", "cd '\(Sandbox.root)' && exec '\(Sandbox.utter)' \(words)"],
                    environment: sandbox.environment()
                ).finish()
                #expect(
                    finished.exitCode == 0 && !finished.output.isEmpty && finished.errors == "",
                    "\(line): \(finished.errors)")
            }
            #expect(
                suggested.last == "make install PREFIX=\(sandbox.file("home"))/.local, then utter transcribe FILE.wav")
            let install = try await Program(
                make + ["install", "PREFIX=\(sandbox.file("home/.local"))"], environment: sandbox.environment()
            )
            .finish()
            #expect(install.exitCode == 0, "\(install.errors)")
            let digits = Recording.named("digits-slt.wav")
            let finished = try await Program(
                [sandbox.file("home/.local/bin/utter"), "transcribe", digits.path], environment: sandbox.environment()
            ).finish()
            #expect(finished.output == digits.transcript + "\n" && finished.errors == "")
        }

        // MARK: The library

        /// A program that dictates, says that its main has run, and has no line for workers.
        private static let dictation = """
            import Foundation
            import Speech

            let words = CommandLine.arguments
            let mains = FileHandle(forWritingAtPath: words[1])!
            try mains.seekToEnd()
            try mains.write(contentsOf: Data("main\\n".utf8))
            let transcriber = DictationTranscriber(model: SecondPassModel(path: words[2], library: words[3]), languages: ["en"])
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.start(inputAudioFile: AudioFile(path: "memo.wav"), finishAfterFile: true)
            for try await result in transcriber.results { print(String(result.text.characters)) }

            """

        /// Makes a package that depends on this one by its path, with the README's lines and the example's source.
        private func package() async throws -> Builder {
            let lines = try code
            let first = try #require(lines.firstIndex { $0 == "import Audio" })
            let last = try #require(lines[first...].firstIndex { $0 == "}" })
            let snippet = lines[first...last].map { $0 + "\n" }.joined()
            let builder = Builder(sandbox, name: "consumer")
            try builder.put(snippet, in: "Sources/Snippet/main.swift")
            // The same code with a language that has no model.
            try builder.put(snippet.replacing("en-US", with: "ko-KR"), in: "Sources/Korean/main.swift")
            try builder.put(
                String(contentsOfFile: Sandbox.root + "/Examples/LiveCaptions/LiveCaptions.swift", encoding: .utf8),
                in: "Sources/Captions/LiveCaptions.swift")
            try putArticles(into: builder)
            try builder.put(Self.dictation, in: "Sources/Dictation/main.swift")
            try builder.put(
                """
                // swift-tools-version: 6.2
                import PackageDescription

                let articles: [Target.Dependency] =
                    ["Audio", "Outbox", "Speech", "TextRules"].map { .product(name: $0, package: "utter") }
                let libraries: [Target.Dependency] = [.product(name: "Audio", package: "utter"), .product(name: "Speech", package: "utter")]
                let package = Package(
                    name: "consumer",
                    dependencies: [.package(name: "utter", path: "\(Sandbox.root)")],
                    targets: [
                        .executableTarget(name: "Snippet", dependencies: libraries),
                        .executableTarget(name: "Korean", dependencies: libraries),
                        .executableTarget(name: "Captions", dependencies: libraries),
                        .executableTarget(name: "Dictation", dependencies: libraries),
                        .target(name: "Articles", dependencies: articles),
                    ])
                """, in: "Package.swift")
            try await builder.build()
            return builder
        }

        /// Adds the Swift code in the pages of the libraries' documentation, each part as the body of a function.
        private func putArticles(into builder: Builder) throws {
            let sources = Sandbox.root + "/Sources/"
            let pages = try FileManager.default.subpathsOfDirectory(atPath: sources).filter {
                $0.contains(".docc/") && $0.hasSuffix(".md")
            }
            let parts = try pages.flatMap { page in
                try String(contentsOfFile: sources + page, encoding: .utf8).matches(of: #/```swift\n((?s:.*?))```/#).map
                { String($0.1) }
            }
            try #require(pages.count >= 10 && parts.count >= 10, "\(pages)")
            for (number, part) in parts.enumerated() {
                try builder.put(
                    """
                    import Audio
                    import Foundation
                    import Outbox
                    import Speech
                    import TextRules

                    func part\(number)() async throws {
                    \(part)
                    }
                    """, in: "Sources/Articles/Part\(number).swift")
            }
        }

        @Test(
            "has lines of Swift that another package builds and runs as they stand; and so does the example of live captions"
        )
        func library() async throws {
            let package = try await package()
            // The file that the code reads.
            let memo = try #require(Recording.fixtures.first { $0.name == "memo.wav" })
            try FileManager.default.copyItem(atPath: memo.path, toPath: sandbox.file("consumer/memo.wav"))
            let expected = try await sandbox.transcribe(memo.path).outputLines
            let snippet = try await package.start("Snippet").finish()
            snippet.expectEnd(0, output: expected.joined(separator: " ") + "\n", errors: "")

            let korean = try await package.start("Korean").finish()
            #expect(korean.exitCode == 0 && korean.errors == "")
            #expect(
                korean.output
                    == "no model for ko-KR is installed; there are: vosk-model-tiny-en; to get one: utter models install ko-KR\n"
            )

            let captions = try await package.start("Captions", "memo.wav").finish()
            #expect(captions.exitCode == 0 && captions.errors == "" && finals(captions.output) == expected)
            #expect(captions.outputLines.contains { $0.hasPrefix("           … ") })

            if let model = SecondPassSetup.model {
                let mains = sandbox.put([], in: "mains")
                let count = 3
                for _ in 0..<count {
                    let dictation = try await package.start("Dictation", mains, model.path, model.library).finish()
                    #expect(dictation.exitCode == 0 && dictation.errors == "", "\(dictation.errors)")
                    #expect(dictation.output.contains("Monday, Wednesday, Friday"), "\(dictation.output)")
                }
                #expect(sandbox.text(of: "mains") == String(repeating: "main\n", count: count), "no worker runs main")
            }

            let digits = Recording.named("digits-slt.wav")
            let microphone = try await VirtualMicrophone()
            let live = try package.start("Captions", environment: microphone.environment)
            try await waitForListener(microphone)
            // Its output reaches a pipe only when it ends, so a second of silence replaces waiting for the text before Enter.
            let silence = [Int16](repeating: 0, count: microphone.rate * microphone.channelCount)
            try await microphone.play(try await microphone.rendered(digits.path) + silence)
            try await live.write([UInt8(ascii: "\n")])
            let finished = try await live.finish()
            #expect(
                finished.exitCode == 0 && finals(finished.output) == [digits.transcript] && finished.errors == "",
                "\(finished.errors)")
        }

        /// Waits until something records from the microphone.
        private func waitForListener(_ microphone: VirtualMicrophone) async throws {
            let limit = Date(timeIntervalSinceNow: 120)
            let environment = sandbox.environment(microphone.environment)
            while try await Program(["pactl", "list", "short", "source-outputs"], environment: environment).finish()
                .output.isEmpty
            {
                try #require(Date() < limit, "nothing listens")
            }
        }

        /// The final captions, without their times.
        private func finals(_ output: String) -> [String] {
            output.split(separator: "\n").compactMap { line in
                line.firstMatch(of: #/^ *[0-9]+\.[0-9]{2} s  (.*)$/#).map { String($0.1) }
            }
        }
    }
}

/// Builds a package in a sandbox, and runs its programs.
private struct Builder {
    let sandbox: Sandbox
    let name: String

    init(_ sandbox: Sandbox, name: String) { (self.sandbox, self.name) = (sandbox, name) }

    func put(_ text: String, in file: String) throws {
        let path = sandbox.file("\(name)/\(file)")
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    func build() async throws {
        // The compiler's caches are removed with the sandbox. libvosk is found as `make` finds it.
        let given = ProcessInfo.processInfo.environment["PKG_CONFIG_PATH"].map { ":" + $0 } ?? ""
        let environment = sandbox.environment([
            "PKG_CONFIG_PATH": "\(NSHomeDirectory())/.local/lib/pkgconfig:/usr/local/lib/pkgconfig" + given
        ])
        let rpath =
            try await Program(["pkg-config", "--variable=libdir", "vosk"], environment: environment).finish()
            .outputLines.first ?? ""
        let finished = try await Program(
            [
                "swift", "build", "--package-path", sandbox.file(name), "--disable-index-store", "-Xswiftc",
                "-gline-tables-only", "-Xlinker", "-rpath", "-Xlinker", rpath,
            ],
            environment: environment
        ).finish()
        try #require(finished.exitCode == 0, "\(finished.output.suffix(3000))\(finished.errors)")
    }

    func start(_ product: String, _ arguments: String..., environment: [String: String] = [:]) throws -> Program {
        let folder = sandbox.file(name)
        // It runs in the package's folder, which has the files that the code reads.
        return try Program(
            ["sh", "-c", "cd '\(folder)' && exec \"$0\" \"$@\"", "\(folder)/.build/debug/\(product)"] + arguments,
            environment: sandbox.environment(environment), input: .pipe)
    }
}
