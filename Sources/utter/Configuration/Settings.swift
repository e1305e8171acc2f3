import Foundation
import Glibc
import Models
import Outbox
import Speech
import System

/// The settings from the configuration file and from the environment, which takes precedence.
struct Settings: Sendable {
    enum Source: Equatable, Sendable {
        case variable(String)
        case file
    }

    struct Value: Equatable, Sendable {
        /// The value, or the values of a list.
        var texts: [String]
        var source: Source
        var text: String { texts.joined(separator: ", ") }
    }

    private(set) var values: [String: Value] = [:]
    /// The models that the user has chosen with `utter models use`, in the order of the file.
    private(set) var chosenModels: [ChosenModel] = []
    /// The path of the configuration file, whether or not it exists.
    let path: String
    /// Whether the configuration file exists.
    let isThere: Bool
    /// Sentences about mistakes that do no harm.
    private(set) var warnings: [String] = []
    /// The reasons why some settings can't be read, where the others are used all the same.
    private(set) var failures: [CommandError] = []
    private let home: String

    /// The path of the configuration file: `$XDG_CONFIG_HOME/utter/config.json`.
    static func path(_ environment: [String: String]) -> String {
        BaseFolder.configuration.utter(environment) + "/config.json"
    }

    /// Reads the settings.
    ///
    /// - Throws: `CommandError` when the file exists and can't be read or is not a JSON object, or when it or a variable has an invalid
    ///   value.
    static func load(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(CommandError)
        -> Settings
    {
        let path = path(environment)
        return try Settings(path: path, file: try content(of: path), environment)
    }

    /// Reads the settings that can be read; `failures` says why the others can't.
    static func readable(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Settings {
        let path = path(environment)
        do throws(CommandError) {
            return Settings(readableOf: try content(of: path), path, environment)
        } catch {
            var settings = Settings(readableOf: nil, path, environment)
            settings.failures.insert(error, at: 0)
            return settings
        }
    }

    /// Reads a configuration file; nil when it does not exist.
    static func content(of path: String) throws(CommandError) -> Data? {
        try UserFile.read(path, "the configuration", .configuration)
    }

    init(path: String, file: Data?, _ environment: [String: String]) throws(CommandError) {
        self.init(readableOf: file, path, environment)
        if let failure = failures.first { throw failure }
    }

    private init(readableOf file: Data?, _ path: String, _ environment: [String: String]) {
        self.path = path
        isThere = file != nil
        home = BaseFolder.home(environment)
        if let file {
            do throws(CommandError) { read(try Self.object(in: file, path)) } catch { failures.append(error) }
        }
        for setting in Setting.all {
            guard let variable = setting.variable, let value = environment[variable], !value.isEmpty else { continue }
            if let complaint = setting.kind.complaint(about: value) {
                failures.append(
                    CommandError("the environment variable \(variable) \(complaint)", .configuration))
                continue
            }
            set(setting, [value], .variable(variable))
        }
    }

    static func object(in file: Data, _ path: String) throws(CommandError) -> JSONObject {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        // Some editors begin a file with a byte order mark.
        let bytes = file.starts(with: mark) ? Array(file.dropFirst(mark.count)) : Array(file)
        let complaint = "the configuration \(path) is not a JSON object, such as {\"device\": \"hw:1\"}"
        do throws(JSONParser.Failure) {
            if let object = try JSONParser.parse(bytes).object { return object }
        } catch {
            throw CommandError("\(complaint): \(error.description(in: bytes))", .configuration)
        }
        throw CommandError(complaint, .configuration)
    }

    private mutating func read(_ object: JSONObject) {
        for member in object.members.sorted(by: { $0.key < $1.key }) {
            do throws(CommandError) { try read(member) } catch { failures.append(error) }
        }
        for setting in Setting.all {
            guard let other = setting.excludes, values[setting.key] != nil, values.removeValue(forKey: other) != nil
            else { continue }
            warnings.append(
                "the configuration \(path) sets \(setting.key) and \(other), of which one is enough; \(setting.key) holds"
            )
        }
    }

    private mutating func read(_ member: JSONObject.Member) throws(CommandError) {
        let key = member.key
        if let pass = ChosenModels.pass(ofKey: key) {
            guard let chosen = ChosenModels.read(member.value, pass) else {
                throw CommandError("the configuration \(path): \(key) \(ChosenModels.complaint)", .configuration)
            }
            chosenModels += chosen
            return
        }
        guard let setting = Setting.named(key) else {
            let near =
                Suggestion.nearest(to: key, among: Setting.all.map(\.key)).map { "; did you mean \($0)?" } ?? ""
            warnings.append("the configuration \(path) sets \(key), which is not known here\(near)")
            return
        }
        guard let texts = setting.texts(of: member.value) else {
            let list = setting.isList ? ", nor a list of such" : ""
            throw CommandError(
                "the configuration \(path): \(key) is neither text nor a number\(list)", .configuration)
        }
        for text in texts {
            if let complaint = setting.complaint(aboutWritten: text) {
                throw CommandError("the configuration \(path): \(key) \(complaint)", .configuration)
            }
        }
        set(setting, texts, .file)
    }

    private mutating func set(_ setting: Setting, _ texts: [String], _ source: Source) {
        // Expand the tilde, for only a shell does it elsewhere.
        let isPath = setting.kind.isPath
        values[setting.key] = Value(
            texts: texts.map { isPath && $0.hasPrefix("~/") ? home + $0.dropFirst() : $0 }, source: source)
        if let other = setting.excludes, case .variable = source { values[other] = nil }
    }

    /// A command line whose missing options are filled in from the settings.
    func completing(_ arguments: ParsedArguments) -> ParsedArguments {
        var completed = arguments
        for setting in Setting.all {
            guard let option = setting.option(of: arguments.specification), !arguments.has(option),
                !setting.yields(to: arguments), let value = values[setting.key]
            else { continue }
            let other = setting.excludes.flatMap { completed.specification.option(long: $0) }
            if let other, completed.has(other) { continue }
            if option.value == nil {
                if value.text == "true" { completed.append("", to: option) }
            } else {
                for text in value.texts { completed.append(text, to: option) }
            }
        }
        return completed
    }
}

extension Setting {
    /// The texts of a value in the configuration file; nil when it is not text, a number, a flag's `true` or `false`, or, for a list
    /// setting, a list of them.
    func texts(of value: JSONValue) -> [String]? {
        func text(_ value: JSONValue) -> String? {
            switch value {
            case .string(let text): text
            case .number(let digits): Self.plain(digits)
            case .bool(let value) where kind == .flag: value ? "true" : "false"
            default: nil
            }
        }
        if isList, case .array(let values) = value {
            let texts = values.compactMap(text)
            return texts.count == values.count && !texts.isEmpty ? texts : nil
        }
        return text(value).map { [$0] }
    }

    /// The complaint about a value in the file; nil when it is valid. A path must begin with `/` or `~/`, since commands run in any
    /// folder.
    func complaint(aboutWritten text: String) -> String? {
        if let complaint = kind.complaint(about: text) { return complaint }
        if kind.isPath(text), !text.hasPrefix("/"), !text.hasPrefix("~/") {
            return "can't be '\(text)': give a path that begins with / or ~/"
        }
        return nil
    }

    /// The digits of a number; those of a whole number without a fraction or an exponent, however it was written.
    private static func plain(_ digits: String) -> String {
        if Int(digits) != nil { return digits }
        guard let number = Double(digits), number == number.rounded(), abs(number) < 1e15 else { return digits }
        return String(Int(number))
    }
}
