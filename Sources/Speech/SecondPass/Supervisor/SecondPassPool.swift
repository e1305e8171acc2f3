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
    typealias MakeSupervisor =
        @Sendable (_ report: @escaping Report, _ reportGivenUp: @escaping Report) ->
        SecondPassSupervisor

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
        var clients: [UInt64: Listener] = [:]
        var lastClient: UInt64 = 0
        /// The first report of a worker that has stopped and is started again.
        var stopReport: String?
        var hasToldStop = false
        /// The reports of the workers that were given up.
        var givenUp: [String] = []

        /// The report that there is no second pass: a worker that was given up means nothing while another may work.
        var refusal: String? { givenUp.count == supervisors.count ? givenUp.last : nil }
    }

    private struct Listener {
        var report: Report
        var knowsRefusal = false
    }

    /// The most workers.
    let width: Int
    private let makeSupervisor: MakeSupervisor
    private let state: Mutex<State>

    init(width: Int, makeSupervisor: @escaping MakeSupervisor) {
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
        makeSupervisor { [weak self] sentence in
            self?.tell { $0.stopReport = $0.stopReport ?? sentence }
        } _: { [weak self] sentence in
            self?.tell { $0.givenUp.append(sentence) }
        }
    }

    /// Adds a client, for one stream.
    ///
    /// - Parameter report: receives a sentence when a worker stops for the first time, and when all are given up.
    func join(_ report: @escaping Report) -> Client {
        // A worker may have failed before there was a client.
        tell {
            $0.lastClient += 1
            $0.clients[$0.lastClient] = Listener(report: report)
            return Client(pool: self, identifier: $0.lastClient)
        }
    }

    /// Changes the state, and passes on what clients do not know yet: the first stop of a worker, since each of several
    /// would report the same, and that there is no second pass.
    private func tell<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        let (value, reports) = state.withLock { state in
            let value = change(&state)
            var reports: [(Report, String)] = []
            if let stop = state.stopReport, !state.hasToldStop, !state.clients.isEmpty {
                state.hasToldStop = true
                reports += state.clients.values.map { ($0.report, stop) }
            }
            if let refusal = state.refusal {
                for (identifier, listener) in state.clients where !listener.knowsRefusal {
                    state.clients[identifier]?.knowsRefusal = true
                    reports.append((listener.report, refusal))
                }
            }
            return (value, reports)
        }
        for (report, sentence) in reports { report(sentence) }
        return value
    }

    private func submit(_ request: Request) {
        let refusal = state.withLock { state -> SecondPassOutcome.Reason? in
            if state.clients[request.client] == nil { return .cancelled }
            if state.usableCount == 0 { return .unavailable }
            state.waiting.append(request)
            return nil
        }
        if let refusal { request.completion(.failed(refusal)) } else { assign() }
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
        for request in lost { request.completion(outcome) }
        assign()
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
                    // A request that waits for memory would hold up a file; another worker may have enough.
                    SecondPassSupervisor(
                        setup: setup, program: program, retriesShortages: false, report: $0, reportGivenUp: $1)
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

    /// Returns the number of workers: one for each core, but no more than fit into half of the free memory. One with a
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
