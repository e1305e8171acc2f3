import Foundation
import Glibc
import Outbox
import System

/// The process that serves `utter type`: begins and ends dictations, each in a process of its own that puts its text into the queue, and
/// types what comes into the queue. It opens no microphone and loads no model itself, so it answers at once and needs little memory.
actor TypingService {
    /// A dictation whose process runs.
    struct Dictation {
        let id: String
        /// Where the focus was as it began.
        let place: WindowPlace
        let process: DictationProcess
        var state = TypingStatus.State.starting
        var isReady = false
        var isCancelled = false
        /// What is wrong with the microphone now, a sentence; nil for nothing.
        var trouble: String?
        /// How many of its utterances are typed, or thrown away.
        var typedCount = 0
    }

    /// What an answer waits for.
    enum Wait: Sendable {
        case nothing
        /// The microphone is open and the model loaded, or one of both can't be.
        case open(String)
        /// All of the dictation is typed, or waits for the user.
        case typed(String)
        /// What dictations of an earlier process have heard is in the queue.
        case earlier
        /// These texts are typed, or wait for the user.
        case done([UUID])
    }

    let queue: TypingQueue
    /// The oldest first. All but the last are finishing.
    private(set) var dictations: [Dictation] = []
    /// The last dictation that began, and why the last one that failed did so, until another begins.
    private var last: String?
    private var failure: (dictation: String, error: CommandError)?
    /// What the user is to know of the last dictation, and of those that still run.
    private var warnings: [(dictation: String, sentence: String)] = []
    /// The dictations of which a text waits for the user, so that what follows has to wait too, and why: that is told before it is on the disk.
    private(set) var held: [String: String] = [:]
    /// The dictations and texts of this process. One of an earlier process may still put text into the queue.
    private var known: Set<String> = []
    /// Whether a dictation of an earlier process may still put text into the queue.
    private var isEarlierHeardFor = false
    /// Those texts of them that take back what was typed last because a key was pressed, not because it was said.
    private var pressed: Set<String> = []
    /// The places that the user has chosen since a dictation began, by `again`.
    private(set) var chosenPlaces: [String: WindowPlace] = [:]
    /// What was typed, the latest last, to be taken back.
    private var typed: [TypedText] = []
    private static let mostTakenBack = 100
    /// Whether something is being typed or erased: one thing at a time.
    var isTyping = false
    /// The guess that is in a window.
    var guess: TypedGuess?
    /// The newest guess, until it is tried.
    var newestGuess: (dictation: String, guess: HeardGuess)?
    /// The dictations of earlier processes that have left a guess in a window.
    private var guessedEarlier: Set<String> = []
    private var waiters: [(isOver: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    /// The status that the followers have got.
    private var shown: TypingStatus?
    private var followers: [UUID: AsyncStream<TypingStatus>.Continuation] = [:]

    init(_ queue: TypingQueue) { self.queue = queue }

    /// Lets wait for the user what an earlier process has left, for windows may have changed since. Before any request.
    func prepare() async throws {
        guessedEarlier = try queue.guessedDictations
        for (operation, text) in try queue.operations() where !operation.waitsForUser {
            let reason = Self.leftover(text, mayBeTyped: operation.mayHaveArrived, guessedEarlier)
            let mayHaveArrived = operation.mayHaveArrived || guessedEarlier.contains(text.dictation)
            try queue.store.change(operation.id) {
                $0.waitForUser(reason, mayHaveArrived: mayHaveArrived, at: Date())
            }
            if mayHaveArrived { await text.place.session.releaseKeys() }
        }
        for (operation, text) in try queue.operations() where operation.waitsForUser {
            held[text.dictation] =
                operation.lastError ?? Self.leftover(text, mayBeTyped: operation.mayHaveArrived, guessedEarlier)
        }
        isEarlierHeardFor = queue.isHeardFor
        if isEarlierHeardFor { Task { await waitForEarlier() } }
    }

    /// Returns when no dictation of an earlier process can put text into the queue any more. No event says so.
    private func waitForEarlier() async {
        while queue.isHeardFor { try? await Task.sleep(for: .milliseconds(50)) }
        if !isEarlierHeardFor { return }
        isEarlierHeardFor = false
        changed()
    }

    /// Why a text of an earlier process waits.
    private static func leftover(_ text: TypedText, mayBeTyped: Bool, _ guessed: Set<String>) -> String {
        if mayBeTyped { return "utter was ended while it typed, so a part may be in the window" }
        return "the process that types had ended"
            + (guessed.contains(text.dictation) ? ", and a guess may be in the window" : "")
    }

    /// Types what comes into the queue, until the task is cancelled.
    func typeQueue() async throws {
        let drainer = OutboxDrainer(
            store: queue.store, handlers: [TypingQueue.destination: WindowHandler(service: self)]
        ) { event in Task { await self.note(event) } }
        try await drainer.run(.watching)
    }

    /// Lets wait for the user what can't be noted as begun, as on a full disk: nobody would know after a kill whether it was typed.
    private func note(_ event: OutboxEvent) {
        if case .storeFailed(let error) = event {
            for (_, text) in queue.readable where held[text.dictation] == nil {
                held[text.dictation] = error.description
            }
        }
        changed()
    }

    // MARK: - Requests

    /// Does what a request asks for, and returns without waiting for anything that takes long. One request at a time.
    func take(_ request: TypingRequest) async throws -> Wait {
        switch request.action {
        case .begin: return try await begin(request)
        case .end: return end()
        case .toggle: return listening == nil ? try await begin(request) : end()
        case .cancel: return cancel()
        case .text, .scratch: return try await add(request)
        case .again: return try await again(request)
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
        let place = try await place(request)
        let id = UUID().uuidString.lowercased()
        let arguments = TypingListener.Arguments(dictation: id, place: place, options: request.options)
        let (events, continuation) = AsyncStream.makeStream(of: DictationProcess.Event.self)
        let process = try DictationProcess(arguments, request.environment) { event in
            continuation.yield(event)
            if case .ended = event { continuation.finish() }
        }
        Task { for await event in events { heard(event, of: id) } }
        (last, failure) = (id, nil)
        warnings.removeAll { warning in !dictations.contains { $0.id == warning.dictation } }
        known.insert(id)
        if dictations.isEmpty { chosenPlaces = [:] }
        dictations.append(Dictation(id: id, place: place, process: process))
        if dictations.count == 1 { process.letDeliver() }
        changed()
        return .open(id)
    }

    /// Where the client's focus is.
    private func place(_ request: TypingRequest) async throws -> WindowPlace {
        let session = WindowSession(request.environment)
        if let missing = Typist(session: session).whatIsMissing { throw CommandError(missing, .unavailable) }
        return WindowPlace(session: session, window: try await session.window())
    }

    private func end() -> Wait {
        guard let last = dictations.indices.last else { return self.last.map { .typed($0) } ?? .earlier }
        if dictations[last].state != .finishing {
            (dictations[last].state, dictations[last].trouble) = (.finishing, nil)
            dictations[last].process.end()
            changed()
        }
        return .typed(dictations[last].id)
    }

    /// Ends all dictations, also one whose process does not end by itself.
    private func cancel() -> Wait {
        (failure, warnings) = (nil, [])
        for index in dictations.indices {
            (dictations[index].state, dictations[index].trouble) = (.finishing, nil)
            dictations[index].isCancelled = true
            dictations[index].process.kill()
        }
        // Of one whose process has ended, some may not be typed yet.
        if let last, !dictations.contains(where: { $0.id == last }) { removeTexts(of: last) }
        changed()
        return last.map { .typed($0) } ?? .nothing
    }

    private func removeTexts(of dictation: String) {
        for (operation, text) in queue.readable where text.dictation == dictation {
            if !isWaiting(operation, text) { _ = try? queue.store.remove(operation.id) }
        }
    }

    private func add(_ request: TypingRequest) async throws -> Wait {
        let id = UUID().uuidString.lowercased()
        let text = TypedText(
            text: MemoText.cleaned(request.text ?? ""), dictation: id, place: try await place(request),
            takesBack: request.action == .scratch)
        if text.takesBack, try scratchWaiting(in: text.place) { return .nothing }
        known.insert(id)
        if text.takesBack { pressed.insert(id) }
        return .done([try queue.add(text)])
    }

    /// Throws away the newest text if it waits for the user: that is what was said last.
    ///
    /// - Returns: false where what was typed last is to be erased.
    /// - Throws: `CommandError` when nothing was typed in that place.
    private func scratchWaiting(in place: WindowPlace) throws -> Bool {
        if let (operation, text) = try queue.operations().last {
            // What is not typed yet comes before, and is erased then.
            if text.takesBack || !isWaiting(operation, text) { return false }
            if typed.last.map({ $0.queuedAt < text.queuedAt }) ?? true {
                try queue.store.remove(operation.id)
                noteTyped(text)
                // What follows it waits no longer, unless it waits already.
                let others = try queue.operations()
                if !others.contains(where: { $0.text.dictation == text.dictation }) { held[text.dictation] = nil }
                changed()
                return true
            }
        }
        if newestTyped(in: place) != nil { return false }
        throw CommandError("nothing was typed in this window that can be erased", .noInput)
    }

    /// Types what waits for the user into the window that has the focus now.
    private func again(_ request: TypingRequest) async throws -> Wait {
        let place = try await place(request)
        let all = try queue.operations()
        let waiting = all.filter { isWaiting($0.operation, $0.text) }
        letGo()
        for (operation, text) in waiting {
            chosenPlaces[text.dictation] = place
            known.insert(text.dictation)
            var text = text
            text.place = place
            try queue.store.change(operation.id) { $0.replace(payload: text.payload) }
        }
        return .done(all.map(\.operation.id))
    }

    /// Throws away what waits for the user.
    private func drop() throws {
        for (operation, text) in try queue.operations() where isWaiting(operation, text) {
            try queue.store.remove(operation.id)
            noteTyped(text)
        }
        letGo()
        changed()
    }

    /// Lets nothing wait any more: whoever decides about it has seen the windows.
    private func letGo() {
        held = [:]
        for dictation in guessedEarlier { try? queue.removeGuessMark(of: dictation) }
        guessedEarlier = []
    }

    /// Notes that a text of a dictation is typed, or thrown away.
    private func noteTyped(_ text: TypedText) {
        guard let index = dictations.firstIndex(where: { $0.id == text.dictation }) else { return }
        dictations[index].typedCount += 1
    }

    /// Whether a text waits for the user. It does so before that is on the disk.
    private func isWaiting(_ operation: OutboxOperation, _ text: TypedText) -> Bool {
        operation.waitsForUser || held[text.dictation] != nil
    }

    /// Ends a dictation, and returns when all that is in the queue is typed or waits for the user.
    func finish() async {
        _ = end()
        await until {
            self.dictations.isEmpty && self.guess == nil && !self.isTyping
                && self.queue.readable.allSatisfy { self.isWaiting($0.operation, $0.text) }
        }
    }

    // MARK: - Answers

    /// Returns when a request is done, with its answer.
    func answer(after wait: Wait) async -> TypingAnswer {
        await self.wait(for: wait)
        let status = status
        // Nobody knows what is typed if the queue can't be read.
        do { _ = try queue.operations() } catch { return TypingAnswer(status: status, error: CommandError(error)) }
        switch wait {
        case .nothing: return TypingAnswer(status: status)
        case .open(let id): return TypingAnswer(status: status, error: failure(of: id))
        case .typed(let id):
            return TypingAnswer(
                status: status, error: failure(of: id) ?? (held[id] != nil ? waits(status) : nil),
                warnings: warnings(of: id))
        case .earlier: return TypingAnswer(status: status, error: status.waitingCount > 0 ? waits(status) : nil)
        case .done(let ids):
            let left = Set(queue.readable.map(\.operation.id)).intersection(ids)
            return TypingAnswer(status: status, error: left.isEmpty ? nil : waits(status))
        }
    }

    private func failure(of dictation: String) -> CommandError? {
        failure.flatMap { $0.dictation == dictation ? $0.error : nil }
    }

    /// What the user is to know of a dictation, each a sentence, and only the latest, for sound may be lost again and again.
    ///
    /// - Parameter dictation: nil for all.
    private func warnings(of dictation: String?) -> [String] {
        var sentences: [String] = []
        for warning in warnings where dictation == nil || warning.dictation == dictation {
            sentences.removeAll { $0 == warning.sentence }
            if warning.sentence != failure?.error.message { sentences.append(warning.sentence) }
        }
        return sentences.suffix(3)
    }

    private func waits(_ status: TypingStatus) -> CommandError {
        let reason = status.reason.map { ": \($0)" } ?? ""
        let isText = queue.readable.contains { isWaiting($0.operation, $0.text) && !$0.text.takesBack }
        let sentence =
            isText
            ? "the text waits\(reason); utter type again types it here"
            : "nothing is erased\(reason); utter type again tries again here, utter type drop leaves it"
        return CommandError(sentence, .tempFail)
    }

    private func wait(for wait: Wait) async {
        switch wait {
        case .nothing: return
        case .open(let id):
            await until { self.dictations.first { $0.id == id }.map { $0.isReady || $0.state == .finishing } ?? true }
        case .typed(let id):
            await until {
                !self.dictations.contains { $0.id == id } && self.guess?.dictation != id
                    && !self.isBeingTyped { $1.dictation == id }
            }
        case .earlier:
            await waitForEarlier()
            await until { !self.isBeingTyped { _, _ in true } }
        case .done(let ids):
            let ids = Set(ids)
            await until { !self.isBeingTyped { operation, _ in ids.contains(operation.id) } }
        }
    }

    /// Whether one of some texts is about to be typed.
    func isBeingTyped(_ isMeant: (OutboxOperation, TypedText) -> Bool) -> Bool {
        queue.readable.contains { isMeant($0.operation, $0.text) && !isWaiting($0.operation, $0.text) }
    }

    private func until(_ isOver: @escaping () -> Bool) async {
        if isOver() { return }
        await withCheckedContinuation { waiters.append((isOver, $0)) }
    }

    /// The status where no process answers: all that is in the queue waits, unless a process that ends types it first, and more may come from
    /// a process that still listens.
    static func statusUnserved(_ queue: TypingQueue) -> TypingStatus {
        let isServed = queue.isServed
        let operations = queue.readable
        let waiting = operations.filter { !isServed || $0.operation.waitsForUser }
        let guessed = (try? queue.guessedDictations) ?? []
        let reason = waiting.first.map {
            $0.operation.lastError ?? leftover($0.text, mayBeTyped: $0.operation.mayHaveArrived, guessed)
        }
        let isFinishing = waiting.count < operations.count || queue.isHeardFor
        return TypingStatus(state: isFinishing ? .finishing : .idle, waitingCount: waiting.count, reason: reason)
    }

    var status: TypingStatus {
        let operations = queue.readable
        let waiting = operations.filter { isWaiting($0.operation, $0.text) }
        let isFinishing = waiting.count < operations.count || isEarlierHeardFor
        let warnings = warnings(of: nil)
        return TypingStatus(
            state: dictations.last?.state ?? (isFinishing ? .finishing : .idle), waitingCount: waiting.count,
            reason: waiting.first.flatMap { $0.operation.lastError ?? held[$0.text.dictation] },
            failure: failure?.error.message, trouble: dictations.last?.trouble,
            warning: warnings.isEmpty ? nil : warnings.joined(separator: "; "))
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
    func changed() {
        mendGuess()
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            if waiter.isOver() { waiter.continuation.resume() } else { waiters.append(waiter) }
        }
        if followers.isEmpty { return }
        let status = status
        if status == shown { return }
        shown = status
        for follower in followers.values { follower.yield(status) }
    }

    // MARK: - Dictations

    private func heard(_ event: DictationProcess.Event, of id: String) {
        guard let index = dictations.firstIndex(where: { $0.id == id }) else { return }
        switch event {
        case .isOpen: if dictations[index].state == .starting { dictations[index].state = .listening }
        case .isReady: dictations[index].isReady = true
        case .guess(let guess): return heard(guess, of: id)
        case .remark(.trouble(let trouble)):
            if dictations[index].state != .finishing { dictations[index].trouble = trouble }
        case .remark(.warning(let sentence)):
            if !dictations[index].isCancelled { warnings.append((id, sentence)) }
        case .ended(let failure):
            let dictation = dictations.remove(at: index)
            if newestGuess?.dictation == id { newestGuess = nil }
            if dictation.isCancelled {
                removeTexts(of: id)
            } else if let failure {
                self.failure = (id, failure)
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
        if held[text.dictation] != nil { return "an earlier one waits" }
        if mayBeTyped || !known.contains(text.dictation) {
            return hold(text, Self.leftover(text, mayBeTyped: mayBeTyped, guessedEarlier))
        }
        while isTyping { await until { !self.isTyping } }
        isTyping = true
        defer { isTyping = false }
        let place = chosenPlaces[text.dictation] ?? text.place
        switch await typeFinal(text, in: place) {
        case .typed:
            noteTyped(text)
            if !text.takesBack { remember(text, in: place) }
            return nil
        case .nothing(let reason):
            return hold(text, forgetGuess(of: text) ? "\(reason), and a guess may be in its window" : reason)
        case .partly(let reason):
            forgetGuess(of: text)
            return hold(text, "\(reason), so a part may be in the window")
        }
    }

    private func hold(_ text: TypedText, _ reason: String) -> String {
        held[text.dictation] = reason
        return reason
    }

    private func remember(_ text: TypedText, in place: WindowPlace) {
        var text = text
        text.place = place
        typed = typed.suffix(Self.mostTakenBack - 1) + [text]
    }

    /// The index of what was typed last in a place; nil where nothing was, or, if the session does not tell the window, something was
    /// typed elsewhere after it.
    private func newestTyped(in place: WindowPlace) -> Int? {
        guard let index = typed.lastIndex(where: { $0.place == place }) else { return nil }
        return place.window != nil || index == typed.indices.last ? index : nil
    }

    /// Erases what was typed last in a window, if that was before this was said.
    func takeBack(_ text: TypedText, in place: WindowPlace) async -> Typist.Outcome {
        // Where the session does not tell the window, what the same dictation has typed is surely there, and a key is pressed where the
        // user sees it.
        let isPressed = pressed.contains(text.dictation)
        guard let index = newestTyped(in: place), typed[index].queuedAt <= text.queuedAt,
            place.window != nil || isPressed || typed[index].dictation == text.dictation
        else {
            // Said where nothing is to be erased, it erases nothing. Once it has waited, the user is told.
            let hasWaited = chosenPlaces[text.dictation] != nil
            return hasWaited ? .nothing("what it takes back was not typed last in this window") : .typed
        }
        let outcome = await Typist(session: place.session).erase(typed[index].text, in: place.window)
        if case .nothing = outcome { return outcome }
        // Texts are typed one after another, so this is still there.
        typed.remove(at: index)
        return outcome
    }
}

/// Types the operations of the queue, one after another, and none twice: where a text may be in the window already, the user decides.
private struct WindowHandler: OutboxHandler {
    let service: TypingService
    let deliversInOrder = true
    let needsEarlierAttempts = true
    let makesOnlyRecordedAttempts = true

    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome {
        guard let text = TypedText(operation) else { return .needsUser(reason: "it is no text") }
        guard let reason = await service.type(text, mayBeTyped: operation.mayHaveArrived) else { return .delivered }
        return .needsUser(reason: reason)
    }
}
