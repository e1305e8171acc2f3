import Foundation
import Testing

/// Tests that run the built command as its users do. One after another: each takes the machine's cores for itself.
@Suite("The command, end to end", .serialized)
enum EndToEndTests {
    static let hasTmux = FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux")
}
