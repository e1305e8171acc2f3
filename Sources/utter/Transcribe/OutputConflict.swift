import Glibc
import System

extension TranscribeOptions {
    /// Refuses outputs that would replace an input, by whatever path or link, also as the part that an interruption leaves. A
    /// recording that was replaced by its text would be lost.
    func refuseOutputsOntoInputs() throws(UsageError) {
        var read: [FileIdentity: String] = [:]
        for path in inputs + [recognition.vocabularyFile, inputList].compactMap({ $0 }) {
            let identity = path == "-" ? FileIdentity(descriptor: STDIN_FILENO) : FileIdentity(path: path)
            if let identity { read[identity] = path == "-" ? "standard input" : path }
        }
        func check(_ identity: FileIdentity?, _ name: String) throws(UsageError) {
            guard let identity, let path = read[identity] else { return }
            let message =
                name == path
                ? "\(name) would be replaced by its own text"
                : "\(name) is the same file as \(path), which is to be read"
            throw CommandSpecification.transcribe.usageError(message + "; choose another output")
        }
        for path in outputPaths {
            try check(FileIdentity(path: path), path)
            try check(FileIdentity(path: path + AtomicOutput.partEnding), path + AtomicOutput.partEnding)
        }
        // Text that is appended to a recording, as with >>, would damage it too.
        if destination == .standardOutput { try check(FileIdentity(descriptor: STDOUT_FILENO), "standard output") }
    }

    private var outputPaths: [String] {
        switch destination {
        case .standardOutput: []
        case .file(let path): [path]
        case .folder(let folder): outputNames.joined().map { folder + "/" + $0 }
        }
    }
}
