import Foundation
import Glibc

extension Error {
    /// The C library's number of an error that Foundation throws; 0 where it has none. Its own texts are not for users.
    package var systemErrorNumber: Int32 {
        if let error = self as? POSIXError { return error.code.rawValue }
        let error = self as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.systemErrorNumber ?? 0
    }
}

extension Int32 {
    /// As an error number: the system has not enough of something.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(self) }

    /// As an error number: what it means, and what to do about it where that is for the user to do. strerror(3)
    package var systemErrorText: String {
        let text = String(cString: strerror(self))
        return switch self {
        case EMFILE: text + "; allow this program more with ulimit -n"
        case ENFILE, ENOMEM, EAGAIN: text + "; close some programs and try again"
        default: text
        }
    }
}
