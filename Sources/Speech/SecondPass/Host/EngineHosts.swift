import Foundation
import Glibc
import Synchronization
import System

/// The hosts of the process, which the streams with the same setup share.
enum EngineHosts {
    fileprivate struct Key: Hashable {
        var setup: WorkerSetup
        var program: String
        var width: Int
    }

    private struct Entry {
        weak var lease: Lease?
        /// The lease of a host that stays when no stream uses it.
        var kept: Lease?
    }

    private static let hosts = Mutex<[Key: Entry]>([:])

    /// The use of a host by streams. When the last one lets go of it, the host is closed, unless it is kept for the next
    /// file.
    final class Lease: Sendable {
        let host: EngineHost

        fileprivate init(_ host: EngineHost) { self.host = host }
        deinit { host.close() }
    }

    /// Returns the use of the host for a setup. One that has given up is left to the streams that use it.
    ///
    /// - Parameters:
    ///   - width: the most workers; fewer if not as many fit into half of the free memory.
    ///   - isKept: whether the host stays when no stream uses it.
    ///   - report: receives a sentence when a worker stops for the first time; that of the first stream is called.
    static func lease(
        _ setup: WorkerSetup, program: String, width: Int, isKept: Bool, report: @escaping @Sendable (String) -> Void
    ) -> Lease {
        hosts.withLock { hosts in
            let key = Key(setup: setup, program: program, width: width)
            hosts = hosts.filter { $0.value.lease != nil }
            var lease = hosts[key]?.lease
            if lease?.host.isUsable != true {
                let width = Self.width(cores: width, memory: Memory.available, modelSize: size(setup.model))
                lease = Lease(EngineHost(setup: setup, width: width, program: program, report: report))
                hosts[key] = Entry(lease: lease)
            }
            if isKept { hosts[key]?.kept = lease }
            return lease!
        }
    }

    /// Closes every host that no stream uses any more.
    static func endRetention() {
        // A lease that goes closes its host, after the lock is open again.
        let released = hosts.withLock { hosts in
            hosts.keys.map { key in
                defer { hosts[key]?.kept = nil }
                return hosts[key]?.kept
            }
        }
        _ = released
    }

    private static func size(_ path: String) -> Int { stat(path).map { Int($0.st_size) } ?? 0 }

    /// Returns the number of workers: no more than fit into half of the free memory. One with a model of 79 MB takes
    /// 190 MB.
    ///
    /// - Parameter memory: the free memory in bytes; nil if it is not known.
    static func width(cores: Int, memory: Int?, modelSize: Int) -> Int {
        let fitting = memory.map { $0 / 2 / (2 * modelSize + (32 << 20)) } ?? 1
        return max(1, min(cores, fitting))
    }
}
