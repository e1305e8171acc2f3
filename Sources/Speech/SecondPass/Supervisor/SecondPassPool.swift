import Foundation
import Glibc
import Synchronization
import System

/// The second pass of files, in which no one waits for the next sentence, so that utterances are decoded in parallel.
///
/// libtranscribe runs one decoding per model at a time, so this takes several workers, each of which loads the model.
/// All files, channels and jobs of a process with the same setup share them, and another worker is started only when
/// all are busy. The text does not depend on the worker.
final class SecondPassPool: Sendable {
    typealias Completion = SecondPassSupervisor.Completion
    typealias Report = @Sendable (String) -> Void

    private struct Request {
        var client: UInt64
        var samples: [Int16]
        var hasTwoThreads: Bool
        var completion: Completion

        /// The number of threads that it takes of the pool's, which has `width`.
        func share(of width: Int) -> Int { hasTwoThreads ? min(2, width) : 1 }
    }

    private struct State {
        /// The workers, nil until they are started.
        var supervisors: [SecondPassSupervisor?]
        /// The indices of idle workers, the next one last. A worker that was given up is not among them.
        var idle: [Int]
        var usableCount: Int
        /// The number of threads that may still be started: threads without a core of their own hold the others up.
        var freeThreads: Int
        var waiting: [Request] = []
        var clients: [UInt64: Report] = [:]
        var lastClient: UInt64 = 0
        /// The last report of a worker.
        var lastReport: String?
        /// The last report that was passed on to the clients.
        var toldReport: String?
    }

    /// The most workers.
    let width: Int
    private let makeSupervisor: @Sendable (_ report: @escaping Report) -> SecondPassSupervisor
    private let state: Mutex<State>

    init(width: Int, makeSupervisor: @escaping @Sendable (_ report: @escaping Report) -> SecondPassSupervisor) {
        self.width = width
        self.makeSupervisor = makeSupervisor
        state = Mutex(
            State(
                supervisors: Array(repeating: nil, count: width), idle: (0..<width).reversed(), usableCount: width,
                freeThreads: width))
        // Load the model while the first pass begins.
        state.withLock { $0.supervisors[0] = newSupervisor() }
    }

    deinit { for supervisor in state.withLock({ $0.supervisors }) { supervisor?.close() } }

    private func newSupervisor() -> SecondPassSupervisor {
        makeSupervisor { [weak self] in self?.note($0) }
    }

    /// Adds a client, for one stream.
    ///
    /// - Parameter report: receives a sentence when a worker stops for the first time, and when all are given up.
    func join(_ report: @escaping Report) -> Client {
        let (identifier, refusal) = state.withLock { state in
            state.lastClient += 1
            state.clients[state.lastClient] = report
            // A worker may have failed before there was a client.
            let isUntold = state.toldReport == nil && state.lastReport != nil
            if isUntold { state.toldReport = state.lastReport }
            return (state.lastClient, isUntold || state.usableCount == 0 ? state.lastReport : nil)
        }
        refusal.map(report)
        return Client(pool: self, identifier: identifier)
    }

    private func submit(_ request: Request) {
        let isUsable = state.withLock { state in
            if state.usableCount > 0 { state.waiting.append(request) }
            return state.usableCount > 0
        }
        if isUsable { assign() } else { request.completion(.failed(.unavailable)) }
    }

    private func leave(_ client: UInt64) {
        let left = state.withLock { state in
            state.clients[client] = nil
            defer { state.waiting.removeAll { $0.client == client } }
            return state.waiting.filter { $0.client == client }
        }
        for request in left { request.completion(.failed(.cancelled)) }
    }

    /// Passes waiting requests to idle workers.
    private func assign() {
        while let (place, supervisor, request) = nextAssignment() {
            // The completion retains the pool until the outcome.
            supervisor.decode(request.samples, hasTwoThreads: request.hasTwoThreads, timeout: nil) { [self] outcome in
                take(outcome, of: request, from: place)
            }
        }
    }

    private func nextAssignment() -> (Int, SecondPassSupervisor, Request)? {
        state.withLock { state in
            guard let share = state.waiting.first?.share(of: width), share <= state.freeThreads,
                let place = state.idle.popLast()
            else { return nil }
            state.freeThreads -= share
            let supervisor = state.supervisors[place] ?? newSupervisor()
            state.supervisors[place] = supervisor
            return (place, supervisor, state.waiting.removeFirst())
        }
    }

    private func take(_ outcome: SecondPassOutcome, of request: Request, from place: Int) {
        state.withLock { $0.freeThreads += request.share(of: width) }
        guard outcome == .failed(.unavailable) else {
            state.withLock { $0.idle.append(place) }
            request.completion(outcome)
            return assign()
        }
        // The worker was given up; the others continue.
        let lost = state.withLock { state in
            state.usableCount -= 1
            state.waiting.insert(request, at: 0)
            if state.usableCount > 0 { return [Request]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        if !lost.isEmpty { tell(isLast: true) }
        for request in lost { request.completion(outcome) }
        assign()
    }

    private func note(_ sentence: String) {
        state.withLock { $0.lastReport = sentence }
        tell(isLast: false)
    }

    /// Passes on the first report and the last, since each of several workers would report the same.
    private func tell(isLast: Bool) {
        let (sentence, reports) = state.withLock { state -> (String, [Report]) in
            guard let sentence = state.lastReport, state.toldReport == nil || (isLast && state.toldReport != sentence),
                !state.clients.isEmpty
            else { return ("", []) }
            state.toldReport = sentence
            return (sentence, Array(state.clients.values))
        }
        for report in reports { report(sentence) }
    }

    /// The part of one stream in the pool.
    final class Client: SecondPassService {
        private let pool: SecondPassPool
        private let identifier: UInt64

        fileprivate init(pool: SecondPassPool, identifier: UInt64) { (self.pool, self.identifier) = (pool, identifier) }
        deinit { close() }

        var width: Int { pool.width }

        /// Decodes samples. A pool ignores `timeout`.
        func decode(
            _ samples: [Int16], hasTwoThreads: Bool = false, timeout: Duration?, completion: @escaping Completion
        ) {
            pool.submit(
                Request(client: identifier, samples: samples, hasTwoThreads: hasTwoThreads, completion: completion))
        }

        /// Does nothing: in a file an utterance has ended by the time it could be decoded ahead.
        func decodeAhead(_ samples: [Int16]) {}
        func endDecodingAhead() {}

        func close() { pool.leave(identifier) }
    }
}

/// The pools of the process.
extension SecondPassPool {
    private struct Key: Hashable {
        var setup: WorkerSetup
        var program: String
    }

    private struct Entry {
        weak var pool: SecondPassPool?
        /// Keeps the pool until the next file.
        var kept: SecondPassPool?
    }

    private static let shared = Mutex<[Key: Entry]>([:])

    /// Returns the pool for a setup and a program.
    ///
    /// - Parameter isKept: whether the pool stays when it has no client.
    static func shared(_ setup: WorkerSetup, program: String, isKept: Bool) -> SecondPassPool {
        shared.withLock { pools in
            let key = Key(setup: setup, program: program)
            let pool =
                pools[key]?.pool
                ?? SecondPassPool(width: width(for: setup.model)) {
                    SecondPassSupervisor(setup: setup, program: program, report: $0)
                }
            pools[key] = Entry(pool: pool, kept: isKept ? pool : pools[key]?.kept)
            return pool
        }
    }

    private static func width(for model: String) -> Int {
        var status = stat()
        let size = stat(model, &status) == 0 ? Int(status.st_size) : 0
        return width(cores: ProcessInfo.processInfo.activeProcessorCount, memory: Memory.available, modelSize: size)
    }

    /// Returns the number of workers: as many as there are cores, and memory, of which they may use half. One with a
    /// model of 79 MB takes 190 MB.
    ///
    /// - Parameters:
    ///   - cores: the number of cores.
    ///   - memory: the free memory in bytes; nil if it is not known.
    ///   - modelSize: the size of the model's file, in bytes.
    static func width(cores: Int, memory: Int?, modelSize: Int) -> Int {
        let fitting = memory.map { $0 / 2 / (2 * modelSize + (32 << 20)) } ?? 1
        return max(1, min(cores, fitting))
    }
}
