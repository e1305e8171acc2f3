import Models
import Speech

/// The progress of an installation as a line of text.
struct InstallationLine {
    var name: String
    var progress: InstallationProgress

    /// The line for a width in columns. What matters less is left out first: the sizes, the speed, the name.
    func text(width: Int) -> String {
        let name = TerminalText.visible(name)
        for parts in [
            [name, verb, amount, percent, speed, left], [name, verb, percent, speed, left],
            [name, verb, percent, left],
            [verb, percent, left], [verb, percent],
        ] {
            let text = parts.compactMap { $0 }.joined(separator: "  ")
            if displayWidth(text) <= width { return text }
        }
        return String(prefix(of: percent ?? verb, fitting: max(0, width)))
    }

    private var verb: String {
        switch progress.phase {
        case .idle: "waiting"
        case .waiting: "another utter is installing it"
        case .listing: "fetching the list"
        case .downloading: "downloading"
        case .verifying: "verifying"
        case .unpacking: "unpacking"
        case .copying: "copying"
        case .installed: "installed"
        }
    }

    private var amount: String? {
        guard [.downloading, .unpacking, .copying].contains(progress.phase) else { return nil }
        let done = megabytes(progress.completedBytes)
        return progress.totalBytes.map { "\(done) of \(megabytes($0)) MB" } ?? "\(done) MB"
    }

    /// The share that is done, rounded down, so that only a complete one is 100 %.
    private var percent: String? {
        guard progress.completedBytes > 0 else { return nil }
        return progress.knownFraction.map { "\(Int($0 * 100))%" }
    }

    private var speed: String? {
        guard progress.phase == .downloading, let speed = progress.bytesPerSecond,
            progress.completedBytes != progress.totalBytes
        else {
            return nil
        }
        return megabytes(Int(min(speed, 1e15))) + " MB/s"
    }

    private var left: String? {
        guard let left = progress.secondsLeft, progress.completedBytes != progress.totalBytes else { return nil }
        return ProgressLine.clock(left.rounded(.up)) + " left"
    }

    private func megabytes(_ bytes: Int) -> String { Decimals.fixed(Double(bytes) / 1e6, decimals: 1) }
}
