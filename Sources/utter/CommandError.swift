import Audio
import Glibc
import Models
import Outbox
import Speech
import System

/// An error as the command reports it: one line on the standard error and an exit code.
struct CommandError: Error {
    /// A sentence without its full stop. Dangerous characters are made visible when it is printed.
    var message: String
    var exitCode: ExitCode
    /// Whether every other file would fail in the same way, because the model is broken or the disk is full.
    var concernsAll = false

    init(_ message: String, _ exitCode: ExitCode) {
        self.message = message
        self.exitCode = exitCode
    }

    /// Creates the error for one that a library throws.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as FileError:
            self.init(Self.description(error), error.exitCode)
        case let error as OutboxError: self.init(error.description, Self.exitCode(error.code))
        case let error as WAVError: self.init(error.description, .dataError)
        case var error as CaptureError:
            error.device = CaptureOptions.shownName(error.device)
            let surroundings = Surroundings()
            self.init(
                error.words(machineHasSound: surroundings.hasSoundServer || surroundings.hasSoundCard),
                Self.exitCode(error.code))
        case let error as SampleRateError: self.init(error.description, .dataError)
        case let error as SpeechError:
            self.init(error.description, Self.exitCode(error.code))
            concernsAll = exitCode == .unavailable
        case is CancellationError: self.init("interrupted", .interrupted)
        default:
            // The description of an unknown error is not for users, and may hold anything.
            let code = error.systemErrorNumber
            if code == 0 {
                self.init("something failed inside utter (\(type(of: error)))", .software)
            } else {
                self.init(
                    "the system refused something: \(code.systemErrorText)", code.isShortage ? .osError : .ioError)
            }
        }
    }

    private static func description(_ error: FileError) -> String {
        switch (error.operation, error.errno) {
        // Existing files are not overwritten.
        case (.create, EEXIST): error.description + "; choose another name"
        case (.create, ELOOP) where isLoop(error.path):
            "can't create \(error.path): the symbolic links there lead in a circle; remove one of them, or choose another name"
        case (.create, ELOOP):
            "can't create \(error.path): a symbolic link leads to it from a folder that others may write to; "
                + "give the file that is meant, or remove the link"
        case (.create, EINTR): "can't create \(error.path): nobody has opened it for reading until the interruption"
        default: error.description
        }
    }

    /// Whether the system too finds more symbolic links on a path than it follows. stat(2)
    private static func isLoop(_ path: String) -> Bool { stat(path) == nil && errno == ELOOP }

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

extension CaptureError {
    /// A sentence for the user, with the first of ALSA's messages.
    ///
    /// - Parameter machineHasSound: whether there is a sound card or a sound server.
    func words(machineHasSound: Bool) -> String {
        if code == .noDevice, device == "default", !machineHasSound {
            return "there is no microphone: neither a sound card nor PulseAudio or PipeWire is there; "
                + "connect a microphone, or start the sound server"
        }
        return brief
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
