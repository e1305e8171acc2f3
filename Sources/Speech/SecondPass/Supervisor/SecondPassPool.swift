import Audio
import Foundation
import Glibc
import Synchronization

/// The second pass of files, of which nobody waits for the next sentence: utterances are decoded side by side. The library computes one run a
/// model at a time, so that takes several workers. All files, channels and jobs of a process that ask for the same share them, and each loads
/// the model once; it is started when the others are all at work. Which of them decodes an utterance does not show in its text.
final class SecondPassPool: Sendable {
    typealias Completion = SecondPassSupervisor.Completion
    typealias Report = @Sendable (String) -> Void

    private struct Request {
        var client: UInt64
        var samples: [Int16]
        var findsSegments: Bool
        var completion: Completion
    }

    private struct State {
        /// Nil where none has been started.
        var supervisors: [SecondPassSupervisor?]
        /// Those that have nothing to do, the next last. One that is of no more use is not among them.
        var idle: [Int]
        var usableCount: Int
        var waiting: [Request] = []
        var clients: [UInt64: Report] = [:]
        var lastClient: UInt64 = 0
        /// What was last wrong, and what the clients were told.
        var lastReport: String?
        var toldReport: String?
    }

    /// How many workers there are, at most.
    let width: Int
    private let makeSupervisor: @Sendable (_ report: @escaping Report) -> SecondPassSupervisor
    private let state: Mutex<State>

    init(width: Int, makeSupervisor: @escaping @Sendable (_ report: @escaping Report) -> SecondPassSupervisor) {
        self.width = width
        self.makeSupervisor = makeSupervisor
        state = Mutex(State(supervisors: Array(repeating: nil, count: width), idle: (0..<width).reversed(), usableCount: width))
        // It loads while the first pass already hears.
        state.withLock { $0.supervisors[0] = newSupervisor() }
    }

    deinit { for supervisor in state.withLock({ $0.supervisors }) { supervisor?.close() } }

    private func newSupervisor() -> SecondPassSupervisor {
        makeSupervisor { [weak self] in self?.note($0) }
    }

    /// A part in it, for one stream.
    ///
    /// - Parameter report: gets a sentence when a worker stops for the first time, and when there is none any more.
    func join(_ report: @escaping Report) -> Client {
        let (identifier, refusal) = state.withLock { state in
            state.lastClient += 1
            state.clients[state.lastClient] = report
            // A worker may have failed before anybody was there to be told.
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

    /// Gives what waits to those who have nothing to do.
    private func assign() {
        while let (place, supervisor, request) = nextAssignment() {
            // It keeps the pool until then.
            supervisor.decode(request.samples, findsSegments: request.findsSegments, timeout: nil) { [self] outcome in
                take(outcome, of: request, from: place)
            }
        }
    }

    private func nextAssignment() -> (Int, SecondPassSupervisor, Request)? {
        state.withLock { state in
            guard !state.waiting.isEmpty, let place = state.idle.popLast() else { return nil }
            let supervisor = state.supervisors[place] ?? newSupervisor()
            state.supervisors[place] = supervisor
            return (place, supervisor, state.waiting.removeFirst())
        }
    }

    private func take(_ outcome: SecondPassOutcome, of request: Request, from place: Int) {
        guard outcome == .failed(.unavailable) else {
            state.withLock { $0.idle.append(place) }
            request.completion(outcome)
            return assign()
        }
        // It has given up. Others may go on.
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

    /// Says the first thing that is wrong, and the last: of several workers each would say it.
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

    /// What one stream has of the pool.
    final class Client: SecondPassService {
        private let pool: SecondPassPool
        private let identifier: UInt64

        fileprivate init(pool: SecondPassPool, identifier: UInt64) { (self.pool, self.identifier) = (pool, identifier) }
        deinit { close() }

        var width: Int { pool.width }

        /// In a pool nothing is late.
        func decode(_ samples: [Int16], findsSegments: Bool = false, timeout: Duration?, completion: @escaping Completion) {
            pool.submit(Request(client: identifier, samples: samples, findsSegments: findsSegments, completion: completion))
        }

        /// In a file an utterance has ended as soon as it could be begun ahead.
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
        /// For the time until the next file.
        var kept: SecondPassPool?
    }

    private static let shared = Mutex<[Key: Entry]>([:])

    /// The pool of all that ask for the same.
    ///
    /// - Parameter isKept: whether it stays when nobody has a part in it.
    static func shared(_ setup: WorkerSetup, program: String, isKept: Bool) -> SecondPassPool {
        shared.withLock { pools in
            let key = Key(setup: setup, program: program)
            let pool =
                pools[key]?.pool
                ?? SecondPassPool(width: width(for: setup.model)) { SecondPassSupervisor(setup: setup, program: program, report: $0) }
            pools[key] = Entry(pool: pool, kept: isKept ? pool : pools[key]?.kept)
            return pool
        }
    }

    private static func width(for model: String) -> Int {
        var status = stat()
        let size = stat(model, &status) == 0 ? Int(status.st_size) : 0
        return width(cores: ProcessInfo.processInfo.activeProcessorCount, memory: Memory.available, modelSize: size)
    }

    /// As many workers as have cores for their threads, and room in half of the memory: one with a model of 79 MB takes 190 MB.
    ///
    /// - Parameters:
    ///   - memory: what is free; nil when that is not known.
    ///   - modelSize: of the model's file. Both in bytes.
    static func width(cores: Int, memory: Int?, modelSize: Int) -> Int {
        let fitting = memory.map { $0 / 2 / (2 * modelSize + (32 << 20)) } ?? 1
        return max(1, min(cores / TranscribeModel.threadCount, fitting))
    }
}
