import Foundation
import Glibc

/// A capture device that delivers a file's samples as fast as they are read: ALSA's plug-in `file` over `null`.
///
/// The device accepts every rate, format and channel count, and delivers the same bytes for all of them, so the reader must ask
/// for those of the file. A plug-in that converts (`rate`, or `plug` when asked for others) loses most of the samples, because
/// `file` reads ahead of what such a plug-in takes.
///
/// There is no end: after the file's last byte every read still succeeds in full, and leaves unchanged the part of the reader's
/// buffer that the file does not fill. So add silence after the samples, and count frames.
package final class FilePCM: Sendable {
    package let path: String

    /// Creates a device.
    ///
    /// - Parameter bytes: the encoded samples.
    package init(bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.path + "/utter-samples-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Creates a device that delivers 16-bit samples.
    ///
    /// - Parameters:
    ///   - samples: the samples.
    ///   - silence: how many samples of silence follow them.
    package convenience init(_ samples: [Int16], silence: Int = 0) throws {
        try self.init(bytes: Samples.bytes(samples) + [UInt8](repeating: 0, count: 2 * silence))
    }

    deinit { unlink(path) }

    /// The device's ALSA name in this process, and in every process with `ALSADevices.environment`.
    package var deviceName: String { "samples:'\(path)'" }
}
