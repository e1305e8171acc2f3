import Foundation
import Testing

@testable import utter

struct DispatcherTests {
    private let dispatcher = Utter.dispatcher

    private func complaint(_ arguments: String...) -> UsageError? { complaint(arguments) }

    private func complaint(_ arguments: [String]) -> UsageError? {
        do throws(UsageError) {
            if case .run(let command, let parsed) = try dispatcher.action(for: arguments) {
                _ = try command.init(arguments: parsed)
            }
            return nil
        } catch {
            return error
        }
    }

    /// The text of a snapshot. After an intended change, make it again with the command's output.
    private func snapshot(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
        return try String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8)
    }

    /// The text that a command line prints; nil when it runs a command.
    private func printed(_ arguments: [String]) throws -> String? {
        if case .print(let text) = try dispatcher.action(for: arguments) { text } else { nil }
    }

    @Test("utter --help and utter help print the commands, word for word", arguments: [["--help"], ["-h"], ["help"]])
    func overview(_ arguments: [String]) throws {
        #expect(try printed(arguments) == snapshot("utter"))
    }

    static let commands = Utter.dispatcher.commands.flatMap { [$0] + $0.subcommands }

    @Test("Every command's help is the same by option and by command, word for word", arguments: commands.map(\.name))
    func commandHelp(_ name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let help = try snapshot(words.joined(separator: "-"))
        for arguments in [words + ["--help"], words + ["-h"], ["help"] + words] {
            #expect(try printed(arguments) == help, "\(arguments)")
        }
    }

    @Test("Every snapshot is that of an existing command")
    func snapshots() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            Set(names) == Set((Self.commands.map { $0.name.replacing(" ", with: "-") } + ["utter"]).map { $0 + ".txt" })
        )
    }

    @Test(
        "An option before --help does not change the help",
        arguments: [
            ("devices", "--json"), ("doctor", "--json"), ("listen", "-q"), ("memo", "--notes=x"),
            ("transcribe", "-q"),
        ])
    func helpAfterOption(_ command: String, _ option: String) throws {
        #expect(try printed([command, option, "-h"]) == snapshot(command))
    }

    @Test("No line of a help text is wider than the terminal", arguments: [40, 60, 80, 100])
    func helpFits(_ width: Int) {
        let texts =
            Self.commands.map { HelpText.text(for: $0, width: width) } + [
                HelpText.overview(of: dispatcher.commands, abstract: dispatcher.abstract, width: width)
            ]
        // Text that is to be typed is not wrapped: an example, or an option or an operand alone on its line.
        let typed =
            Self.commands.flatMap { command in
                command.examples.map(\.command) + command.allOptions.map { HelpText.heading(of: $0) }
                    + command.operands.map { HelpText.heading(of: $0) }
            }
        let whole = Set(typed.map { "  " + $0 })
        var checked = 0
        for line in texts.flatMap({ $0.components(separatedBy: "\n") }) where !whole.contains(line) {
            checked += 1
            // The text beside the options has at least 16 columns, and no word is divided.
            #expect(line.count <= max(width, 42) || line.split(separator: " ").count == 1, "\(line)")
        }
        #expect(checked > 500)
    }

    @Test(
        "The version is printed everywhere",
        arguments: [["--version"], ["transcribe", "--version"], ["help", "--version"]])
    func version(_ arguments: [String]) throws {
        #expect(try printed(arguments) == "utter \(utterVersion)\n")
    }

    @Test("An unknown command is refused with the one that was meant")
    func unknownCommand() {
        #expect(
            complaint("transcibe", "a.wav")?.message
                == "'transcibe' is not a command of utter; did you mean 'transcribe'?")
        #expect(
            complaint("config", "get", "jobs")?.message
                == "'get' is not a command of utter config; did you mean 'show'?")
        for option in ["--srt", "-srt", "--subtitles"] {
            let shown = option.hasPrefix("--") ? option : "-s"
            #expect(
                complaint("transcribe", option, "a.wav")?.message
                    == "\(shown) is not an option of utter transcribe; did you mean --format srt?")
        }
        // A misspelled value is no option that was meant.
        #expect(complaint("memo", "--nope")?.message == "--nope is not an option of utter memo")
        // What is an operand of a group's own command is no command to suggest.
        #expect(complaint("help", "notes", "yesterday")?.message == "'yesterday' is not a command of utter notes")
        #expect(
            complaint("notes", "monday")?.message
                == "'monday' is not a command of utter notes; a day is written as 2026-11-23, today or yesterday")
        for (arguments, message) in [
            (["notes", "--notes", "a b", "undo"], "'undo' comes before its options: utter notes undo --notes 'a b'"),
            (["notes", "-n", "3", "search", "ada"], "'search' comes before its options: utter notes search -n 3 ada"),
            (["outbox", "--json", "list"], "'list' comes before its options: utter outbox list --json"),
            (["config", "--json", "set", "a", "b"], "'set' comes before its options: utter config set --json a b"),
            (["notes", "--notes", "undo", "x"], nil), (["notes", "--notes=x", "today"], nil),
            (["notes", "-n3", "2026-11-23"], nil),
        ] as [([String], String?)] {
            #expect(complaint(arguments)?.message == message, "\(arguments)")
        }
        #expect(complaint("help", "dance")?.message == "'dance' is not a command of utter")
        #expect(
            complaint("help", "--completions", "csh")?.message
                == "utter help --completions takes a shell: bash, zsh or fish")
        for (arguments, message) in [
            (["devices", "--for", "3"], "--for is for --test: say which device to listen to"),
            (
                ["models", "install"],
                "say which MODEL, or give an archive with --from; utter models list shows what there is"
            ),
            (["models", "install", "eo", "--sha256", "12"], "--sha256 can't be '12': give 64 hexadecimal digits"),
        ] {
            #expect(complaint(arguments)?.message == message)
        }
        #expect(
            complaint("--formt")?.message
                == "--formt is not an option of utter; options of a command come after its name")
        for (option, meant) in [
            ("--verion", "version"), ("-version", "version"), ("-v", "version"), ("--hlep", "help"),
        ] {
            #expect(complaint(option)?.message == "\(option) is not an option of utter; did you mean --\(meant)?")
            #expect(
                complaint("models", option)?.message
                    == "\(option) is not an option of utter models; did you mean --\(meant)?")
        }
        #expect(
            complaint()?.message
                == "a command is missing: memo, listen, transcribe, type, status, notes, models, outbox, devices, doctor, config or help"
        )
    }

    @Test("A command may have subcommands, with help for each and for all")
    func subcommands() throws {
        func isHelp(_ arguments: [String], _ start: String) throws -> Bool {
            guard case .print(let text) = try dispatcher.action(for: arguments) else { return false }
            return text.hasPrefix(start)
        }
        for arguments in [["models", "--help"], ["help", "models"], ["models", "help"], ["models", "-h"]] {
            #expect(try isHelp(arguments, "utter models - "))
        }
        for arguments in [["models", "list", "--help"], ["help", "models", "list"], ["models", "help", "list"]] {
            #expect(try isHelp(arguments, "utter models list - "))
        }
        #expect(try printed(["models", "--version"]) == "utter \(utterVersion)\n")
        guard case .run(let command, let parsed) = try dispatcher.action(for: ["models", "path", "en-us"]) else {
            Issue.record("not run")
            return
        }
        #expect(command == ModelsPath.self && parsed.specification == .modelsPath)
        #expect(parsed.specification.name == "models path" && parsed.operands == ["en-us"])
        #expect(complaint("models")?.message.hasPrefix("utter models needs to know what to do: list, ") == true)
        #expect(complaint("models", "lst")?.message == "'lst' is not a command of utter models; did you mean 'list'?")
        #expect(complaint("models", "lst")?.helpCommand == "utter models --help")
        #expect(complaint("models", "--json")?.message.hasPrefix("--json is not an option of utter models;") == true)
        #expect(
            complaint("help", "models", "lst")?.message
                == "'lst' is not a command of utter models; did you mean 'list'?")
        #expect(complaint("help", "transcribe", "x")?.message == "utter help takes one command")
    }

    @Test("A subcommand may be the default one")
    func defaultSubcommand() throws {
        for (arguments, name) in [
            ([], "summary"), (["--json"], "summary"), (["summary"], "summary"), (["list", "--json"], "list"),
        ] {
            guard case .run(_, let parsed) = try dispatcher.action(for: ["outbox"] + arguments) else {
                Issue.record("not run: \(arguments)")
                continue
            }
            #expect(parsed.specification.name == "outbox " + name && parsed[Flag.json] == arguments.contains("--json"))
        }
        guard case .print(let text) = try dispatcher.action(for: ["outbox", "--help"]) else {
            Issue.record("no help")
            return
        }
        #expect(text.contains("Usage: utter outbox [COMMAND] [OPTION]..."))
    }

    @Test("A usage error names the relevant help, and shows what was typed in its visible form")
    func errorText() {
        let error = complaint("transcribe", "--\u{1B}[2J", "a")
        #expect(
            error?.description
                == "utter: --\\x1B[2J is not an option of utter transcribe\nTry 'utter transcribe --help' for more.\n")
        #expect(error?.exitCode.rawValue == 64)
    }

    @Test("Exit codes are those of sysexits.h")
    func exitCodes() {
        let values = ExitCode.allCases.map(\.rawValue)
        #expect(values == [0, 1, 64, 65, 66, 69, 70, 71, 73, 74, 75, 77, 78, 129, 130, 141, 143])
    }

    @Test("The command ends with the code of its error")
    func run() async {
        #expect(await Utter.run([]) == .usage)
        #expect(await Utter.run(["transcribe", "--nonsense"]) == .usage)
        #expect(await Utter.run(["transcribe", "-fsrt", "a", "b"]) == .usage)
        #expect(await Utter.run(["--version"]) == .ok)
    }

    @Test("The names and letters of a command's options are unique")
    func tableIsSound() {
        for command in dispatcher.commands.flatMap(\.runnable) {
            let options = command.allOptions
            #expect(Set(options.map(\.long)).count == options.count)
            #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
            for option in options { #expect(option.help.hasSuffix("."), "\(option.long)") }
            for operand in command.operands.dropLast() { #expect(!operand.isRepeatable) }
        }
    }

    @Test("Text is wrapped by columns, and a wide word has a line of its own")
    func wrapping() {
        #expect(TextWrapper.lines(of: "aa bb  cc", width: 5) == ["aa bb", "cc"])
        #expect(TextWrapper.lines(of: "日本 語", width: 6) == ["日本", "語"])
        #expect(TextWrapper.lines(of: "a bbbbbbbb c", width: 4) == ["a", "bbbbbbbb", "c"])
        #expect(TextWrapper.lines(of: "", width: 4) == [])
    }

    @Test("utter without arguments shows the first steps on a terminal, and is a usage error elsewhere")
    func alone() throws {
        #expect(complaint()?.message.hasPrefix("a command is missing: ") == true)
        var dispatcher = dispatcher
        dispatcher.firstSteps = FirstSteps.text(installing: "utter models install ko")
        guard case .print(let text) = try dispatcher.action(for: []) else {
            Issue.record("it runs a command")
            return
        }
        #expect(
            text == """
                utter - speech to text, on this machine

                First steps:
                  utter models install ko  a model for your language
                  utter doctor             what is missing here, and the lines that mend it
                  utter memo               speak or type; Enter keeps it in today's note
                  utter transcribe FILE    a recording as text

                'utter --help' shows all commands, and 'utter COMMAND --help' what each can do.

                """)
        #expect(!FirstSteps.text(installing: nil).contains("install"))
    }

    @Test(
        "A word of other programs is answered with a suggestion",
        arguments: [
            (["models", "ls"], "did you mean 'list'?"), (["version"], "did you mean 'utter --version'?"),
            (["memo", "--language", "de"], "did you mean --locale?"),
            (["transcribe", "-f", "txt", "x"], "; did you mean text?"),
            (["outbox", "ls"], "did you mean 'list'?"), (["models", "rm"], "did you mean 'remove'?"),
            (["queue"], "did you mean 'outbox'?"),
        ])
    func synonyms(_ arguments: [String], _ question: String) {
        do throws(UsageError) {
            _ = try dispatcher.action(for: arguments)
            Issue.record("\(arguments) is accepted")
        } catch {
            #expect(error.message.hasSuffix(question), "\(error.message)")
        }
    }
}
