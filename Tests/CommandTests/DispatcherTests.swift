import Foundation
import Testing

@testable import utter

struct DispatcherTests {
    private let dispatcher = Utter.dispatcher

    private func complaint(_ arguments: String...) -> UsageError? {
        do throws(UsageError) {
            _ = try dispatcher.action(for: arguments)
            return nil
        } catch {
            return error
        }
    }

    /// The text of a snapshot. To make it anew after a change that is meant: run the command into the file.
    private func snapshot(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
        return try String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8)
    }

    @Test("utter --help and utter help show the commands, word for word", arguments: [["--help"], ["-h"], ["help"]])
    func overview(_ arguments: [String]) throws {
        #expect(try dispatcher.action(for: arguments) == .print(snapshot("utter")))
    }

    @Test(
        "A command's help is the same from both sides, word for word",
        arguments: [
            ("config", "--json"), ("devices", "--json"), ("doctor", "--json"), ("listen", "-q"), ("memo", "--notes=x"),
            ("transcribe", "-q"),
        ])
    func commandHelp(_ command: String, _ option: String) throws {
        for arguments in [[command, "--help"], [command, option, "-h"], ["help", command]] {
            #expect(try dispatcher.action(for: arguments) == .print(snapshot(command)))
        }
    }

    @Test("No line of a help text is wider than the terminal", arguments: [40, 60, 80, 100])
    func helpFits(_ width: Int) {
        let texts =
            dispatcher.commands.map { HelpText.text(for: $0, width: width) } + [
                HelpText.overview(of: dispatcher.commands, abstract: dispatcher.abstract, width: width)
            ]
        for line in texts.joined().split(separator: "\n") {
            // Headings and examples are to be typed, so they stay whole.
            if line.hasPrefix("  "), !line.hasPrefix("   ") || line.hasPrefix("      -") { continue }
            if line.hasPrefix("Usage:") { continue }
            #expect(line.count <= max(width, 42), "\(line)")
        }
    }

    @Test(
        "The version is told everywhere",
        arguments: [["--version"], ["transcribe", "--version"], ["help", "--version"]])
    func version(_ arguments: [String]) throws {
        #expect(try dispatcher.action(for: arguments) == .print("utter \(utterVersion)\n"))
    }

    @Test("A command that isn't one is refused with the one that was meant")
    func unknownCommand() {
        #expect(
            complaint("transcibe", "a.wav")?.message
                == "'transcibe' is not a command of utter; did you mean 'transcribe'?")
        #expect(complaint("help", "dance")?.message == "'dance' is not a command of utter")
        #expect(complaint("--formt")?.message.hasPrefix("--formt is not an option of utter;") == true)
        #expect(complaint()?.message == "a command is missing: memo, listen, transcribe, outbox, devices, doctor, config or help")
    }

    @Test("A usage error names the help that fits, and shows what was typed in its visible form")
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
        #expect(values == [0, 64, 65, 66, 69, 70, 71, 73, 74, 75, 77, 78, 129, 130, 143])
    }

    @Test("The whole command ends with the code of what went wrong")
    func run() async {
        #expect(await Utter.run([]) == .usage)
        #expect(await Utter.run(["transcribe", "--nonsense"]) == .usage)
        #expect(await Utter.run(["transcribe", "-fsrt", "a", "b"]) == .usage)
        #expect(await Utter.run(["--version"]) == .ok)
    }

    @Test("Every option's name is one, and so is its letter")
    func tableIsSound() {
        for command in dispatcher.commands {
            let options = command.allOptions
            #expect(Set(options.map(\.long)).count == options.count)
            #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
            for option in options { #expect(option.help.hasSuffix("."), "\(option.long)") }
            for operand in command.operands.dropLast() { #expect(!operand.isRepeatable) }
        }
    }

    @Test("Text is wrapped by columns, and a wide word stands alone")
    func wrapping() {
        #expect(TextWrapper.lines(of: "aa bb  cc", width: 5) == ["aa bb", "cc"])
        #expect(TextWrapper.lines(of: "日本 語", width: 6) == ["日本", "語"])
        #expect(TextWrapper.lines(of: "a bbbbbbbb c", width: 4) == ["a", "bbbbbbbb", "c"])
        #expect(TextWrapper.lines(of: "", width: 4) == [])
    }
}
