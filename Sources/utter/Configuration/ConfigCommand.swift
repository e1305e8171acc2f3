import Foundation

extension CommandSpecification {
    static let config = CommandSpecification(
        name: "config",
        abstract: "show what is set, and where",
        discussion: [
            "Shows every setting with its value and where that comes from: the environment, the configuration file or nobody. An "
                + "option of the same name beats both.",
            "The file is utter/config.json in the XDG configuration folder: a JSON object such as {\"device\": \"hw:1\"}.",
        ]
            + Setting.all.map { setting in
                let variable = setting.variable.map { " (\($0))" } ?? ""
                return "\(setting.key)\(variable): \(setting.help) Unless set: \(setting.standard)."
            },
        options: [.flag("json", help: "Write JSON.")],
        examples: [Example(command: "utter config", meaning: "Show everything.")],
        exitStatuses: [ExitStatus(code: .configuration, meaning: "The configuration file or a variable is wrong.")])
}

/// Carries out `utter config`.
func runConfig(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting {
        let settings = try Settings.load()
        try Output.write(arguments.has("json") ? settings.json : settings.table)
        return .ok
    }
}

extension Settings {
    fileprivate var table: String {
        let width = Setting.all.map(\.key.count).max() ?? 0
        let rows = Setting.all.map { setting in
            let value = values[setting.key]
            let shown = value.map { TerminalText.visible($0.value) } ?? setting.standard
            return "\(setting.key)\(String(repeating: " ", count: width - setting.key.count))  \(shown)  [\(origin(value?.source))]\n"
        }
        return rows.joined() + "\n\(TerminalText.visible(path))\(isThere ? "" : " (not there)")\n"
    }

    fileprivate var json: String {
        let members = Setting.all.map { setting in
            let value = values[setting.key]
            let object = JSONWriter.object([
                "value": value.map { JSONWriter.string($0.value) } ?? "null", "source": JSONWriter.string(origin(value?.source)),
            ])
            return "\(JSONWriter.string(setting.key)):\(object)"
        }
        return "{" + members.joined(separator: ",\n ") + "}\n"
    }

    private func origin(_ source: Source?) -> String {
        switch source {
        case .variable(let name): name
        case .file: "file"
        case nil: "default"
        }
    }
}
