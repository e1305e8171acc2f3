import Foundation
import Models
import Outbox
import Speech
import System

struct ConfigShow: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let key = arguments.operands.first
        if let key, Setting.named(key) == nil {
            throw arguments.specification.usageError(Setting.complaint(aboutKey: key))
        }
        let shown = EffectiveSettings(try Settings.load(), key: key)
        try Output.write(arguments[Flag.json] ? shown.json : shown.table)
        return .ok
    }
}

/// `utter config set` and `utter config unset`: a change of one setting in the configuration file.
struct ConfigChange: Command {
    let arguments: ParsedArguments
    private var key: String { arguments.operands[0] }
    private var status: Status { Status(isQuiet: arguments[Flag.quiet]) }
    private let file = ConfigurationFile()

    func run() throws -> ExitCode {
        arguments.specification == .configSet ? try set(Array(arguments.operands.dropFirst())) : try unset()
    }

    private func set(_ values: [String]) throws -> ExitCode {
        guard let setting = Setting.named(key) else { throw unknown() }
        if values.count > 1, !setting.isList {
            throw arguments.specification.usageError(
                "\(key) is one value; quote what is one: \(ShellWord.quoted(values.joined(separator: " ")))")
        }
        // As utter config shows it where nothing is set.
        if values == [setting.standard], setting.standard == "none" { return try unset() }
        let texts = values.map { absolute($0, setting) }
        for text in texts {
            if let complaint = setting.complaint(aboutWritten: text) {
                throw arguments.specification.usageError("\(key) \(complaint)")
            }
            if case .locale = setting.kind, let unknown = RecognitionPlan.unknownLanguage(in: text, .ofUser()) {
                throw arguments.specification.usageError(ModelStore().catalog.complaint(aboutLanguage: unknown))
            }
        }
        var replaced: String?
        try file.change { object in
            let values = texts.map { Self.json($0, setting) }
            object[key] = setting.isList && values.count > 1 ? .array(values) : values[0]
            if let other = setting.excludes, Setting.named(other) != nil, object[other] != nil {
                object[other] = nil
                replaced = other
            }
        }
        for (text, typed) in zip(texts, values) where text != typed {
            status.warn("\(key) is \(text), for a path is written in full")
        }
        if let replaced { status.warn("\(replaced) is not set any more: \(key) takes its place") }
        remark(on: setting)
        return .ok
    }

    private func unset() throws -> ExitCode {
        let choice = ChosenModels.choice(ofKey: key)
        let isChoice = choice != nil || ChosenModels.pass(ofKey: key) != nil
        var wasThere = false
        // A key that this version does not know can be removed too.
        try file.change { object in
            if let (key, language) = choice {
                guard var chosen = object[key]?.object else { return }
                wasThere = chosen[language] != nil
                chosen[language] = nil
                object[key] = chosen.members.isEmpty ? nil : .object(chosen)
            } else {
                wasThere = object[key] != nil
                object[key] = nil
            }
        }
        if !wasThere {
            if !isChoice, Setting.named(key) == nil { throw unknown() }
            status.warn("\(key) is not set in \(file.path)")
        } else if let setting = Setting.named(key) {
            remark(on: setting)
        }
        return .ok
    }

    private func unknown() -> CommandError {
        if let pass = ChosenModels.pass(ofKey: ChosenModels.choice(ofKey: key)?.key ?? key) {
            return CommandError("models of the \(pass.rawValue) pass are chosen with: utter models use MODEL", .usage)
        }
        return CommandError(Setting.complaint(aboutKey: key), .usage)
    }

    /// Warns if the environment overrides the file, or if the value can't be used yet.
    private func remark(on setting: Setting) {
        guard let settings = try? Settings.load() else { return }
        if let value = settings.values[setting.key], case .variable(let name) = value.source {
            status.warn("the variable \(name) goes before the file: \(setting.key) is \(value.text)")
        } else if let problem = EffectiveSettings(settings).problem(setting) {
            status.warn("\(setting.key) is set, but \(problem)")
        }
    }

    /// The text to write to the file: a relative path is made absolute.
    private func absolute(_ text: String, _ setting: Setting) -> String {
        guard setting.kind.isPath(text), !text.isEmpty, !text.hasPrefix("/"), !text.hasPrefix("~/") else { return text }
        return URL(fileURLWithPath: text).standardizedFileURL.path
    }

    private static func json(_ text: String, _ setting: Setting) -> JSONValue {
        // JSON has fewer ways to write a number than an option: neither .5 nor +4.
        switch setting.kind {
        case .integer where Int(text) != nil: .number(Int(text)!.description)
        case .number where ValueKind.number(text) != nil: .number(ValueKind.plain(ValueKind.number(text)!))
        case ValueKind.flag: .bool(text == "true")
        default: .string(text)
        }
    }
}

struct ConfigEdit: Command {
    // Editing must work also when the configuration is not valid.
    static let takesSettings = false
    private let environment = ProcessInfo.processInfo.environment

    init(arguments: ParsedArguments) {}

    func run() throws -> ExitCode {
        let path = Settings.path(environment)
        // Creates the file, so that the editor has a folder to save it in and an object to edit.
        if try Settings.content(of: path) == nil { try ConfigurationFile().change { _ in } }
        try Editor.required(for: path, environment).edit(path)
        do throws(CommandError) {
            for warning in try Settings.load().warnings { Console.tell(warning) }
        } catch {
            throw CommandError("\(error.message); to mend it: utter config edit", error.exitCode)
        }
        return .ok
    }
}
