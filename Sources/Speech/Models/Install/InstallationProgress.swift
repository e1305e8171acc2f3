/// How far an installation is.
public struct InstallationProgress: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Nothing has begun.
        case idle
        /// Another process installs the same model.
        case waiting
        /// The official list is being fetched.
        case listing
        case downloading
        /// The checksum is being computed.
        case verifying
        case unpacking
        /// A file that is here already gets a copy among the models.
        case copying
        case installed
    }

    public internal(set) var phase = Phase.idle
    /// Of this phase, in bytes.
    public internal(set) var completedBytes = 0
    /// Of this phase, in bytes; nil when it isn't known.
    public internal(set) var totalBytes: Int?
    /// Over the last seconds; nil until there is something to measure.
    public internal(set) var bytesPerSecond: Double?

    /// Of this phase, from 0 to 1.
    public var fractionCompleted: Double? {
        totalBytes.map { $0 > 0 ? min(1, Double(completedBytes) / Double($0)) : 1 }
    }

    /// Of this phase, at this speed.
    public var secondsLeft: Double? {
        guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, totalBytes - completedBytes)) / bytesPerSecond
    }

    public init() {}
}

/// Measures the speed of an installation, and says when there is something worth telling. Pure: it is told the time.
struct ProgressMeter {
    /// Seconds that the speed is taken over, and between two tellings.
    private static let window = 5.0
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

    /// - Parameter time: in seconds, of a clock that only goes forward.
    /// - Returns: whether to tell.
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
        progress.bytesPerSecond = last.time > first.time ? Double(last.bytes - first.bytes) / (last.time - first.time) : nil
        return true
    }
}
