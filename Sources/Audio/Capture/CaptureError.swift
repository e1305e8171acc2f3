import protocol Foundation.LocalizedError
import Glibc

/// An error that prevents or ends the capture from a device.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of a capture error, named by what the user can do about it. More may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String
        /// Creates a code with the name `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such device, or it can't capture.
        public static let noDevice = Code(rawValue: "noDevice")
        /// Another program uses the device.
        public static let busy = Code(rawValue: "busy")
        /// This user may not open the device.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The sound server that provides the device does not answer.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The device has no format, rate or channel that can be used.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// The device was unplugged, or its sound server ended, during the capture.
        public static let unplugged = Code(rawValue: "unplugged")
        /// The device runs but gives no sound.
        public static let silent = Code(rawValue: "silent")
        /// The tap was already started or stopped.
        public static let alreadyUsed = Code(rawValue: "alreadyUsed")
        /// Any other error; see `errno`.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of the error.
    public var code: Code
    /// The name of the PCM as it was given. Untrusted: strip control characters before it reaches a terminal.
    public var device: String
    /// The system's error number; 0 if there is none.
    public var errno: Int32
    /// The messages that ALSA logged about the error.
    public var messages: [String]

    /// Creates an error of the kind `code` for `device`.
    public init(_ code: Code, device: String, errno: Int32 = 0, messages: [String] = []) {
        self.code = code
        self.device = device
        self.errno = errno
        self.messages = messages
    }

    /// One sentence, without a full stop, that says what happened to which device and what to do about it.
    public var description: String {
        messages.isEmpty ? sentence : "\(sentence) (ALSA says: \(messages.joined(separator: "; ")))"
    }

    /// The description, for Foundation.
    public var errorDescription: String? { description }

    /// The description with at most the first of ALSA's messages, and that only if it is short.
    package var brief: String {
        guard let first = messages.first, first.count <= 80 else { return sentence }
        return "\(sentence) (ALSA says: \(first))"
    }

    private var sentence: String {
        switch code {
        case .noDevice: "there is no capture device \(device): connect a microphone, or choose another device"
        case .busy:
            "the capture device \(device) is busy: end the program that records from it, or choose another device"
        case .permissionDenied:
            "the capture device \(device) may not be opened by this user: join the group audio, and log in again"
        case .unreachable:
            "the capture device \(device) does not answer: start the sound server (PulseAudio or PipeWire), or choose another device"
        case .unsupportedFormat:
            "the capture device \(device) has no format, rate or channel that will do: choose another device"
        case .unplugged:
            "the capture device \(device) is gone, unplugged or its sound server ended; what it heard before is kept"
        case .silent: "the capture device \(device) runs, but no sound has come for ten seconds: choose another device"
        case .alreadyUsed: "the capture of \(device) was started before; a tap is started once"
        default: "the capture device \(device) failed: \(String(cString: strerror(errno)))"
        }
    }

    /// Creates the error of a call that opens or sets up a device.
    ///
    /// - Parameter isOpen: whether the device could be opened, and refused a later call.
    init(opening device: String, result: Int32, messages: [String], isOpen: Bool = true) {
        let errno = abs(result)
        let code: Code =
            switch errno {
            case ENOENT, ENODEV, ENXIO, ENOTDIR: .noDevice
            // What ALSA's plug-in says of a source that the sound server does not have.
            case EIO where messages.contains { $0.contains("No such entity") }: .noDevice
            case EBUSY, EAGAIN: .busy
            case EACCES, EPERM: .permissionDenied
            case ECONNREFUSED, ECONNRESET, ECONNABORTED, EHOSTUNREACH, ETIMEDOUT, EPIPE: .unreachable
            // A name that ALSA can't resolve, such as the number of a card that does not exist.
            case EINVAL: isOpen ? .unsupportedFormat : .noDevice
            default: .failed
            }
        self.init(code, device: device, errno: errno, messages: messages)
    }

    /// Creates the error that a capture ended with, or `nil` if it was asked to stop.
    init?(_ end: CaptureEnd, device: String) {
        let code: Code
        switch end.reason {
        case .stopped: return nil
        case .unplugged: code = .unplugged
        case .silent: code = .silent
        case .failed, .conversionFailed: code = .failed
        }
        self.init(code, device: device, errno: end.reason == .conversionFailed ? EINVAL : end.code)
    }
}
