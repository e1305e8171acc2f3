import Foundation
import Models

/// The name of Apple's older recognizer, which clients ask whether they may recognize speech. Linux asks nobody: they may.
public enum SFSpeechRecognizer {
    /// The answer that there is: yes.
    public static func authorizationStatus() -> SFSpeechRecognizerAuthorizationStatus { .authorized }

    /// Answers at once: yes.
    public static func requestAuthorization(_ handler: @escaping (SFSpeechRecognizerAuthorizationStatus) -> Void) {
        handler(.authorized)
    }
}

/// Whether a program may recognize speech.
public enum SFSpeechRecognizerAuthorizationStatus: Int, Sendable {
    /// The user has not answered yet.
    case notDetermined
    /// The user has said no.
    case denied
    /// The system forbids it.
    case restricted
    /// The user has said yes.
    case authorized
}

/// The names of Apple's errors. A `SpeechError` as an `NSError` has this domain and, where one of these means the same, its code;
/// the numbers are this library's own.
public enum SFSpeechError {
    /// The domain of a `SpeechError` as an `NSError`.
    public static let errorDomain = "SFSpeechErrorDomain"

    /// The kinds of errors.
    public enum Code: Int, Sendable {
        /// None of the others.
        case internalServiceError = 1
        /// `SpeechError.Code.audioReadFailed`.
        case audioReadFailed
        /// `SpeechError.Code.audioDisordered`.
        case audioDisordered
        /// `SpeechError.Code.insufficientResources`, and no room on the disk.
        case insufficientResources
        /// `SpeechError.Code.moduleOutputFailed`.
        case moduleOutputFailed
        /// No model, or none that is whole.
        case noModel
        /// Never: every format is converted.
        case incompatibleAudioFormats
        /// Never: every format is converted.
        case unexpectedAudioFormat
        /// Never: a locale needs no place.
        case assetLocaleNotAllocated
        /// Never: a locale needs no place.
        case tooManyAssetLocalesAllocated
        /// Never: such a locale has no model.
        case cannotAllocateUnsupportedLocale
        /// Never.
        case timeout
        /// Never.
        case missingParameter
        /// Never.
        case undefinedTemplateClassName
        /// Never.
        case malformedSupplementalModel
    }
}

extension SpeechError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { SFSpeechError.errorDomain }

    /// The number of the error as an `NSError`.
    public var errorCode: Int { appleCode.rawValue }

    /// The sentence, for an `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    private var appleCode: SFSpeechError.Code {
        switch code {
        case .audioReadFailed: .audioReadFailed
        case .audioDisordered: .audioDisordered
        case .insufficientResources, .insufficientSpace: .insufficientResources
        case .moduleOutputFailed: .moduleOutputFailed
        case .noModel, .ambiguousModel, .modelIncomplete, .modelLoadFailed: .noModel
        default: .internalServiceError
        }
    }
}
