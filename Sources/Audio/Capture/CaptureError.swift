import Glibc

/// Why a device can't be captured from, or can't any more.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, named by what one can do about it. More may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such device, or nothing that captures.
        public static let noDevice = Code(rawValue: "noDevice")
        /// Another program has it.
        public static let busy = Code(rawValue: "busy")
        /// This user may not open it.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The sound server behind it does not answer.
        public static let unreachable = Code(rawValue: "unreachable")
        /// It has no format, rate or channel that will do.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// It was unplugged, or its sound server ended, while it was captured from.
        public static let unplugged = Code(rawValue: "unplugged")
        /// It runs, and no sound comes.
        public static let silent = Code(rawValue: "silent")
        /// The tap was started before, or stopped.
        public static let alreadyUsed = Code(rawValue: "alreadyUsed")
        /// Something else.
        public static let failed = Code(rawValue: "failed")
    }

    public var code: Code
    /// The PCM's name as it was given. Untrusted: strip control characters before it reaches a terminal.
    public var device: String
    /// The system's error number; 0 where there is none.
    public var errno: Int32
    /// ALSA's own words.
    public var messages: [String]

    public init(_ code: Code, device: String, errno: Int32 = 0, messages: [String] = []) {
        self.code = code
        self.device = device
        self.errno = errno
        self.messages = messages
    }

    /// What happened, to what, and what to do: a sentence without its full stop.
    public var description: String {
        messages.isEmpty ? sentence : "\(sentence) (ALSA says: \(messages.joined(separator: "; ")))"
    }

    /// The same with the first that ALSA says, where that is short.
    package var brief: String {
        guard let first = messages.first, first.count <= 80 else { return sentence }
        return "\(sentence) (ALSA says: \(first))"
    }

    private var sentence: String {
        switch code {
        case .noDevice: "there is no capture device \(device): connect a microphone, or choose another device"
        case .busy: "the capture device \(device) is busy: end the program that records from it, or choose another device"
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

    /// The error of a call that opens or sets up a device.
    ///
    /// - Parameter isOpen: whether the device could be opened, and refuses something else.
    init(opening device: String, result: Int32, messages: [String], isOpen: Bool = true) {
        let errno = abs(result)
        let code: Code =
            switch errno {
            case ENOENT, ENODEV, ENXIO, ENOTDIR: .noDevice
            case EBUSY, EAGAIN: .busy
            case EACCES, EPERM: .permissionDenied
            case ECONNREFUSED, ECONNRESET, ECONNABORTED, EHOSTUNREACH, ETIMEDOUT, EPIPE: .unreachable
            // A name that ALSA can make nothing of, such as the number of a card that no machine has.
            case EINVAL: isOpen ? .unsupportedFormat : .noDevice
            default: .failed
            }
        self.init(code, device: device, errno: errno, messages: messages)
    }

    /// The error that a capture ended with; `nil` when it was asked to end.
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
