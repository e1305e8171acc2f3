import Audio
import Foundation
import Glibc
import Outbox

/// What is set for all commands: the environment over the configuration file.
struct Settings: Equatable, Sendable {
    /// Where a value comes from.
    enum Source: Equatable, Sendable {
        case variable(String)
        case file
    }

    /// By key; what nobody sets is not there.
    private(set) var values: [String: (value: String, source: Source)] = [:]
    /// The configuration file, there or not.
    let path: String
    /// Whether it is there.
    let isThere: Bool
    /// What is wrong and does no harm: sentences.
    private(set) var warnings: [String] = []

    static func == (left: Settings, right: Settings) -> Bool {
        left.path == right.path && left.warnings == right.warnings
            && left.values.mapValues(\.value) == right.values.mapValues(\.value)
    }

    /// `$XDG_CONFIG_HOME/utter/config.json`
    static func path(_ environment: [String: String]) -> String {
        BaseFolder.configuration.utter(environment) + "/config.json"
    }

    /// Reads what is set.
    ///
    /// - Throws: `CommandError` when the file is there and can't be read, is no JSON object, or sets something to what it can't be.
    static func load(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(CommandError) -> Settings {
        let path = path(environment)
        switch SmallFile.read(path) {
        case .content(let data): return try Settings(path: path, file: data, environment)
        case .missing: return try Settings(path: path, file: nil, environment)
        case .notAFile: throw CommandError("can't read the configuration \(path): it is not a file", .configuration)
        case .unreadable(let code):
            throw CommandError(
                "can't read the configuration \(path): \(code.systemErrorText)", code.isShortage ? .osError : .configuration)
        }
    }

    init(path: String, file: Data?, _ environment: [String: String]) throws(CommandError) {
        self.path = path
        isThere = file != nil
        if let file { try read(file) }
        for setting in Setting.all {
            guard let variable = setting.variable, let value = environment[variable], !value.isEmpty else { continue }
            if let complaint = setting.kind.complaint(about: value) {
                throw CommandError("the environment variable \(variable) \(complaint)", .configuration)
            }
            set(setting, value, .variable(variable))
        }
    }

    private mutating func read(_ file: Data) throws(CommandError) {
        guard let object = try? JSONSerialization.jsonObject(with: file) as? [String: Any] else {
            throw CommandError(
                "the configuration \(path) is not a JSON object, such as {\"device\": \"hw:1\"}", .configuration)
        }
        for (key, any) in object.sorted(by: { $0.key < $1.key }) {
            guard let setting = Setting.all.first(where: { $0.key == key }) else {
                let near = Suggestion.nearest(to: key, among: Setting.all.map(\.key)).map { "; did you mean \($0)?" } ?? ""
                warnings.append("the configuration \(path) sets \(key), which is not known here\(near)")
                continue
            }
            let value: String
            switch any {
            case let text as String: value = text
            case let number as NSNumber where CFBoolean.isNumber(number): value = number.stringValue
            default: throw CommandError("the configuration \(path): \(key) is neither text nor a number", .configuration)
            }
            if let complaint = setting.kind.complaint(about: value) {
                throw CommandError("the configuration \(path): \(key) \(complaint)", .configuration)
            }
            set(setting, value, .file)
        }
        for setting in Setting.all {
            guard let other = setting.excludes, values[setting.key] != nil, values.removeValue(forKey: other) != nil else { continue }
            warnings.append("the configuration \(path) sets \(setting.key) and \(other), of which one is enough; \(setting.key) holds")
        }
    }

    private mutating func set(_ setting: Setting, _ value: String, _ source: Source) {
        values[setting.key] = (value, source)
        if let other = setting.excludes, case .variable = source { values[other] = nil }
    }

    /// A command line with what is set in place of the options that were not given.
    func completing(_ arguments: ParsedArguments) -> ParsedArguments {
        var completed = arguments
        for setting in Setting.all {
            guard let option = arguments.specification.option(long: setting.key), !arguments.has(setting.key),
                let value = values[setting.key]?.value
            else { continue }
            if let other = setting.excludes, completed.specification.option(long: other) != nil, completed.has(other) { continue }
            completed.append(value, to: option)
        }
        return completed
    }
}

private enum CFBoolean {
    /// JSON's true and false are numbers for Foundation too.
    static func isNumber(_ number: NSNumber) -> Bool { String(cString: number.objCType) != "c" }
}
