import Foundation
import Glibc
import Outbox
import System

/// The process that serves `utter type`: begins and ends dictations, each in a process of its own that puts its text into the queue, and
/// types what comes into the queue. It opens no microphone and loads no model itself, so it answers at once and needs little memory.
actor TypingService {
    /// A dictation whose process runs.
    private struct Dictation {
        let id: String
        let process: DictationProcess
        var state = TypingStatus.State.starting
        var isCancelled = false
    }

    /// What an answer waits for.
    enum Wait: Sendable {
        case nothing
        /// The microphone is open, or can't be opened.
        case open(String)
        /// All of the dictation is typed, or waits for the user.
        case typed(String)
    }

    private let queue: TypingQueue
    /// The session of the last request. A process that systemd started knows of none.
    private var session: WindowSession
    /// The oldest first. All but the last are finishing.
    private var dictations: [Dictation] = []
    /// Why dictations failed, until the answer that says so.
    private var failures: [String: CommandError] = [:]
    private var lastFailure: String?
    /// The dictations of which a text waits for the user, so that what follows has to wait too.
    private var held: Set<String> = []
    /// The windows that the user has chosen since a dictation began, by `again`.
    private var chosenWindows: [String: String] = [:]
    private var waiters: [(isOver: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    private var followers: [UUID: AsyncStream<TypingStatus>.Continuation] = [:]

    init(_ queue: TypingQueue, _ session: WindowSession = WindowSession()) {
        (self.queue, self.session) = (queue, session)
    }

    /// Lets wait for the user what an earlier process may have typed when it was killed. Before any request.
    func prepare() async throws {
        for (operation, _) in try queue.operations() where operation.mayHaveArrived && !operation.waitsForUser {
            try queue.store.change(operation.id) { $0.waitForUser(Self.doubt, mayHaveArrived: true, at: Date()) }
            await Typist(session: session).releaseKeys()
        }
        held = Set(try queue.operations().filter { $0.operation.waitsForUser }.map(\.text.dictation))
    }

    private static let doubt = "utter was ended while it typed, so a part may be in the window"

    /// Types what comes into the queue, until the task is cancelled.
    func typeQueue() async throws {
        let drainer = OutboxDrainer(
            store: queue.store, handlers: [TypingQueue.destination: WindowHandler(service: self)]
        ) { _ in Task { await self.changed() } }
        try await drainer.run(.watching)
    }

    // MARK: - Requests

    /// Does what a request asks for, and returns without waiting for anything that takes long. One request at a time.
    func take(_ request: TypingRequest) async throws -> Wait {
        if !request.environment.isEmpty {
            let session = WindowSession(request.environment)
            if session.isWayland || session.isX11 { self.session = session }
        }
        switch request.action {
        case .begin: return try await begin(request)
        case .end: return end()
        case .toggle: return listening == nil ? try await begin(request) : end()
        case .cancel: return cancel()
        case .text: return try await add(request.text ?? "")
        case .again: return try await again()
        case .drop: try drop()
        case .status, .follow, .stop: break
        }
        return .nothing
    }

    /// The index of the dictation whose microphone is open.
    private var listening: Int? {
        guard let last = dictations.indices.last, dictations[last].state != .finishing else { return nil }
        return last
    }

    private func begin(_ request: TypingRequest) async throws -> Wait {
        // A key that is held down repeats itself.
        if let listening { return .open(dictations[listening].id) }
        if let missing = Typist(session: session).whatIsMissing { throw CommandError(missing, .unavailable) }
        let id = UUID().uuidString.lowercased()
        let arguments = TypingListener.Arguments(
            dictation: id, window: await session.focusedWindow(), options: request.options)
        let process = try DictationProcess(arguments, request.environment) { event in
            Task { await self.heard(event, of: id) }
        }
        lastFailure = nil
        dictations.append(Dictation(id: id, process: process))
        if dictations.count == 1 { process.letDeliver() }
        changed()
        return .open(id)
    }

    private func end() -> Wait {
        guard let last = dictations.indices.last else { return .nothing }
        if dictations[last].state != .finishing {
            dictations[last].state = .finishing
            dictations[last].process.end()
            changed()
        }
        return .typed(dictations[last].id)
    }

    private func cancel() -> Wait {
        guard let last = dictations.indices.last else { return .nothing }
        dictations[last].state = .finishing
        dictations[last].isCancelled = true
        dictations[last].process.kill()
        changed()
        return .typed(dictations[last].id)
    }

    private func add(_ text: String) async throws -> Wait {
        if let missing = Typist(session: session).whatIsMissing { throw CommandError(missing, .unavailable) }
        let id = UUID().uuidString.lowercased()
        try queue.add(TypedText(text: text, dictation: id, window: await session.focusedWindow()))
        return .typed(id)
    }

    /// Types what waits for the user into the window that has the focus now.
    private func again() async throws -> Wait {
        let window = await session.focusedWindow()
        held = []
        let all = try queue.operations()
        for (operation, text) in all where operation.waitsForUser {
            chosenWindows[text.dictation] = window
            var text = text
            text.window = window
            try queue.store.change(operation.id) { $0.replace(payload: text.payload) }
        }
        return all.last.map { .typed($0.text.dictation) } ?? .nothing
    }

    /// Throws away what waits for the user.
    private func drop() throws {
        for (operation, _) in try queue.operations() where operation.waitsForUser {
            try queue.store.remove(operation.id)
        }
        held = []
        changed()
    }

    /// Ends a dictation, and returns when all is typed or waits for the user.
    func finish() async {
        await wait(for: end())
        for dictation in dictations { await wait(for: .typed(dictation.id)) }
    }

    // MARK: - Answers

    /// Returns when a request is done, with its answer.
    func answer(after wait: Wait) async -> TypingAnswer {
        await self.wait(for: wait)
        let status = status
        switch wait {
        case .nothing: return TypingAnswer(status: status)
        case .open(let id): return TypingAnswer(status: status, error: failures.removeValue(forKey: id))
        case .typed(let id):
            if let failure = failures.removeValue(forKey: id) { return TypingAnswer(status: status, error: failure) }
            let isWaiting = held.contains(id)
            let reason = status.reason.map { ": \($0)" } ?? ""
            return TypingAnswer(
                status: status,
                error: isWaiting
                    ? CommandError("the text waits\(reason); utter type again types it here", .tempFail) : nil)
        }
    }

    private func wait(for wait: Wait) async {
        switch wait {
        case .nothing: return
        case .open(let id): await until { self.dictations.first { $0.id == id }?.state != .starting }
        case .typed(let id):
            await until { !self.dictations.contains { $0.id == id } && !self.isBeingTyped(id) }
        }
    }

    /// Whether a text of a dictation is about to be typed.
    private func isBeingTyped(_ dictation: String) -> Bool {
        let operations = (try? queue.operations()) ?? []
        return operations.contains { $0.text.dictation == dictation && !$0.operation.waitsForUser }
    }

    private func until(_ isOver: @escaping () -> Bool) async {
        if isOver() { return }
        await withCheckedContinuation { waiters.append((isOver, $0)) }
    }

    /// The status where no process serves: all that is in the queue waits.
    static func statusUnserved(_ queue: TypingQueue) -> TypingStatus {
        let waiting = (try? queue.operations()) ?? []
        let reason = waiting.first.map { $0.operation.lastError ?? "the process that types has ended" }
        return TypingStatus(waitingCount: waiting.count, reason: reason)
    }

    var status: TypingStatus {
        let waiting = ((try? queue.operations()) ?? []).filter { $0.operation.waitsForUser }
        return TypingStatus(
            state: dictations.last?.state ?? .idle, waitingCount: waiting.count,
            reason: waiting.first?.operation.lastError, failure: lastFailure)
    }

    /// The status now, and after every change.
    var changes: AsyncStream<TypingStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: TypingStatus.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        followers[id] = continuation
        continuation.onTermination = { _ in Task { await self.unfollow(id) } }
        continuation.yield(status)
        return stream
    }

    private func unfollow(_ id: UUID) { followers[id] = nil }

    /// Lets everybody look who waits for a change.
    private func changed() {
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            if waiter.isOver() { waiter.continuation.resume() } else { waiters.append(waiter) }
        }
        if followers.isEmpty { return }
        let status = status
        for follower in followers.values { follower.yield(status) }
    }

    // MARK: - Dictations

    private func heard(_ event: DictationProcess.Event, of id: String) {
        guard let index = dictations.firstIndex(where: { $0.id == id }) else { return }
        switch event {
        case .isOpen: if dictations[index].state == .starting { dictations[index].state = .listening }
        case .ended(let failure):
            let dictation = dictations.remove(at: index)
            if dictation.isCancelled {
                for (operation, text) in (try? queue.operations()) ?? [] where text.dictation == id {
                    try? queue.store.remove(operation.id)
                }
            } else if let failure {
                failures[id] = failure
                lastFailure = failure.message
            }
            dictations.first?.process.letDeliver()
        }
        changed()
    }

    // MARK: - Typing

    /// Types a text into its window.
    ///
    /// - Returns: nil when the text is typed; otherwise a sentence that says why it waits for the user.
    fileprivate func type(_ text: TypedText, mayBeTyped: Bool) async -> String? {
        if held.contains(text.dictation) { return "an earlier one waits" }
        if mayBeTyped { return hold(text, Self.doubt) }
        let typist = Typist(session: session)
        let window = chosenWindows[text.dictation] ?? text.window
        if let window, await session.focusedWindow() != window {
            return hold(text, "another window has the focus")
        }
        switch await typist.type(text.text) {
        case .typed: return nil
        case .nothing(let reason): return hold(text, reason)
        case .partly(let reason): return hold(text, "\(reason), so a part may be in the window")
        }
    }

    private func hold(_ text: TypedText, _ reason: String) -> String {
        held.insert(text.dictation)
        return reason
    }
}

/// Types the operations of the queue, one after another, and none twice: where a text may be in the window already, the user decides.
private struct WindowHandler: OutboxHandler {
    let service: TypingService
    let deliversInOrder = true
    let needsEarlierAttempts = true

    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard let text = TypedText(payload: operation.payload) else { return .needsUser(reason: "it is no text") }
        guard let reason = await service.type(text, mayBeTyped: operation.mayHaveArrived) else { return .delivered }
        return .needsUser(reason: reason)
    }
}
