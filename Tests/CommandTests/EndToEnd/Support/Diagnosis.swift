import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

/// What `utter doctor --json` has said.
struct Diagnosis {
    struct Finding: Equatable {
        var state: String
        var words: String
        /// The lines to run, and what is to be done by hand.
        var lines: [String] = []
        var deeds: [String] = []

        static func fine(_ words: String) -> Finding { Finding(state: "ok", words: words) }

        /// How long something took is another time each time.
        var withoutTime: Finding {
            var result = self
            result.words = words.replacing(#/ in [0-9]+\.[0-9] s/#, with: " in … s")
            return result
        }
    }

    var findings: [(subject: String, finding: Finding)]
    var exitCode: Int32?
    /// What the lines before it and it itself have said on stderr.
    var errors: String

    init(json: String, exitCode: Int32?, errors: String) throws {
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]], "\(json) \(errors)")
        findings = try objects.map { object in
            let steps = try #require(object["mend"] as? [[String: String]])
            let finding = Finding(
                state: try #require(object["state"] as? String), words: try #require(object["words"] as? String),
                lines: steps.compactMap { $0["run"] }, deeds: steps.compactMap { $0["do"] })
            return (try #require(object["subject"] as? String), finding)
        }
        self.exitCode = exitCode
        self.errors = errors
    }

    /// The only finding on a subject.
    subscript(subject: String) -> Finding? {
        let found = findings.filter { $0.subject == subject }
        return found.count == 1 ? found[0].finding : nil
    }

    /// What only another login grants, who runs the tests may have or not.
    private var ownFindings: [(subject: String, finding: Finding)] { findings.filter { $0.subject != "real-time priority" } }

    /// What is not fine.
    var complaints: [String] {
        ownFindings.filter { $0.finding.state != "ok" }.map { "\($0.subject): \($0.finding.words)" }
    }

    var isGreen: Bool { complaints.isEmpty && exitCode == 0 }

    /// All lines to run, in order.
    var lines: [String] { ownFindings.flatMap(\.finding.lines) }
}

extension Sandbox {
    static let dictationModel = "vosk-model-small-en-us-0.15"

    /// A machine on which nothing is missing: a microphone that hears noise, a model that is chosen, a terminal.
    func makeHealthy() throws -> HealthyMachine { try HealthyMachine(self) }

    /// Everything that the doctor looks for.
    struct HealthyMachine {
        let sandbox: Sandbox
        let device: FilePCM

        fileprivate init(_ sandbox: Sandbox) throws {
            self.sandbox = sandbox
            var generator = SplitMix64(seed: 4)
            device = try FilePCM((0..<16_000).map { _ in Int16.random(in: -3000...3000, using: &generator) })
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.file("data/utter/models/" + Sandbox.dictationModel), withDestinationPath: Sandbox.model)
        }

        var environment: [String: String] {
            ALSADevices.environment.merging([
                "UTTER_MODEL": Sandbox.dictationModel, "UTTER_DEVICE": device.deviceName, "TERM": "xterm-256color",
                "XDG_CONFIG_HOME": sandbox.file("config"), "EDITOR": "false",
            ]) { $1 }
        }

        /// Runs `utter doctor` in a terminal.
        ///
        /// - Parameters:
        ///   - lines: of shell, that are run before.
        ///   - wrapper: what `utter` is run under.
        ///   - changes: to the environment; nil takes a variable away.
        func doctor(
            _ options: String..., after lines: [String] = [], under wrapper: [String] = [], set changes: [String: String?] = [:]
        ) async throws -> Diagnosis {
            try await sandbox.doctor(
                options, after: lines, under: wrapper,
                environment: environment.merging(changes.compactMapValues { $0 }) { $1 }
                    .filter { changes[$0.key] != .some(nil) })
        }
    }

    /// Without the powers of root, whoever we are, and without the right to real-time priority.
    static let powerless =
        ["prlimit", "--rtprio=0:0"] + (geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [])

    func doctor(
        _ options: [String] = [], after lines: [String] = [], under wrapper: [String] = [], environment: [String: String]
    ) async throws -> Diagnosis {
        let command = (wrapper + [Self.utter, "doctor", "--json"] + options).map(ShellWord.quoted).joined(separator: " ")
        let folder = URL(fileURLWithPath: Self.utter).deletingLastPathComponent().path
        let script = put(
            Array(
                """
                exec 2> '\(file("doctor.errors"))' 3> '\(file("doctor.json"))'
                { set -e
                PATH="$PATH:\(folder)"
                \(lines.joined(separator: "\n"))
                } >&2
                \(command) >&3

                """.utf8), in: "doctor.sh")
        // A terminal of its own, so that it is the same with and without one around the tests.
        let finished = try await Program(
            ["script", "-qec", "/bin/sh '\(script)'", "/dev/null"], environment: self.environment(environment)
        ).finish()
        return try Diagnosis(json: text(of: "doctor.json") ?? "", exitCode: finished.exitCode, errors: text(of: "doctor.errors") ?? "")
    }
}
