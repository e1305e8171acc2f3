/// The type of what a device gives.
public enum AVMediaType: Hashable, Sendable {
    /// Sound.
    case audio
}

/// Whether a program may record. Linux asks nobody: a microphone that may not be opened is an error of its start.
public enum AVCaptureDevice {
    /// An answer of the user.
    public enum AuthorizationStatus: Int, Sendable {
        /// None yet.
        case notDetermined
        /// The system forbids it.
        case restricted
        /// No.
        case denied
        /// Yes.
        case authorized
    }

    /// The answer that there is: yes.
    public static func authorizationStatus(for mediaType: AVMediaType) -> AuthorizationStatus { .authorized }
    /// Returns whether the program may record: yes.
    public static func requestAccess(for mediaType: AVMediaType) async -> Bool { true }
}
