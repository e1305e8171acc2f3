import Foundation

/// A build that counts what of it is run; see `Scripts/coverage`.
package enum Coverage {
    /// What a child process needs in its environment to add its own counts. It writes a file for that when it ends, so that a limit to
    /// the size of files meets that file too.
    package static let environment = ProcessInfo.processInfo.environment.filter { $0.key == "LLVM_PROFILE_FILE" }

    /// Whether this process is counted.
    package static let isCounted = !environment.isEmpty
}
