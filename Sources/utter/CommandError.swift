import Audio
import Glibc
import Outbox
import Speech

/// A failure as the command tells it: one line on stderr and an exit code.
struct CommandError: Error {
    /// A sentence without its full stop. Untrusted parts are made visible when it is printed.
    var message: String
    var exitCode: ExitCode
    /// Whether every other file would fail in the same way: the model is broken, the output is full.
    var concernsAll = false

    init(_ message: String, _ exitCode: ExitCode) {
        self.message = message
        self.exitCode = exitCode
    }

    /// The same for whatever the libraries throw.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as FileError:
            self.init(Self.description(error), error.exitCode)
        case let error as OutboxError: self.init(error.description, Self.exitCode(error.code))
        case let error as WAVError: self.init(error.description, .dataError)
        case let error as CaptureError: self.init(error.description, Self.exitCode(error.code))
        case let error as SampleRateError: self.init(error.description, .dataError)
        case let error as SpeechError:
            self.init(error.description, Self.exitCode(error.code))
            concernsAll = exitCode == .unavailable
        case is CancellationError: self.init("interrupted", .interrupted)
        default:
            // Nothing of what an error of others says about itself is for users, and it may hold anything.
            let code = error.systemErrorNumber
            if code == 0 {
                self.init("something failed inside utter (\(type(of: error)))", .software)
            } else {
                self.init("the system refused something: \(code.systemErrorText)", code.isShortage ? .osError : .ioError)
            }
        }
    }

    private static func description(_ error: FileError) -> String {
        switch (error.operation, error.errno) {
        // Nothing is overwritten.
        case (.create, EEXIST): error.description + "; choose another name"
        case (.create, ELOOP):
            "can't create \(error.path): a symbolic link leads to it from a folder that others may write to; "
                + "give the file that is meant, or remove the link"
        case (.create, EINTR): "can't create \(error.path): nobody has opened it for reading until the interruption"
        default: error.description
        }
    }

    private static func exitCode(_ code: CaptureError.Code) -> ExitCode {
        switch code {
        case .busy: .tempFail
        case .permissionDenied: .noPermission
        case .unplugged, .silent, .failed: .ioError
        default: .unavailable
        }
    }

    private static func exitCode(_ code: SpeechError.Code) -> ExitCode {
        switch code {
        case .noModel, .modelIncomplete, .modelLoadFailed, .downloadRefused, .programMissing: .unavailable
        case .ambiguousModel: .usage
        case .networkUnavailable: .tempFail
        case .archiveRefused: .dataError
        case .insufficientSpace: .cannotCreate
        case .notOwnModel: .noPermission
        case .vocabularyNotSupported: .configuration
        case .insufficientResources: .osError
        case .audioReadFailed: .ioError
        default: .software
        }
    }

    private static func exitCode(_ code: OutboxError.Code) -> ExitCode {
        switch code {
        case .notPermitted: .noPermission
        case .missing, .inTheWay: .cannotCreate
        case .busy: .tempFail
        case .insufficientResources: .osError
        case .invalid: .configuration
        case .tooLarge: .dataError
        default: .ioError
        }
    }
}

extension FileError {
    var exitCode: ExitCode {
        switch (operation, errno) {
        case (_, let code) where code.isShortage: .osError
        case (.open, _), (.read, EISDIR): .noInput
        case (.read, _): .ioError
        case (_, EACCES), (_, EPERM), (_, EROFS): .noPermission
        default: operation == .create ? .cannotCreate : .ioError
        }
    }
}
