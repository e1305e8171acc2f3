import Foundation

/// The folders of the XDG Base Directory Specification, below which utter keeps what is a user's.
package enum BaseFolder: String, Sendable {
    case configuration = "XDG_CONFIG_HOME"
    case data = "XDG_DATA_HOME"
    case state = "XDG_STATE_HOME"

    /// Its `utter`. A relative path in the variable is invalid, says the specification, and ignored.
    package func utter(_ environment: [String: String]) -> String {
        let named = environment[rawValue].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? Self.home(environment) + usual) + "/utter"
    }

    /// The user's home folder: that of the account when `HOME` is not set, or is empty or relative, which would lead to the root
    /// or to whatever folder is the current one. getpwuid(3)
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
