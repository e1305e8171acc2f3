import System

/// The programs that read and write the two selections of a session, of which each is named as on X11: xclip there, and wl-copy and
/// wl-paste on Wayland. xclip(1), wl-clipboard(1)
enum ClipboardProgram {
    case xclip
    case wlClipboard

    /// The selections. Text fields paste the first with Shift-Insert, and terminals the second.
    static let selections = ["clipboard", "primary"]

    init(_ session: WindowSession) { self = session.isWayland ? .wlClipboard : .xclip }

    var isThere: Bool {
        switch self {
        case .xclip: BoundedProgram.isThere("xclip")
        case .wlClipboard: BoundedProgram.isThere("wl-copy") && BoundedProgram.isThere("wl-paste")
        }
    }

    typealias Command = (program: String, arguments: [String])

    /// Lists the forms in which a selection is there, one in a line.
    func listing(_ selection: String) -> Command {
        switch self {
        case .xclip: ("xclip", ["-o", "-selection", selection, "-t", "TARGETS"])
        case .wlClipboard: ("wl-paste", Self.option(selection) + ["--list-types"])
        }
    }

    /// Writes what a selection has in a form.
    func reading(_ selection: String, as form: String) -> Command {
        switch self {
        case .xclip: ("xclip", ["-o", "-selection", selection, "-t", form])
        case .wlClipboard: ("wl-paste", Self.option(selection) + ["--no-newline", "--type", form])
        }
    }

    /// Offers its standard input, a file, as a selection, from the background.
    func offering(_ selection: String, as form: String) -> Command {
        switch self {
        case .xclip: ("xclip", ["-i", "-selection", selection, "-t", form, "/proc/self/fd/0"])
        case .wlClipboard: ("wl-copy", Self.option(selection) + ["--type", form])
        }
    }

    /// Offers text as `offering` does, until it was asked for once.
    func offeringOnce(_ selection: String) -> Command {
        var command = offering(selection, as: "text/plain")
        command.arguments.insert("--paste-once", at: 0)
        return command
    }

    /// Empties a selection; nil where that happens by itself.
    func clearing(_ selection: String) -> Command? {
        self == .xclip ? nil : ("wl-copy", Self.option(selection) + ["--clear"])
    }

    private static func option(_ selection: String) -> [String] { selection == "primary" ? ["--primary"] : [] }
}
