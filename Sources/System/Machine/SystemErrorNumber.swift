import Foundation
import Glibc

extension Error {
    /// The errno in an error of Foundation, whose own messages are not meant for users; 0 if it has none.
    package var systemErrorNumber: Int32 {
        if let error = self as? POSIXError { return error.code.rawValue }
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.systemErrorNumber ?? 0
    }
}

extension Int32 {
    /// Whether this errno means that the system is short of memory, descriptors or processes.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(self) }

    /// The description of this errno, with advice if the user can do something about it. strerror(3)
    package var systemErrorText: String {
        let text = String(cString: strerror(self))
        return switch self {
        case EMFILE: text + "; allow this program more with ulimit -n"
        case ENFILE, ENOMEM, EAGAIN: text + "; close some programs and try again"
        default: text
        }
    }
}
