import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

/// The output of `utter doctor --json`.
struct Diagnosis {
    struct Finding: Equatable {
        var state: String
        var words: String
        /// The lines to run; `deeds` are steps to take by hand.
        var lines: [String] = []
        var deeds: [String] = []

        static func fine(_ words: String) -> Finding { Finding(state: "ok", words: words) }

        /// The finding without durations, which differ each time.
        var withoutTime: Finding {
            var result = self
            result.words = words.replacing(#/ in [0-9]+\.[0-9] s/#, with: " in … s")
            return result
        }
    }

    var findings: [(subject: String, finding: Finding)]
    var exitCode: Int32?
    /// The standard error of the doctor and of the lines that were run before it.
    var errors: String

    init(json: String, exitCode: Int32?, errors: String) throws {
        let objects = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]], "\(json) \(errors)")
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

    /// The findings without that of real-time priority, which depends on the login of the user who runs the tests.
    private var ownFindings: [(subject: String, finding: Finding)] {
        findings.filter { $0.subject != "real-time priority" }
    }

    /// Expects a finding that is not fine, and the exit status that belongs to it.
    func expectFault(
        on subject: String, _ state: String, _ words: String, lines: [String] = [], deeds: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let finding = Finding(state: state, words: words, lines: lines, deeds: deeds)
        #expect(self[subject] == finding, sourceLocation: sourceLocation)
        #expect(exitCode == (state == "broken" ? 69 : 0), sourceLocation: sourceLocation)
    }

    /// The findings that are not fine, as text.
    var complaints: [String] {
        ownFindings.filter { $0.finding.state != "ok" }.map { "\($0.subject): \($0.finding.words)" }
    }

    var isGreen: Bool { complaints.isEmpty && exitCode == 0 }

    /// All lines to run, in order.
    var lines: [String] { ownFindings.flatMap(\.finding.lines) }
}

extension Sandbox {
    static let dictationModel = "vosk-model-small-en-us-0.15"

    /// A machine on which nothing is missing, with a microphone that records noise, a chosen model and a terminal.
    func makeHealthy() throws -> HealthyMachine { try HealthyMachine(self) }

    /// A machine with everything that the doctor looks for.
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
        ///   - lines: lines of shell that are run before.
        ///   - wrapper: a command that runs `utter`.
        ///   - changes: the changes of the environment; nil removes a variable.
        func doctor(
            _ options: String..., after lines: [String] = [], under wrapper: [String] = [],
            set changes: [String: String?] = [:]
        ) async throws -> Diagnosis {
            try await sandbox.doctor(
                options, after: lines, under: wrapper,
                environment: environment.merging(changes.compactMapValues { $0 }) { $1 }
                    .filter { changes[$0.key] != .some(nil) })
        }
    }

    /// A command that runs another without root's capabilities and without real-time priority.
    static let powerless =
        ["prlimit", "--rtprio=0:0"] + (geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [])

    func doctor(
        _ options: [String] = [], after lines: [String] = [], under wrapper: [String] = [],
        environment: [String: String]
    ) async throws -> Diagnosis {
        let command = (wrapper + [Self.utter, "doctor", "--json"] + options).map(ShellWord.quoted).joined(
            separator: " ")
        let folder = URL(fileURLWithPath: Self.utter).deletingLastPathComponent().path
        let script = put(
            """
            exec 2> '\(file("doctor.errors"))' 3> '\(file("doctor.json"))'
            { set -e
            PATH="$PATH:\(folder)"
            \(lines.joined(separator: "\n"))
            } >&2
            \(command) >&3

            """, in: "doctor.sh")
        // The doctor has a terminal of its own, so that its output does not depend on whether the tests have one.
        let finished = try await Program(
            ["script", "-qec", "/bin/sh '\(script)'", "/dev/null"], environment: self.environment(environment)
        ).finish()
        return try Diagnosis(
            json: text(of: "doctor.json") ?? "", exitCode: finished.exitCode, errors: text(of: "doctor.errors") ?? "")
    }
}
