import Foundation
import Models
import Outbox
import Speech

/// The settings as they take effect, with the defaults of those that are not set, and with the paths of models and notes.
final class EffectiveSettings {
    private let settings: Settings
    private let environment = ProcessInfo.processInfo.environment
    /// The key of the one setting that is shown; nil for all.
    private let key: String?

    init(_ settings: Settings, key: String? = nil) { (self.settings, self.key) = (settings, key) }

    private struct Row {
        var key: String
        var value: String?
        /// The value as the table shows it, which may add a path or an error.
        var words: String
        var origin: String
    }

    private var rows: [Row] {
        let rows = Setting.all.filter { key == nil || $0.key == key }.map { setting in
            let set = settings.values[setting.key]
            let (value, words) = effect(of: setting, set?.text)
            return Row(key: setting.key, value: value, words: words, origin: origin(set?.source))
        }
        if key != nil { return rows }
        return rows
            + ChosenModels.keys.flatMap { key, pass in
                settings.chosenModels.filter { $0.pass == pass }.map { choice in
                    Row(key: "\(key).\(choice.language)", value: choice.name, words: choice.name, origin: "file")
                }
            }
    }

    private func effect(of setting: Setting, _ set: String?) -> (value: String?, words: String) {
        switch setting.key {
        case "model":
            do throws(SpeechError) {
                let choice = try firstPass()
                let isUnused = wholePlan.map { $0.speech == nil } ?? false
                return (
                    choice.installed.name,
                    named(set, choice.installed.name, choice.installed.path) + (isUnused ? ", not used" : "")
                )
            } catch {
                return (set, "\(set ?? "none"): \(error)")
            }
        case "second-pass":
            do {
                guard let model = try plan().deciding else { return (nil, "none") }
                return (model.name, named(set, model.name, model.path))
            } catch {
                return (set, "\(set ?? "none"): \(CommandError(error).message)")
            }
        case "notes":
            let path =
                set.map { MarkdownVault.Location.named($0).absolutePath }
                ?? MarkdownVault.Location.usual(environment).path
            return (path, path)
        case "replacements" where set == nil:
            let path = Writing.replacementsPath(environment)
            let isThere = FileManager.default.fileExists(atPath: path)
            return isThere ? (path, path) : (nil, "none; words of your own may stand in \(path)")
        case "line":
            let line = set ?? setting.standard
            return (line, line)
        case "heading":
            let heading = set.flatMap { MarkdownVault.headingLine($0) }
            return (heading, heading ?? setting.standard)
        default: return (set, set ?? setting.standard)
        }
    }

    /// A model as the table shows it, with the user's reference before it if that differs: `en-us: vosk-model-small-en-us-0.15, /home/…`
    private func named(_ reference: String?, _ name: String, _ path: String) -> String {
        let isSame = reference == nil || reference == name || reference == path
        return (isSame ? "" : "\(reference ?? ""): ") + "\(name), \(path)"
    }

    private var options: RecognitionOptions { RecognitionOptions(settings) }

    /// The plan with these settings, whatever guesses.
    private func plan() throws(SpeechError) -> RecognitionPlan {
        var options = options
        options.guess = nil
        return try RecognitionPlan(options, in: .ofUser(environment), environment)
    }

    /// The plan with these settings; nil when a model of theirs is missing.
    private lazy var wholePlan = try? RecognitionPlan(options, in: .ofUser(environment), environment)

    private func firstPass() throws(SpeechError) -> ModelChoice {
        try ModelChoice(model: options.model, locale: options.locale, in: .ofUser(environment), environment)
    }

    /// A sentence that says why the value of a setting can't be used, or not yet; nil when it can, or when nothing is set.
    func problem(_ setting: Setting) -> String? {
        guard let value = settings.values[setting.key] else { return nil }
        switch setting.kind {
        case .model(.first):
            return complaint { () throws(SpeechError) in try firstPass().installed.checkFiles() }
        case .locale:
            return complaint { () throws(SpeechError) in try plan().speech?.checkFiles() }
        case .model:
            if value.text == SecondPassChoice.none { return nil }
            return complaint { () throws(SpeechError) in _ = try SecondPassFiles.ofUser().model(value.text) }
        case .file, .fileOrNone, .folder:
            let isUsable = !setting.kind.isPath(value.text) || FileManager.default.fileExists(atPath: value.text)
            return isUsable ? nil : "\(value.text) is not there yet"
        case .destination:
            guard let known = try? Destinations.load(notes: .usual(environment), environment) else { return nil }
            return value.texts.first { known.handlers[$0] == nil }.map { known.unknown($0).message }
        default: return nil
        }
    }

    /// The sentence of the error that a check throws; nil when it throws none.
    private func complaint(_ check: () throws(SpeechError) -> Void) -> String? {
        do throws(SpeechError) {
            try check()
            return nil
        } catch {
            return error.description
        }
    }

    var table: String {
        let rows = rows
        let width = rows.map(\.key.count).max() ?? 0
        let lines = rows.map { row in
            "\(padded(row.key, to: width))  \(TerminalText.visible(row.words))  [\(row.origin)]\n"
        }
        if key != nil { return lines.joined() }
        // Who cuts, who guesses and who decides with these settings.
        let plan = wholePlan.map { "\n\(TerminalText.visible($0.sentence()))\n" } ?? ""
        return lines.joined() + plan
            + "\n\(TerminalText.visible(settings.path))\(settings.isThere ? "" : " (not there)")\n"
    }

    var json: String {
        let members = rows.map { row in
            let object = JSONValue.object([
                "value": row.value?.jsonValue ?? JSONValue.null, "source": row.origin,
            ])
            return "\(row.key.jsonValue.json):\(object.json)"
        }
        return "{" + members.joined(separator: ",\n ") + "}\n"
    }

    private func origin(_ source: Settings.Source?) -> String {
        switch source {
        case .variable(let name): name
        case .file: "file"
        case nil: "default"
        }
    }
}
