import CLinux
import Glibc
import System

/// A Whisper model that decodes short sounds in a third of the time, for guesses and the sentences that they agree on.
///
/// Whisper fills each sound up to a window of 30 s with silence, and most of the time goes into that. libtranscribe takes the length of
/// the window from the model's file, so this loads a copy of the file that names a shorter one. In a window of 15 s, 6.2 % of the words
/// were wrong in 131 pieces of natural speech and mixes of up to 3.5 s (6.0 in the whole window), and 5.4 % in 102 of up to 8 s (5.2).
/// One of each repeated itself without end: such a decoding is interrupted.
final class ShortWindow {
    let model: TranscribeModel

    /// The length of the window and of the longest sound for it, in seconds: with less silence at its end, the model repeats itself
    /// more often. Shorter windows leave more guesses to the whole one.
    private static let (length, longest) = (12, 10)

    /// Loads the model.
    ///
    /// - Returns: nil for a file that does not say how long its window is, and where there is not enough memory.
    init?(_ setup: WorkerSetup, calls: TranscribeCalls, interruption: Interruption) {
        guard let file = MemoryFile(copyOf: setup.model, atMost: (Memory.available ?? 0) / 4),
            Self.shorten(file.descriptor)
        else { return nil }
        var setup = setup
        setup.model = "/proc/self/fd/\(file.descriptor)"
        guard let model = try? TranscribeModel(setup, calls: calls, interruption: interruption) else { return nil }
        self.model = model
    }

    /// Whether a sound is short enough.
    static func takes(_ samples: [Int16]) -> Bool { samples.count <= longest * TranscribeModel.sampleRate }

    /// The longest beginning of a file that is searched for the window, in bytes; the tokens of 99 languages take 3 MB.
    private static let longestHeader = 16 << 20

    /// Writes a shorter window into a model's file, in the GGUF format.
    private static func shorten(_ file: Int32) -> Bool {
        var header = [UInt8](repeating: 0, count: longestHeader)
        let count = pread(file, &header, header.count, 0)
        let values = ["n_samples": length * TranscribeModel.sampleRate, "nb_max_frames": length * 100]
        return values.allSatisfy { name, value in
            let key = Array("stt.frontend.\(name)".utf8)
            // A key with its length before and its type behind, which is that of 32-bit numbers.
            let pattern = bytes(UInt64(key.count)) + key + bytes(UInt32(4))
            guard let found = memmem(header, UInt(max(0, count)), pattern, UInt(pattern.count)) else { return false }
            let place = header.withUnsafeBytes { UnsafeRawPointer(found) - $0.baseAddress! } + pattern.count
            return pwrite(file, bytes(UInt32(value)), 4, off_t(place)) == 4
        }
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
