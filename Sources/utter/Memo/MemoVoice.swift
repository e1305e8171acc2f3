import Glibc
import Models
import Speech
import System

/// Whether a memo has a recognizer: not when the last use of its model ended badly, until the user wants to try again. On a thread of its
/// own, since disks may take long.
actor MemoVoice {
    private let executor = SerialDispatchExecutor(label: "utter.voice", for: .waiting)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let model: InstalledModel
    private let folder: String
    private var trial: ModelTrial?
    /// The mark stays for the next start.
    private var hasStopped = false
    private var isOver = false
    private let tries: AsyncStream<Void>
    private nonisolated let trying: AsyncStream<Void>.Continuation

    init(_ model: InstalledModel, folder: String = ModelTrial.defaultFolder()) {
        self.model = model
        self.folder = folder
        (tries, trying) = AsyncStream.makeStream()
    }

    /// Returns when the model may be loaded: at once, or when the user wants it to be tried again.
    ///
    /// - Parameter withhold: is told why it is not at once: a sentence.
    /// - Returns: false when the memo is over.
    func begin(withhold: @Sendable (String) -> Void) async -> Bool {
        // Where no marks can be made, memos go on without.
        if let verdict = (try? ModelTrial.verdict(on: model.path, in: folder)) ?? nil {
            withhold(Self.sentence(verdict, model.name))
            guard await tries.first(where: { true }) != nil else { return false }
        }
        if isOver { return false }
        trial = try? ModelTrial.begin(model.path, in: folder)
        CrashReport.note(in: trial?.descriptor ?? -1)
        return true
    }

    /// The user wants the model to be tried again.
    nonisolated func tryAgain() { trying.yield() }

    /// The model has loaded and has decoded something.
    func loaded() { try? trial?.loaded() }

    /// The recognizer does not return.
    func stopped() {
        try? trial?.stopped()
        hasStopped = true
    }

    /// The memo is over.
    func end() {
        isOver = true
        trying.finish()
        CrashReport.note(in: -1)
        if !hasStopped { try? trial?.end() }
    }

    private static func sentence(_ verdict: ModelTrial.Verdict, _ name: String) -> String {
        switch verdict {
        case .crashed: "no voice: \(name) crashed last time; Ctrl-P tries it again"
        case .stopped: "no voice: \(name) hung last time; Ctrl-P tries it again"
        case .diedLoading: "no voice: utter died while it loaded \(name); Ctrl-P tries it again"
        }
    }
}
