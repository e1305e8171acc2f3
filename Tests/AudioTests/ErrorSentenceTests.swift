import Audio
import Foundation
import System
import Testing

@testable import struct Audio.SampleRateError

@Suite("An error of the library")
struct ErrorSentenceTests {
    @Test("says its own sentence as a Foundation error, too")
    func sentences() {
        let errors: [any Error] = [
            FileError(.create, path: "/a.wav", errno: 13), WAVError(.notWAV, at: 0, "this is no WAV file"),
            CaptureError(.busy, device: "hw:0"), SampleRateError(.unsupportedRate, 5),
            StorageError(.busy, path: "/a", "/a is busy"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }
}
