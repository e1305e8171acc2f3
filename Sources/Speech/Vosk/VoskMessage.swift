import Glibc
import System

/// What is asked of a process that has a model of libvosk's, over a connection that belongs to one recognizer, and the answer. A message
/// has a head of fixed length, and bytes: samples, or text in UTF-8.
enum VoskMessage {
    enum Call: UInt8 {
        case load, findWord
        case makeRecognizer
        case accept, result, partialResult, finalResult
    }

    /// A call, with the numbers that the C function takes, and the number of bytes that follow.
    struct Request {
        var call: Call
        var numbers: (Float, Float, Float)
        var count: Int32
    }

    /// What the C function has returned, and the number of bytes that follow: its text, -1 for none, and libvosk's messages.
    struct Answer {
        var value: Int32 = 0
        var textCount: Int32 = -1
        var logCount: Int32 = 0
    }

    /// Sends a head and the bytes that follow, at once, so that the other end wakes once. Both ends are the same program, so the bytes of a
    /// head are as they are in memory. send(2)
    ///
    /// - Returns: whether all is sent.
    static func send(_ head: some Any, _ parts: UnsafeRawBufferPointer..., to socket: Int32) -> Bool {
        var message = withUnsafeBytes(of: head) { Array($0) }
        for part in parts { message += part }
        return message.withUnsafeBytes { bytes in
            Descriptor.writeAll(bytes) { start, count, _ in Glibc.send(socket, start, count, Int32(MSG_NOSIGNAL)) } == 0
        }
    }

    /// Receives bytes. read(2)
    ///
    /// - Returns: nil if the other end is gone.
    static func receive(_ count: Int, from socket: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let part = read(socket, buffer.baseAddress! + initialized, count - initialized)
                if part < 0, errno == EINTR { continue }
                if part <= 0 { return }
                initialized += part
            }
        }
        return bytes.count == count ? bytes : nil
    }

    /// Receives the head of a message of this program.
    static func receive<Head>(_ type: Head.Type, from socket: Int32) -> Head? {
        receive(MemoryLayout<Head>.size, from: socket)?.withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}
