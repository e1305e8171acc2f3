import Foundation
import Glibc

/// The environment and the user that the doctor's checks work for.
struct Surroundings: Sendable {
    var environment: [String: String]
    var isRoot: Bool

    init(environment: [String: String] = ProcessInfo.processInfo.environment, isRoot: Bool = geteuid() == 0) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// Whether a program is in one of the folders of `PATH`. access(2)
    func has(_ program: String) -> Bool {
        (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }

    /// The step for a command line that only root may run.
    func asRoot(_ command: String) -> Finding.Step { .run(isRoot ? command : "sudo \(command)") }

    /// The step that installs Debian packages.
    func install(_ packages: [String]) -> Finding.Step {
        asRoot("apt-get install -y \(packages.joined(separator: " "))")
    }

    /// The steps that set an environment variable now and for later sessions.
    static func export(_ variable: String, _ value: String) -> [Finding.Step] {
        [.run("export \(variable)=\(ShellWord.quoted(value))"), .act("to keep that, put the line into ~/.profile")]
    }

    /// The step that opens a file in the user's editor.
    static func edit(_ path: String) -> Finding.Step { .run("${EDITOR:-nano} \(ShellWord.quoted(path))") }
}
