import Foundation

/// A build that measures its coverage; see `Scripts/coverage`.
package enum Coverage {
    /// The environment variables that a child process needs to add its counts. It writes a file with them when it ends, so a limit
    /// on the size of files applies to that file too.
    package static let environment = ProcessInfo.processInfo.environment.filter { $0.key == "LLVM_PROFILE_FILE" }

    /// Whether the coverage of this process is measured.
    package static let isCounted = !environment.isEmpty
}
