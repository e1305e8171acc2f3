import Foundation
import Glibc
import TestSupport

/// A mono 16-bit WAV file that grows.
struct SavedSound: Sendable {
    /// The content of the file so far.
    struct Content: Sendable {
        var count = 0
        /// The number of samples that are not zero.
        var loudCount = 0
        /// The number of zero samples at the end.
        var silentTail = 0
        /// Whether the header has the length of the sound.
        var isFinished = false
    }

    struct TakesTooLong: Error {
        var path: String
        var content: Content
    }

    let path: String

    var samples: [Int16] { Sound.samples(ofFile: path) }

    /// Whether the file exists.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Waits until the file exists and its content meets a condition. inotify(7)
    @discardableResult
    func wait(_ isEnough: @escaping @Sendable (Content) -> Bool) async throws -> Content {
        try await onThread { [path] in
            let events = inotify_init1(Int32(O_CLOEXEC))
            defer { close(events) }
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            inotify_add_watch(events, folder, UInt32(IN_CREATE | IN_MODIFY))
            var reader = Reader(path: path)
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                reader.read()
                if reader.isThere && isEnough(reader.content) { return reader.content }
                var ready = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
                if poll(&ready, 1, Patience.milliseconds) == 0 {
                    throw TakesTooLong(path: path, content: reader.content)
                }
                _ = Glibc.read(events, &buffer, buffer.count)
            }
        }
    }

    /// Plays a recording into a microphone, and returns when all of it is in the file.
    func hear(_ recording: Recording, from microphone: VirtualMicrophone) async throws {
        let before = try await wait { _ in true }.loudCount
        let loud = recording.samples.count { $0 != 0 }
        // A recording ends with silence, which is heard after it was played. On a busy machine that can be later than its last word is.
        let silence = max(4_800, recording.samples.reversed().prefix { $0 == 0 }.count)
        try await microphone.play(recording.path)
        // The sound is resampled, so the number of zeros differs a little. When nothing is played, the microphone delivers silence.
        try await wait { $0.loudCount - before >= loud * 9 / 10 && $0.silentTail >= silence }
    }

    private struct Reader {
        let path: String
        var isThere = false
        var content = Content()
        private var bodyStart = 0
        private var offset = 0

        init(path: String) { self.path = path }

        mutating func read() {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            isThere = true
            if bodyStart == 0 {
                var header = [UInt8](repeating: 0, count: 1024)
                let count = pread(descriptor, &header, header.count, 0)
                let place = (0..<max(0, count - 8)).first { Array(header[$0..<$0 + 4]) == Array("data".utf8) }
                guard let place else { return }
                bodyStart = place + 8
                offset = bodyStart
            }
            var size = [UInt8](repeating: 0, count: 4)
            _ = pread(descriptor, &size, 4, off_t(bodyStart - 4))
            content.isFinished = size != [255, 255, 255, 255]
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = pread(descriptor, &bytes, bytes.count, off_t(offset)) & ~1
                guard count > 0 else { return }
                for index in stride(from: 0, to: count, by: 2) {
                    content.count += 1
                    if bytes[index] != 0 || bytes[index + 1] != 0 {
                        content.loudCount += 1
                        content.silentTail = 0
                    } else {
                        content.silentTail += 1
                    }
                }
                offset += count
            }
        }
    }
}
