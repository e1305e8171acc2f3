import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Files are transcribed in which nobody speaks.
    @Suite("Sound without speech, transcribed", .needsSecondPass)
    struct NoiseTranscripts {
        private let sandbox = Sandbox()

        /// Kinds of sound, as sox makes them.
        private static let kinds = [
            "whitenoise", "tpdfnoise", "pinknoise", "brownnoise", "sine 440", "square 50", "triangle 1000",
            "sawtooth 200",
            "trapezium 300", "pluck 220",
        ]

        @Test("There is no text for ten kinds of sound without speech, loud or quiet")
        func noText() async throws {
            let seconds = Tier.count(10, long: 60, "UTTER_NOISE_SECONDS")
            for decibels in [-50, -20] {
                var paths: [String] = []
                for kind in Self.kinds {
                    let path = sandbox.file("\(kind.split(separator: " ")[0])\(decibels).wav")
                    try await sandbox.run(
                        ["sox", "-R", "-n", "-r", "16000", "-c", "1", "-b", "16", path, "synth", "\(seconds)"]
                            + kind.split(separator: " ").map(String.init) + ["gain", "-n", "\(decibels)"])
                    paths.append(path)
                }
                let finished = try await sandbox.transcribe(
                    ["-f", "tsv"] + paths, environment: SecondPassSetup.environment)
                #expect(finished.end == .exited(0) && finished.errors == "", "\(finished.errors)")
                #expect(finished.output == "", "\(finished.output)")
            }
        }
    }
}
