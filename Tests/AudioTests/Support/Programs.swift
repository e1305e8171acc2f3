import Foundation
import TestSupport

/// Runs a program that tests compare with, and returns whether it has succeeded. `Scripts/setup --for-tests` installs them; a test fails
/// without them.
func succeeds(_ command: String...) async throws -> Bool {
    try await Program(command, environment: ProcessInfo.processInfo.environment).finish().end == .exited(0)
}
