/// The progress of an installation.
public struct InstallationProgress: Hashable, Sendable {
    /// The phase of an installation.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// The installation has not begun.
        case idle
        /// Another process is installing the same model.
        case waiting
        /// The official list is being downloaded.
        case listing
        /// The model is being downloaded.
        case downloading
        /// The checksum is being computed.
        case verifying
        case unpacking
        /// A local file is being copied into the store.
        case copying
        /// The model is installed.
        case installed
    }

    /// The current phase.
    public internal(set) var phase = Phase.idle
    /// The bytes completed in this phase.
    public internal(set) var completedBytes = 0
    /// The bytes of the whole phase; nil if they are not known.
    public internal(set) var totalBytes: Int?
    /// The speed over the last five seconds; nil until it can be measured.
    public internal(set) var bytesPerSecond: Double?

    /// The completed fraction of this phase, 0…1; 0 as long as its size is not known.
    public var fractionCompleted: Double { knownFraction ?? (isFinished ? 1 : 0) }

    /// Whether the model is installed.
    public var isFinished: Bool { phase == .installed }

    /// The completed fraction of this phase, 0…1; nil if its size is not known.
    package var knownFraction: Double? {
        totalBytes.map { $0 > 0 ? min(1, Double(completedBytes) / Double($0)) : 1 }
    }

    /// The seconds left in this phase, at the current speed.
    public var secondsLeft: Double? {
        guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, totalBytes - completedBytes)) / bytesPerSecond
    }

    /// Creates the progress of an installation that has not begun.
    public init() {}
}

/// Measures the speed of an installation, and decides when to report progress. It is pure: the caller passes the time.
struct ProgressMeter {
    /// The seconds over which the speed is measured.
    private static let window = 5.0
    /// The shortest time between two reports, in seconds.
    private static let interval = 0.1

    private(set) var progress = InstallationProgress()
    private var marks: [(time: Double, bytes: Int)] = []
    private var told = -Double.infinity

    mutating func begin(_ phase: InstallationProgress.Phase, total: Int? = nil) {
        progress = InstallationProgress()
        progress.phase = phase
        progress.totalBytes = total
        marks = []
        told = -.infinity
    }

    /// Records progress.
    ///
    /// - Parameters:
    ///   - completed: the bytes completed in this phase.
    ///   - total: the bytes of the whole phase, if they are known.
    ///   - time: the time in seconds on a monotonic clock.
    /// - Returns: whether to report the progress.
    mutating func take(_ completed: Int, of total: Int?, at time: Double) -> Bool {
        // A download that starts over has no speed yet.
        if let last = marks.last, completed < last.bytes { marks = [] }
        progress.completedBytes = completed
        progress.totalBytes = total
        let isLast = completed == total
        guard isLast || time - told >= Self.interval else { return false }
        told = time
        marks.append((time, completed))
        while marks.count > 2, marks[1].time <= time - Self.window { marks.removeFirst() }
        let (first, last) = (marks[0], marks[marks.count - 1])
        progress.bytesPerSecond =
            last.time > first.time ? Double(last.bytes - first.bytes) / (last.time - first.time) : nil
        return true
    }
}
