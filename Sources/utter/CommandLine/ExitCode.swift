/// The exit status of the command: a value of sysexits.h, chosen by what the caller can do about a failure.
enum ExitCode: Int32, Error, Sendable, CaseIterable {
    case ok = 0
    /// Nothing was found, as with grep.
    case nothingFound = 1
    /// The command line was wrong. EX_USAGE
    case usage = 64
    /// The input is not what it should be: not audio, damaged. EX_DATAERR
    case dataError = 65
    /// An input doesn't exist or can't be read. EX_NOINPUT
    case noInput = 66
    /// Something that is needed isn't here: a model, ffmpeg. EX_UNAVAILABLE
    case unavailable = 69
    /// A mistake in this program. EX_SOFTWARE
    case software = 70
    /// The system refused something basic: memory, a descriptor. EX_OSERR
    case osError = 71
    /// An output can't be created. EX_CANTCREAT
    case cannotCreate = 73
    /// Reading or writing failed on the way. EX_IOERR
    case ioError = 74
    /// It may work later: the device is busy, the network is away. EX_TEMPFAIL
    case tempFail = 75
    /// Not allowed. EX_NOPERM
    case noPermission = 77
    /// A configuration file is wrong. EX_CONFIG
    case configuration = 78
    /// Ended by SIGHUP, as shells count it: 128 + 1.
    case hungUp = 129
    /// Ended by SIGINT, likewise: 128 + 2.
    case interrupted = 130
    /// The reader of the output left before all was written, as shells count SIGPIPE: 128 + 13.
    case unread = 141
    /// Ended by SIGTERM, likewise: 128 + 15.
    case terminated = 143

    /// The exit status after an orderly end that signal `number` requested.
    init(endedBy number: Int32) { self = Self(rawValue: 128 + number) ?? .terminated }
}
