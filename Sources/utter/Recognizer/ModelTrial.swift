import Foundation
import Glibc
import Outbox
import System

/// A mark on the disk while a process uses a model. The next process finds it if the model has crashed this one.
///
/// The file is locked while its process runs, so that two processes do not blame each other. Its first line names the model; each
/// line after it says what happened: `loaded`, `stopped` (the recognizer did not return), or the number of the signal that ended the
/// process, which is 0 if the recognizer did not cause it. A process that ends normally removes its file.
final class ModelTrial: Sendable {
    /// How the last use of a model ended, if it did not end well.
    enum Verdict: Equatable, Sendable {
        /// The recognizer crashed.
        case crashed
        /// The recognizer did not return.
        case stopped
        /// The process ended while it loaded the model, for an unknown reason: it was killed, by the user or for lack of memory, or the
        /// computer stopped. This is reported once.
        case diedLoading
    }

    fileprivate struct Beginning: Codable, Equatable {
        /// The model's path, with symbolic links resolved.
        var model: String
        /// A checksum of the names, sizes and times of the model's files.
        var state: String
    }

    private static let loadedLine = "loaded"
    private static let stoppedLine = "stopped"
    private static let suffix = ".trial"

    private let name: String
    private let folder: String
    private let beginning: Beginning
    private let file: OpenFile
    /// The file's descriptor, for a signal handler that adds a line.
    var descriptor: Int32 { file.descriptor }

    private init(name: String, folder: String, beginning: Beginning, file: consuming OpenFile) {
        (self.name, self.folder, self.beginning) = (name, folder, beginning)
        self.file = file
    }

    /// The folder of the marks: `$XDG_STATE_HOME/utter/trials`.
    static func defaultFolder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        BaseFolder.state.utter(environment) + "/trials"
    }

    /// Marks that this process uses a model from now on. When this returns, the mark is on the disk.
    ///
    /// - Throws: `OutboxError` when the mark can't be written.
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

    /// Records that the model has loaded and decoded sound, and removes the marks of its earlier faults.
    func loaded() throws {
        try add(Self.loadedLine)
        for mark in try Self.left(in: folder) where mark.beginning?.model == beginning.model { mark.remove() }
    }

    /// Records that the recognizer does not return.
    func stopped() throws { try add(Self.stoppedLine) }

    /// Removes the mark, at the normal end of the process.
    func end() throws {
        let open = try OpenFolder(folder, .own)
        _ = open.calls.unlink(open.descriptor, name)
    }

    private func add(_ line: String) throws { try file.write(Array((line + "\n").utf8)) }

    /// How the last use of a model ended, if it did not end well and the model's files are the same. Removes marks that are out of date.
    ///
    /// - Parameters:
    ///   - model: the path of the model.
    ///   - folder: the folder of the marks.
    ///   - onlyLooks: whether to leave every mark for the process that will use the model.
    /// - Throws: `OutboxError` when the folder can't be read.
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

    /// The mark of a process that has ended.
    private struct Mark {
        var path: String
        /// The model; nil when the file is not complete.
        var beginning: Beginning?
        /// The verdict; nil when the model did not end the process.
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
        // Marks that can't be read are ignored.
        return names.compactMap { name in (try? mark(name, in: open)) ?? nil }
    }

    /// Reads a mark.
    ///
    /// - Returns: nil when its process is running, or it is not a regular file.
    private static func mark(_ name: String, in folder: borrowing OpenFolder) throws -> Mark? {
        guard let file = try OpenFile(name, in: folder, flags: O_RDWR), try file.status().st_mode & S_IFMT == S_IFREG
        else { return nil }
        // A shared lock, for several processes may read at once.
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

    /// A checksum of the names, sizes and times of a model's files.
    private static func state(of path: String) -> String {
        var lines: [String] = []
        for folder in ["", "/am", "/conf", "/graph", "/graph/phones", "/ivector", "/rescore", "/rnnlm"] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: path + folder)) ?? [] {
                var status = stat()
                guard stat("\(path)\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    continue
                }
                lines.append("\(folder)/\(name) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)")
            }
        }
        return CRC32.digits(of: Array(lines.sorted().joined(separator: "\n").utf8))
    }
}
