import Audio

extension CommandSpecification {
    static let transcribe = CommandSpecification(
        name: "transcribe", runs: TranscribeCommand.self,
        abstract: "turn recorded speech into text",
        discussion: [
            "Transcribes each FILE, in order, on this machine. WAV of any rate and number of channels in PCM, floating point or G.711 is "
                + "read as it is; anything else is converted by ffmpeg when that is installed. It opens the FILE alone: what only lists "
                + "other files is refused. From a pipe it can't read every MP4 file.",
            "Text goes to standard output; progress, warnings and errors go to standard error. When one of several "
                + "files fails, the others are still done and the exit status is that of the first that failed.",
            "In a folder, recordings are known by their names, such as talk.wav or talk.mp3. Other files and links to folders are left, "
                + "and a remark says so. "
                + "Names that begin with a dot are left without a remark.",
            "A line, a subtitle or a segment is a sentence, or ends at a long pause. Several stretches of a FILE are decoded side by side. If "
                + "a stretch can't be decoded, that is a failure, and everything else is written.",
            "An output file has its name only when it is whole, and never takes the place of what is read. After a failure in the "
                + "midst of a FILE, an interruption, or a FILE of which something is missing, what was heard is beside it, with .part after "
                + "the name; the next whole one takes the part away. A recording that says from its start that its length is unknown, as in a "
                + "pipe, is whole when it ends. A symbolic link is followed for -o where nobody else may write to its folder.",
        ],
        operands: [
            OperandSpecification(
                placeholder: "FILE", kind: .file,
                help: "The recording; - is standard input. Of a folder, all recordings in it and in its folders.",
                isRequired: false,
                isRepeatable: true)
        ],
        options: TranscribeOptions.output + DeliveryOptions.all(of: "the text of each FILE") + TranscribeOptions.input
            + RecognitionOptions.all + WritingOptions.all(standard: TranscribeOptions.standardRules)
            + TranscribeOptions.talk,
        examples: [
            Example("utter transcribe talk.wav", "Print what is said, a sentence a line."),
            Example(
                "utter transcribe --second-pass none talk.wav",
                "Use libvosk alone: quicker, without the capitals and the punctuation of a model."),
            Example("utter transcribe -o talk.vtt talk.mp4", "Write subtitles for a video."),
            Example(
                "utter transcribe --split-channels --names me,them -o meeting.md meeting.wav",
                "Write down a meeting of two channels, with who says what and when."),
            Example(
                "utter transcribe -f json --output-dir texts -j 2 *.wav",
                "Write texts/NAME.json for every recording, on two cores."),
            Example(
                "utter transcribe --resume -f text,json --output-dir texts recordings/",
                "Transcribe all recordings in a folder, each in two formats, and go on where it was cut off."),
            Example(
                "parallel -m utter transcribe --resume --output-dir texts ::: *.wav",
                "Transcribe an archive on all cores, and go on where it was cut off."),
            Example(
                "arecord -t raw -f S16_LE -r 16000 | utter transcribe --raw --rate 16000 -",
                "Transcribe sound that has no header, from a pipe."),
        ],
        exitStatuses: [
            ExitStatus(
                .dataError,
                "A file is not a recording, is damaged, ends before its header says, or was written while it was read; or a file of words "
                    + "can't be understood. What was heard is written, to a file as FILE.part."),
            ExitStatus(.noInput, "A file is missing or can't be read."),
            ExitStatus(.unavailable, "A model, or ffmpeg for a file that needs it, is not installed."),
            ExitStatus(.software, "Some speech could not be decoded; all else is written, to a file as FILE.part."),
            ExitStatus(.osError, "The system is out of memory or open files."),
            ExitStatus(.cannotCreate, "An output can't be created."),
            ExitStatus(.ioError, "Reading or writing failed, or ffmpeg was killed."),
            ExitStatus(.noPermission, "Writing there is not allowed."),
            ExitStatus(.configuration, "There is no such destination, or the model can't listen for the given words."),
            ExitStatus(.hungUp, "The terminal is gone; what was heard until then is written, to a file as FILE.part."),
            ExitStatus(.interrupted, "Interrupted; what was heard until then is written, to a file as FILE.part."),
            ExitStatus(.unread, "The reader of the output left before all was written."),
            ExitStatus(.terminated, "Ended by SIGTERM; what was heard until then is written, to a file as FILE.part."),
        ])
}

extension TranscribeOptions {
    fileprivate static let output: [any OptionKey] = [format, outputFile, outputFolder, resumes]
    fileprivate static let input: [any OptionKey] = [
        inputList, isRaw, rawRate, rawChannelCount, channels, splitsChannels, channelNames,
    ]
    fileprivate static let talk: [any OptionKey] = [alternativeCount, jobCount, Flag.quiet, isVerbose]

    static let format = Option<[OutputFormat]>(
        "format", short: "f", "FORMAT",
        help:
            "What to write: text (a sentence a line), json (an object for each file), jsonl (an event a line), srt or vtt "
            + "(subtitles), tsv (a table), or md (Markdown, a paragraph for each turn); with --output-dir also several, with commas between them. Without it the suffix of "
            + "--output decides, and without that it is text. Where several files go to one output, text, tsv and md say which is which."
    )
    static let outputFile = Option<String>(
        "output", short: "o", "FILE", .file,
        help: "Write to FILE, which appears or is replaced when all is done; - is standard output.")
    static let outputFolder = Option<String>(
        "output-dir", "DIR", .folder,
        help:
            "Write a file for each input and format into DIR, named after the input: talk.wav becomes talk.srt. Where two would have one "
            + "name, as a/talk.wav and b/talk.mp3, both have a longer one: talk.wav.srt. DIR and the folders above it are made where "
            + "they are missing. A file that has such a name is replaced, unless --resume is given.")
    static let resumes = Flag(
        "resume",
        help:
            "With --output-dir: leave out each input whose file is there. None has its name before it is whole, so a run that was cut off, or a "
            + "part of many, can be repeated. A file that is the text of another recording of the same name is an error."
    )
    static let inputList = Option<String>(
        "files-from", "FILE", .file,
        help:
            "More inputs: their paths, one a line, or each with a zero byte after it, as find -print0 writes them; - is standard input."
    )
    static let isRaw = Flag("raw", help: "The input has no header: signed 16-bit little-endian samples. Needs --rate.")
    static let rawRate = Option<Int>(
        "rate", "HZ", 1000...768_000, help: "Sample rate of --raw input, from 1000 to 768000.")
    static let rawChannelCount = Option<Int>(
        "channels", "N", 1...64, help: "Channels of --raw input, from 1 to 64; 1 unless given.")
    static let channels = Option<ChannelSelection>(
        "channel", "N", help: "Transcribe only channel N, counted from 1, or the mix of all, which is the default.")
    static let splitsChannels = Flag(
        "split-channels",
        help:
            "Transcribe each channel on its own and label the text with its name, if the file has names, or else its number. What begins while "
            + "another channel still speaks is marked as overlapping.")
    static let channelNames = Option<String>(
        "names", "LIST", .text,
        help:
            "With --split-channels: the names of the channels, in their order, with commas between them, as me,them. Without it they are those "
            + "that the file has in an iXML chunk.")
    static let alternativeCount = Option<Int>(
        "alternatives", "N", 1...10,
        help:
            "Add the N best readings of each utterance, from 1 to 10, to json and jsonl. libvosk decides then.")
    static let jobCount = Option<Int>(
        "jobs", short: "j", "N", 1...64,
        help:
            "Transcribe N files, or N stretches of one, at a time, from 1 to 64; one for each core unless given. The text and the order "
            + "of the output stay the same. The deciding model has at most N processes, and no more than fit into half of the free memory."
    )
    static let isVerbose = Flag(
        "verbose", short: "v",
        help:
            "Show who cuts and decides, libvosk's own log, and for each file the ledger of samples: how many were read, "
            + "recognized and silent; and how many utterances have text, have none, or are lost.")
}
