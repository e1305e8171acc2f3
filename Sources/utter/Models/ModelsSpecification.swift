import Models
import Speech

extension CommandSpecification {
    static let models = CommandSpecification(
        name: "models",
        abstract: "find, install and remove models",
        discussion: [
            "Two kinds of models turn speech into text. A stronger model (pass second: a GGUF file, for libtranscribe) decides on the text, with "
                + "capitals and punctuation, and guesses while you speak. A model of libvosk (pass first: a folder) guesses as well, and "
                + "decides only where no stronger model for the language is there. utter doctor says which model does what. Installed ones lie in "
                + "$XDG_DATA_HOME/utter/models (~/.local/share/utter/models), where every program finds them. Models of "
                + "other programs are found and used, and never touched: ~/.cache/vosk, ~/.config/nerd-dictation/model, "
                + "/usr/share/vosk and VOSK_MODEL_PATH.",
            "The language is that of --locale or a named model; else of a model of libvosk that utter models use has chosen; else of your locale "
                + "(LC_ALL, LC_MESSAGES, LANG), if a model knows it; else of the model that libvosk would use. Of several models for the "
                + "language the one that utter models use has chosen is used, or else the one with the lowest error rate in the list. Where no "
                + "model of libvosk is for your locale, the one chosen last is used; else the only one that is installed, if your locale names no "
                + "language; else one for English, and if there is none the built-in one, which knows 133 English words. A model is never used "
                + "for a locale of another language without a warning.",
            "MODEL is the same everywhere, also in options, variables and the configuration: a folder with a slash in its name; a name, such as "
                + "vosk-model-small-en-us-0.15, with or without what comes before small; a locale (en-us) or a language (english), which "
                + "stands for the installed model that is used for it, and for install for its small one; or an end or a part of a name that "
                + "only one has. Only install and update use the network.",
            "A stronger model that decodes speech less than twice as fast as it is spoken comes after the faster ones.",
        ],
        subcommands: [
            .modelsList, .modelsInfo, .modelsUse, .modelsInstall, .modelsRemove, .modelsPath, .modelsVerify,
            .modelsUpdate,
        ],
        examples: [
            Example("utter models list en", "List the models for English."),
            Example(
                "utter models install en-us", "Install a model for US English; at a terminal, utter asks which kind."),
            Example("utter models use en-us-0.22", "Use this one of those that are installed for English."),
            Example("utter models install --pass both en-us", "Install a model of each kind for US English."),
        ])

    static let modelsList = CommandSpecification(
        name: "models list", runs: ModelsList.self,
        abstract: "show the models that are installed and those that can be",
        discussion: [
            "With LANGUAGE, the models to take on this machine come first, with the memory and the speed to expect. To estimate the speed, an "
                + "installed model decodes eight seconds of speech, which takes a moment. Then come the installed models, each with its place where "
                + "that is not utter's own folder, and whether it is in use; then what else there is, with licence. Each has its size, and its "
                + "error rate where the list has one (each for its own recordings, which are named); libvosk's models come before the stronger "
                + "ones. Models that a newer one has replaced are left out unless --all is given. On a terminal, the list for a LANGUAGE is cut to "
                + "one screen unless --all is given."
        ],
        operands: [
            OperandSpecification(
                placeholder: "LANGUAGE", kind: .locale, help: "Only models for this language: de, pt-BR or German.",
                isRequired: false)
        ],
        options: [ModelsList.onlyInstalled, ModelsList.pass, ModelsList.showsAll, Flag.json],
        examples: [
            Example("utter models list --installed --json", "List the installed models for a script.")
        ],
        exitStatuses: [ExitStatus(.unavailable, "There is no model for the language.")])

    static let modelsInfo = CommandSpecification(
        name: "models info", runs: ModelsInfo.self,
        abstract: "show everything there is to know about a model",
        operands: [OperandSpecification(placeholder: "MODEL", kind: .anyModel, help: "The model, installed or not.")],
        options: [Flag.json],
        exitStatuses: unknownModel)

    static let modelsInstall = CommandSpecification(
        name: "models install", runs: ModelsInstall.self,
        abstract: "download a model and install it",
        discussion: [
            "The archive, or the one file of a stronger model, is downloaded by curl, with the proxies of the environment "
                + "(https_proxy, no_proxy). A download that was cut goes on where it stopped. Its checksum is verified before it is opened, "
                + "and a model is there whole or not at all.",
            "For a locale there may be a model of each kind: those that utter models list LANGUAGE begins with. Of the stronger ones that know "
                + "the language it is the one that was made for the fewest languages, and of several such the first of the list, as far as this "
                + "machine can bear it: it decodes at least three times as fast as one speaks, in half of the memory. At a terminal install "
                + "shows both with their sizes and asks; elsewhere, and with --quiet, it installs libvosk's, or the stronger one if there is no "
                + "other. --pass answers beforehand.",
        ],
        operands: [
            OperandSpecification(
                placeholder: "MODEL", kind: .anyModel, help: "The model; not needed with --from.", isRequired: false)
        ],
        options: [ModelsInstall.origin, ModelsInstall.wish, ModelsInstall.checksum, quiet],
        examples: [
            Example("utter models install de", "Install a model for German; at a terminal, utter asks which kind."),
            Example("utter models install parakeet-tdt_ctc-110m", "Install this stronger model."),
            Example(
                "utter models install --from ~/Downloads/vosk-model-en-us-0.22.zip",
                "Install an archive that is here already."),
        ],
        exitStatuses: unknownModel + [
            ExitStatus(.dataError, "The file is damaged, is not a model, or is not safe to open."),
            ExitStatus(.noInput, "The archive is missing or can't be read."),
            ExitStatus(.cannotCreate, "The disk has not enough room."),
            ExitStatus(.ioError, "Reading or writing failed."),
            ExitStatus(.tempFail, "The network is away or broke off; try again later."),
            ExitStatus(.noPermission, "Writing there is not allowed."),
            ExitStatus(.interrupted, "Interrupted; the same command goes on where it stopped."),
            ExitStatus(.terminated, "Ended by SIGTERM; the same command goes on where it stopped."),
        ])

    static let modelsUse = CommandSpecification(
        name: "models use", runs: ModelsUse.self,
        abstract: "keep a choice among the installed models",
        discussion: [
            "From then on the model is used for its language, instead of the one with the lowest error rate; see utter models. The choice is "
                + "kept in the configuration, for each language and kind one. utter config unset models forgets all of them."
        ],
        operands: [model("The model, of either kind.")],
        options: [ModelsUse.locale, quiet],
        examples: [Example("utter models use en-us-0.22", "Use this one for English.")],
        exitStatuses: [
            ExitStatus(.unavailable, "It is not installed, or not whole."),
            ExitStatus(.configuration, "The configuration can't be understood; it stays as it is."),
            ExitStatus(.cannotCreate, "The configuration can't be written."),
            ExitStatus(.noPermission, "Writing the configuration is not allowed."),
        ])

    static let modelsRemove = CommandSpecification(
        name: "models remove", runs: ModelsRemove.self,
        abstract: "remove installed models",
        discussion: ["Only from utter's own folder. What is left of an unfinished download goes too."],
        operands: [model("The model; for a language only where one is installed.", isRepeatable: true)],
        options: [quiet],
        exitStatuses: unknownModel + [
            ExitStatus(.noPermission, "The model is not utter's own, or belongs to another user.")
        ])

    static let modelsPath = CommandSpecification(
        name: "models path", runs: ModelsPath.self,
        abstract: "print the folder of an installed model of either kind",
        operands: [model("The model.")],
        exitStatuses: [ExitStatus(.unavailable, "It is not installed.")])

    static let modelsVerify = CommandSpecification(
        name: "models verify", runs: ModelsVerify.self,
        abstract: "check an installed model's files, load it, and have it hear a sentence",
        discussion: [
            "The files are compared with what was installed; for a model that utter did not install, only that none is "
                + "missing. Then the model is loaded, by libvosk or libtranscribe, which takes as much memory as using it, and hears a "
                + "spoken sentence that comes along. One that hears no word, or nonsense, is damaged, although it loads. That is done in a "
                + "process of its own: a damaged model may crash it, take all memory, or never return; it has at most "
                + "five minutes."
        ],
        operands: [
            model(
                "The model, or a folder with a slash in its name; without one, all that utter installed.",
                isRequired: false,
                isRepeatable: true)
        ],
        options: [quiet],
        exitStatuses: [
            ExitStatus(.unavailable, "A model is not installed, or is broken.")
        ])

    static let modelsUpdate = CommandSpecification(
        name: "models update", runs: ModelsUpdate.self,
        abstract: "fetch the newest list of models",
        discussion: [
            "From alphacephei.com, or from the address in UTTER_MODEL_LIST. It has libvosk's models; the list of the stronger ones "
                + "comes with utter. What is installed stays as it is."
        ],
        options: [quiet],
        exitStatuses: [
            ExitStatus(.unavailable, "curl is not installed, or the server has no list."),
            ExitStatus(.dataError, "The server sent something other than a list of models."),
            ExitStatus(.tempFail, "The network is away or broke off; try again later."),
        ])

    private static func model(
        _ help: String, isRequired: Bool = true, isRepeatable: Bool = false
    ) -> OperandSpecification {
        OperandSpecification(
            placeholder: "MODEL", kind: .model(nil), help: help, isRequired: isRequired, isRepeatable: isRepeatable)
    }

    private static let quiet = Flag.quiet.with(help: "No progress and no remarks; errors are still reported.")
    private static let unknownModel = [
        ExitStatus(.unavailable, "There is no such model, or a program that is needed is missing.")
    ]
}

extension ModelsList {
    static let onlyInstalled = Flag("installed", short: "i", help: "Only what is installed.")
    static let pass = Option<RecognitionPass>(
        "pass", "PASS", help: "Only models of this pass: first (libvosk's) or second (the stronger ones).")
    static let showsAll = Flag(
        "all", short: "a", help: "Also models that were replaced, and those utter has no use for.")
}

extension ModelsInstall {
    static let origin = Option<String>(
        "from", "FILE-or-URL", .file,
        help:
            "Install this zip archive of a model of libvosk, or this file of a stronger one, whose name ends in .gguf. "
            + "MODEL, where it is given, is the name it gets.")
    static let wish = Option<ModelsOffer.Wish>(
        "pass", "PASS",
        help: "Which models of a locale to install: first (libvosk's), second (the stronger one) or both.")
    static let checksum = Option<String>(
        "sha256", "HEX", .text, help: "The SHA-256 that the archive or the file must have.")
}

extension ModelsUse {
    static let locale = Option<String>(
        "locale", short: "l", "LOCALE", .locale,
        help: "The language to use it for, where it knows several or its name says none.")
}
