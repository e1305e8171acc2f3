import Foundation

/// The base folders of the XDG Base Directory Specification, in which utter keeps a user's files.
package enum BaseFolder: String, Sendable {
    case configuration = "XDG_CONFIG_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"

    /// The path of the folder `utter` in this base folder. A relative path in the environment variable is ignored, as the
    /// specification requires.
    package func utter(_ environment: [String: String]) -> String {
        let named = environment[rawValue].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? Self.home(environment) + usual) + "/utter"
    }

    /// The user's home folder: `HOME`, or the account's folder when `HOME` is not set, empty or relative. getpwuid(3)
    package static func home(_ environment: [String: String]) -> String {
        environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
    }

    private var usual: String {
        switch self {
        case .configuration: "/.config"
        case .data: "/.local/share"
        case .state: "/.local/state"
        }
    }
}
