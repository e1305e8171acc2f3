extension CommandSpecification {
    static let config = CommandSpecification(
        name: "config",
        abstract: "show what is set and where, and set it",
        discussion: [
            "Shows every setting with the value that holds and where that comes from: the environment, the configuration file or the "
                + "default. An option of the same name beats both.",
            "The file is utter/config.json in the XDG configuration folder: a JSON object such as {\"device\": \"hw:1\"}. A path in it begins "
                + "with / or ~/.",
        ]
            + Setting.all.map { setting in
                let variable = setting.variable.map { " (\($0))" } ?? ""
                return "\(setting.key)\(variable): \(setting.help) Unless set: \(setting.standard)."
            },
        subcommands: [.configShow, .configSet, .configUnset, .configEdit], firstIsDefault: true,
        examples: [
            Example("utter config", "Show everything."),
            Example("utter config set notes ~/vault/daily", "Keep memos in this folder from now on."),
            Example("utter config unset notes", "Keep them in the usual one again."),
        ])

    static let configShow = CommandSpecification(
        name: "config show", runs: ConfigShow.self,
        abstract: "show what is set, and where; the same as utter config alone",
        operands: [
            OperandSpecification(
                placeholder: "KEY", kind: .setting, help: "The one setting to show; without it all.", isRequired: false)
        ],
        options: [Flag.json],
        exitStatuses: [ExitStatus(.configuration, "The configuration file or a variable is wrong.")])

    static let configSet = CommandSpecification(
        name: "config set", runs: ConfigChange.self, abstract: "set something in the configuration file",
        discussion: [
            "The rest of the file stays as it is. A path may be relative to the current folder here; it is written in full."
        ],
        operands: [
            key,
            OperandSpecification(
                placeholder: "VALUE", kind: .text, help: "The value; several for what is a list.", isRepeatable: true),
        ],
        options: [quiet],
        examples: [
            Example("utter config set transcribe-format srt", "Write subtitles where no --format says otherwise.")
        ],
        exitStatuses: changing)

    static let configUnset = CommandSpecification(
        name: "config unset", runs: ConfigChange.self, abstract: "take something out of the configuration file",
        operands: [key],
        options: [quiet],
        exitStatuses: changing)

    static let configEdit = CommandSpecification(
        name: "config edit", runs: ConfigEdit.self,
        abstract: "open the configuration file in your editor, and check it afterwards",
        discussion: ["The editor is that of VISUAL, or else EDITOR, or else sensible-editor, nano or vi."],
        exitStatuses: [
            ExitStatus(.unavailable, "There is no editor, or it failed."),
            ExitStatus(.configuration, "What the file holds now can't be understood; the answer says why."),
        ])

    private static let key = OperandSpecification(
        placeholder: "KEY", kind: .setting, help: "The setting's key; utter config shows all keys.")
    private static let quiet = Flag.quiet.with(help: "No remarks; errors are still told.")
    private static let changing = [
        ExitStatus(.configuration, "The configuration file can't be understood; it stays as it is."),
        ExitStatus(.cannotCreate, "It can't be written."),
        ExitStatus(.noPermission, "Writing it is not allowed."),
    ]
}
