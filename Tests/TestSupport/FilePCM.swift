import Foundation
import Glibc

/// A capture device that delivers a file's samples as fast as they are read: ALSA's plug-in `file` over `null`.
///
/// The device takes every rate, format and channel count and gives the same bytes for all: the reader must ask for what is
/// in there, or open `convertingDeviceName`. There is no end: after the file's last byte every read still succeeds in full
/// and leaves the reader's buffer as it was (that last read, which may be of a part, too). So put silence behind the
/// samples, and count frames.
package final class FilePCM: Sendable {
    package let path: String
    private let rate: Int
    private let channelCount: Int

    /// - Parameters:
    ///   - bytes: samples as they are encoded.
    ///   - rate: what `convertingDeviceName` takes them for, in Hz.
    package init(bytes: [UInt8], rate: Int = 16_000, channelCount: Int = 1) throws {
        ALSADevices.configureProcess()
        path = FileManager.default.temporaryDirectory.path + "/utter-samples-\(UUID().uuidString)"
        self.rate = rate
        self.channelCount = channelCount
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// - Parameter silence: how many samples of silence follow.
    package convenience init(_ samples: [Int16], silence: Int = 0, rate: Int = 16_000, channelCount: Int = 1) throws {
        try self.init(
            bytes: Samples.bytes(samples) + [UInt8](repeating: 0, count: 2 * silence), rate: rate, channelCount: channelCount)
    }

    deinit { unlink(path) }

    package var deviceName: String { "samples:'\(path)'" }

    /// The device that takes the bytes for S16_LE at `rate` and `channelCount` and converts them to what is asked for.
    package var convertingDeviceName: String { "converted:'\(path)',\(rate),\(channelCount)" }
}
