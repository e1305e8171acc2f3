import Foundation
import Glibc
import Outbox

/// A mark on the disk while a process uses a model: the next one finds it when the model has ended this one.
///
/// The file is locked as long as its process lives, so that processes that run side by side don't accuse each other. Its first line
/// names the model; each line after it says what has become of that: `loaded`, `stopped` (the recognizer did not return), or the number
/// of the signal by which the recognizer died; 0 where the process died by one that was not its fault. Whatever ends in an orderly way removes its file.
final class ModelTrial: Sendable {
    /// How the last use of a model ended, where it did not end well.
    enum Verdict: Equatable, Sendable {
        /// The recognizer died by a signal.
        case crashed
        /// The recognizer did not return.
        case stopped
        /// The process died while it loaded the model; of what, nobody can say: it was killed, for want of memory or by the user, or the
        /// computer stopped. This is said once.
        case diedLoading
    }

    fileprivate struct Beginning: Codable, Equatable {
        /// Its path, links resolved.
        var model: String
        /// What its files were.
        var state: String
    }

    private static let loadedLine = "loaded"
    private static let stoppedLine = "stopped"
    private static let suffix = ".trial"

    private let name: String
    private let folder: String
    private let beginning: Beginning
    private let file: OpenFile
    /// Where a signal handler may add a line.
    var descriptor: Int32 { file.descriptor }

    private init(name: String, folder: String, beginning: Beginning, file: consuming OpenFile) {
        (self.name, self.folder, self.beginning) = (name, folder, beginning)
        self.file = file
    }

    /// `$XDG_STATE_HOME/utter/trials`
    static func defaultFolder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.state.utter(environment) + "/trials"
    }

    /// Marks that this process uses the model from now on. The mark is on the disk when it returns.
    ///
    /// - Throws: `OutboxError`
    static func begin(_ model: String, in folder: String) throws -> ModelTrial {
        let beginning = Beginning(model)
        let open = try OpenFolder(folder, .own)
        while true {
            let name = UUID().uuidString + suffix
            guard let file = try open.create(name) else { continue }
            try file.write(Array(try JSONEncoder().encode(beginning)) + Array("\n".utf8))
            try file.flush()
            try open.flush()
            return ModelTrial(name: name, folder: folder, beginning: beginning, file: file)
        }
    }

    /// The model has loaded and has decoded something: what it did before is forgiven.
    func loaded() throws {
        try add(Self.loadedLine)
        for mark in try Self.left(in: folder) where mark.beginning?.model == beginning.model { mark.remove() }
    }

    /// The recognizer does not return.
    func stopped() throws { try add(Self.stoppedLine) }

    /// The end is an orderly one.
    func end() throws {
        let open = try OpenFolder(folder, .own)
        _ = open.calls.unlink(open.descriptor, name)
    }

    private func add(_ line: String) throws { try file.write(Array((line + "\n").utf8)) }

    /// How the last use of the model ended, where it did not end well and the model is what it was. Removes what is out of date.
    ///
    /// - Parameter onlyLooks: leaves every mark as it is, for whoever is about to use the model.
    /// - Throws: `OutboxError`
    static func verdict(on model: String, in folder: String, onlyLooks: Bool = false) throws -> Verdict? {
        let beginning = Beginning(model)
        var verdicts: [Verdict] = []
        for mark in try left(in: folder) {
            let isOfModel = mark.beginning?.model == beginning.model
            guard let verdict = mark.verdict, !isOfModel || mark.beginning == beginning else {
                if !onlyLooks { mark.remove() }
                continue
            }
            guard isOfModel else { continue }
            if verdict == .diedLoading, !onlyLooks { mark.remove() }
            verdicts.append(verdict)
        }
        return [.crashed, .stopped, .diedLoading].first(where: verdicts.contains)
    }

    /// What a process that is dead has left.
    private struct Mark {
        var path: String
        /// Nil when the file is not whole.
        var beginning: Beginning?
        /// Nil when the process did not die of the model.
        var verdict: Verdict?

        func remove() { _ = unlink(path) }
    }

    private static func left(in folder: String) throws -> [Mark] {
        var status = stat()
        if lstat(folder, &status) != 0, errno == ENOENT { return [] }
        let open = try OpenFolder(folder, .own)
        var names: [String] = []
        _ = open.calls.names(open.descriptor) { name in
            if name.hasSuffix(suffix) { names.append(name) }
            return true
        }
        // What can't be read says nothing.
        return names.compactMap { name in (try? mark(name, in: open)) ?? nil }
    }

    /// - Returns: nil when the process lives, or it is no file.
    private static func mark(_ name: String, in folder: borrowing OpenFolder) throws -> Mark? {
        guard let file = try OpenFile(name, in: folder, flags: O_RDWR), try file.status().st_mode & S_IFMT == S_IFREG else { return nil }
        // Several may look at once, so nobody takes it for himself.
        guard folder.calls.lock(file.descriptor, LOCK_SH | LOCK_NB) == 0 else { return nil }
        let lines = try file.readAll().split(separator: UInt8(ascii: "\n")).map { Data($0) }
        let beginning = lines.first.flatMap { try? JSONDecoder().decode(Beginning.self, from: $0) }
        let rest = lines.dropFirst().map { String(decoding: $0, as: UTF8.self) }
        return Mark(path: folder.path(of: name), beginning: beginning, verdict: beginning == nil ? nil : verdict(rest))
    }

    private static func verdict(_ lines: [String]) -> Verdict? {
        let signals = lines.compactMap { Int($0) }
        if signals.contains(where: { $0 > 0 }) { return .crashed }
        if lines.contains(stoppedLine) { return .stopped }
        return lines.contains(loadedLine) || !signals.isEmpty ? nil : .diedLoading
    }
}

extension ModelTrial.Beginning {
    fileprivate init(_ model: String) {
        let resolved = realpath(model, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? model
        self.init(model: path, state: Self.state(of: path))
    }

    /// Another one when a file of the model is.
    private static func state(of path: String) -> String {
        var lines: [String] = []
        for folder in ["", "/am", "/conf", "/graph", "/graph/phones", "/ivector", "/rescore", "/rnnlm"] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: path + folder)) ?? [] {
                var status = stat()
                guard stat("\(path)\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                lines.append("\(folder)/\(name) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)")
            }
        }
        return CRC32.digits(of: Array(lines.sorted().joined(separator: "\n").utf8))
    }
}
