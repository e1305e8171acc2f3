import Glibc
import Models
import Speech
import System

/// Decides whether a memo may load its model. A model whose last use ended badly is not loaded until the user wants to try it again.
/// The actor has its own thread, since disks may be slow.
actor MemoVoice {
    private let executor = SerialDispatchExecutor(label: "utter.voice", for: .waiting)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let model: InstalledModel
    private let folder: String
    private var trial: ModelTrial?
    /// Whether the recognizer does not return; the mark on the disk then stays for the next start.
    private var hasStopped = false
    private var isOver = false
    private let tries: AsyncStream<Void>
    private nonisolated let trying: AsyncStream<Void>.Continuation

    init(_ model: InstalledModel, folder: String = ModelTrial.defaultFolder()) {
        self.model = model
        self.folder = folder
        (tries, trying) = AsyncStream.makeStream()
    }

    /// Waits until the model may be loaded: at once, unless its last use ended badly, and then when the user wants to try it again.
    ///
    /// - Parameter withhold: called before waiting, with a sentence that says why the model is not loaded.
    /// - Returns: false when the memo is over.
    func begin(withhold: @Sendable (String) -> Void) async -> Bool {
        // If the marks can't be read or written, the memo goes on without them.
        if let verdict = (try? ModelTrial.verdict(on: model.path, in: folder)) ?? nil {
            withhold(Self.sentence(verdict, model.name))
            guard await tries.first(where: { true }) != nil else { return false }
        }
        if isOver { return false }
        trial = try? ModelTrial.begin(model.path, in: folder)
        CrashReport.note(in: trial?.descriptor ?? -1)
        return true
    }

    /// Ends the waiting of `begin`, because the user wants to try the model again.
    nonisolated func tryAgain() { trying.yield() }

    /// Records that the model has loaded and decoded something.
    func loaded() { try? trial?.loaded() }

    /// Records that the recognizer does not return.
    func stopped() {
        try? trial?.stopped()
        hasStopped = true
    }

    /// Ends the use of the model, because the memo is over, and removes the mark unless the recognizer does not return.
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
