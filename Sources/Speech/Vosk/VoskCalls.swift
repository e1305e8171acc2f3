import CVosk
import Glibc
import System

/// The calls into libvosk, which a process of its own makes. A test can replace each to see what its failure does. A model's pointer is
/// one to its connection, and so is a recognizer's.
struct VoskCalls: Sendable {
    var modelNew: @Sendable (_ path: String) -> OpaquePointer? = { load($0) }
    var modelFree: @Sendable (_ model: OpaquePointer) -> Void = { release($0) }
    var modelFindWord: @Sendable (_ model: OpaquePointer, _ word: String) -> Int32 = {
        connection($0).value(.findWord, text: $1) ?? -1
    }
    /// How the process of a model or recognizer has ended, as the end of a sentence; nil while it runs.
    var endOfProcess: @Sendable (_ pointer: OpaquePointer) -> String? = { connection($0).process.end }
    /// Makes a recognizer for sound at a rate in Hz, which gives the times of the words of final results.
    var recognizerNew:
        @Sendable (_ model: OpaquePointer, _ rate: Int, _ configuration: RecognizerConfiguration) -> OpaquePointer? = {
            model, rate, configuration in
            let alternatives = Float(configuration.maximumAlternatives)
            let numbers = (Float(rate), alternatives, Float(configuration.volatileWordTimes ? 1 : 0))
            guard let connection = try? connection(model).process.connect(),
                connection.value(.makeRecognizer, numbers, text: configuration.grammar) == 1
            else { return nil }
            return retained(connection)
        }
    var recognizerFree: @Sendable (_ recognizer: OpaquePointer) -> Void = { release($0) }
    var recognizerAccept:
        @Sendable (_ recognizer: OpaquePointer, _ samples: UnsafePointer<Int16>, _ count: Int32) -> Int32 = {
            connection($0).value(.accept, UnsafeRawBufferPointer(start: $1, count: 2 * Int($2))) ?? -1
        }
    var recognizerResult: @Sendable (_ recognizer: OpaquePointer) -> UnsafePointer<CChar>? = {
        connection($0).text(.result)
    }
    var recognizerPartialResult: @Sendable (_ recognizer: OpaquePointer) -> UnsafePointer<CChar>? = {
        connection($0).text(.partialResult)
    }
    var recognizerFinalResult: @Sendable (_ recognizer: OpaquePointer) -> UnsafePointer<CChar>? = {
        connection($0).text(.finalResult)
    }

    /// The calls of a process.
    static let library = VoskCalls()

    /// Loads a model in a process, and in another one if that is killed meanwhile. A model at which libvosk crashes is loaded once.
    ///
    /// - Parameter started: receives each process before it loads.
    static func load(_ path: String, started: (VoskProcess) -> Void = { _ in }) -> OpaquePointer? {
        do throws(FileError) {
            for attempt in 1...mostLoads {
                let process = try VoskProcess()
                started(process)
                let connection = try process.connect()
                if connection.value(.load, text: path, limit: VoskProcess.longestLoad) == 1 {
                    return retained(connection)
                }
                if process.wasKilledByOthers, attempt < mostLoads { continue }
                if let end = process.end { SpeechLog.receive(.error, "the process that loads it \(end)") }
                return nil
            }
        } catch {
            SpeechLog.receive(.error, error.description)
        }
        return nil
    }

    /// The number of processes that may be killed while they load a model.
    private static let mostLoads = 3

    private static func retained(_ connection: VoskConnection) -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(connection).toOpaque())
    }

    static func connection(_ pointer: OpaquePointer) -> VoskConnection {
        Unmanaged<VoskConnection>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    private static func release(_ pointer: OpaquePointer) {
        Unmanaged<VoskConnection>.fromOpaque(UnsafeRawPointer(pointer)).release()
    }
}
