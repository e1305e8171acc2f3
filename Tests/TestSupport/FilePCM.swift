import Foundation
import Glibc

/// A capture device that delivers a file's samples as fast as they are read: ALSA's plug-in `file` over `null`.
///
/// The device takes every rate, format and channel count and gives the same bytes for all: the reader must ask for what is
/// in there. A plug-in that converts (`plug` when asked for something else, `rate`) loses most of it, because `file` reads ahead of
/// what such a plug-in takes.
///
/// There is no end: after the file's last byte every read still succeeds in full and leaves the reader's buffer as it
/// was; so does the part of the last read that the file did not fill. So put silence behind the samples, and count frames.
package final class FilePCM: Sendable {
    package let path: String

    /// - Parameter bytes: samples as they are encoded.
    package init(bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.path + "/utter-samples-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// - Parameter silence: how many samples of silence follow.
    package convenience init(_ samples: [Int16], silence: Int = 0) throws {
        try self.init(bytes: Samples.bytes(samples) + [UInt8](repeating: 0, count: 2 * silence))
    }

    deinit { unlink(path) }

    /// Its name for ALSA in this process, and in every one with `ALSADevices.environment`.
    package var deviceName: String { "samples:'\(path)'" }
}
