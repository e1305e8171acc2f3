import Foundation
import TestSupport

@testable import Outbox

/// Web hooks with and without a proxy before them, in one process of their own; see `Tests/TestSupport/Server/hooks.py`.
final class HookServer: Sendable {
    /// How one of them is, and what goes wrong there.
    struct Cell: Encodable, Hashable {
        enum Answer: Encodable, Hashable {
            case status(Int)
            /// Once for each key, kept in the folder that the path names.
            case key

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .status(let status): try container.encode(status)
                case .key: try container.encode("key")
                }
            }
        }

        var name: String
        var route: String
        var moment: String?
        var harm: String?
        var refusal = 0
        var answer = Answer.status(200)
        var then: Answer?
    }

    private let folder: TemporaryFolder
    private let peer: LoopbackPeer
    private let ports: [String: Int]

    init(_ cells: [Cell]) async throws {
        folder = TemporaryFolder()
        folder.put(Array(try JSONEncoder().encode(cells)), in: "cells")
        peer = try await LoopbackPeer("hooks.py", folder.path)
        ports = try await peer.next() as? [String: Int] ?? [:]
    }

    func port(_ name: String) -> Int { ports[name] ?? 0 }

    /// The file with the certificate that curl is to trust.
    var certificate: String { folder.file("certificate") }

    /// Whether something went wrong with it as it should.
    func isHarmed(_ name: String) -> Bool {
        (folder.text(of: "reached") ?? "").split(separator: "\n").contains { $0 == name }
    }
}
