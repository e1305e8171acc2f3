import Foundation
import TestSupport
import Testing

@testable import utter

/// A model of many languages, and the sentence of `make demo LANGUAGE=de`.
private enum German {
    static let model = ProcessInfo.processInfo.environment["UTTER_MULTILINGUAL"] ?? ""
    static let recording = Sandbox.root + "/.build/demo/de.wav"
    static let isThere = [model, recording].allSatisfy { FileManager.default.fileExists(atPath: $0) }
}

extension EndToEndTests {
    /// Tests with a real model of many languages.
    @Suite(.enabled(if: German.isThere, "UTTER_MULTILINGUAL names no model, or there is no German sentence"))
    struct Multilingual {
        private let sandbox = Sandbox()
        private static let english = Sandbox.fixture("weekdays-awb.wav")

        private func segments(_ locale: String, _ recording: String) async throws -> [(language: String, text: String)]
        {
            let result = try await sandbox.transcribe(
                "-q", "-f", "jsonl", "--locale", locale, "--second-pass", German.model, recording,
                environment: ["UTTER_SECOND_PASS": ""])
            #expect(result.end == .exited(0), "\(result.errors)")
            return try result.outputLines.compactMap { line in
                let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard event?["type"] as? String == "segment" else { return nil }
                return (event?["language"] as? String ?? "", event?["text"] as? String ?? "")
            }
        }

        @Test(
            "A German sentence is written in German, named, detected, and among several",
            arguments: ["de", "auto", "en,de"])
        func german(_ locale: String) async throws {
            let found = try await segments(locale, German.recording)
            #expect(found.map(\.language) == ["de"])
            #expect(found.map(\.text) == ["Am Montag beginnt die Sitzung um 9 Uhr, und danach essen wir zusammen."])
        }

        @Test("A model with damaged weights, which loads, is said to be damaged perhaps; what it can't detect fails")
        func damaged() async throws {
            let path = sandbox.file("damaged.gguf")
            var bytes = try Data(contentsOf: URL(fileURLWithPath: German.model))
            bytes.replaceSubrange(50_000_000..<51_000_000, with: Data(repeating: 0xFF, count: 1_000_000))
            try bytes.write(to: URL(fileURLWithPath: path))
            let finished = try await sandbox.models("verify", path)
            #expect(finished.end == .exited(69), "\(finished)")
            #expect(
                finished.errorLines == [
                    "utter: the model \(path) loads, but hears no word in a spoken sentence; it may be damaged: remove it and "
                        + "install it again"
                ])
            let said = try await sandbox.transcribe(
                "--locale", "auto", "--second-pass", path, Self.english, environment: ["UTTER_SECOND_PASS": ""])
            #expect(said.end == .exited(70) && said.output.isEmpty, "\(said)")
            #expect(said.errors.contains("could not be decoded"), "\(said.errors)")
        }

        @Test("English beside a German list stays English, word for word")
        func english() async throws {
            let named = try await segments("en", Self.english)
            #expect(named.map(\.text).joined().contains("Wednesday"))
            for locale in ["auto", "de,en"] {
                let found = try await segments(locale, Self.english)
                #expect(found.map(\.text) == named.map(\.text) && found.allSatisfy { $0.language == "en" }, "\(found)")
            }
        }
    }
}
