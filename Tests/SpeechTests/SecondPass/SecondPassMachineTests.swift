import TestSupport
import Testing

@testable import Speech

@Suite("The machine of the second pass")
struct SecondPassMachineTests {
    private static let model = WorkerModel(
        family: "test", languages: [], hasWordTimes: false, longestAudio: 0, takesVocabulary: false)
    private static let text = SecondPassText(text: "Yes.")

    /// A machine whose worker is ready.
    private func ready() -> SecondPassMachine {
        var machine = SecondPassMachine()
        #expect(machine.handle(.woken, now: .zero) == [.start])
        #expect(machine.handle(.answered(.ready(Self.model)), now: .zero) == [])
        return machine
    }

    @Test("starts the worker at once, and sends it one utterance after another")
    func order() {
        var machine = SecondPassMachine()
        #expect(machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero) == [.start])
        #expect(machine.handle(.submitted(2, seconds: 1, deadline: nil), now: .zero) == [])
        #expect(machine.handle(.answered(.ready(Self.model)), now: .seconds(1)) == [.decode(1)])
        #expect(
            machine.handle(.answered(.result(1, Self.text)), now: .seconds(2)) == [
                .resolve(1, .text(Self.text)), .decode(2),
            ])
        let failure = WorkerFailure(kind: .repetition, sentence: "")
        #expect(
            machine.handle(.answered(.failure(2, failure)), now: .seconds(3)) == [
                .resolve(2, .failed(.refused(.repetition)))
            ])
        #expect(machine.model == Self.model)
    }

    @Test("gives up waiting and running utterances at their deadlines, and drops the late answer")
    func deadline() {
        var machine = ready()
        #expect(machine.handle(.submitted(1, seconds: 1, deadline: .seconds(3)), now: .zero) == [.decode(1)])
        #expect(machine.handle(.submitted(2, seconds: 1, deadline: .seconds(4)), now: .zero) == [])
        #expect(machine.handle(.submitted(3, seconds: 1, deadline: nil), now: .zero) == [])
        #expect(machine.wakeTime == .seconds(3))
        #expect(machine.handle(.woken, now: .seconds(3)) == [.resolve(1, .failed(.late)), .cancel(1)])
        #expect(machine.handle(.woken, now: .seconds(4)) == [.resolve(2, .failed(.late))])
        #expect(machine.handle(.answered(.result(1, Self.text)), now: .seconds(5)) == [.decode(3)])
    }

    @Test("drops an answer that comes after the deadline, even if nothing has woken it")
    func lateAnswer() {
        var machine = ready()
        #expect(machine.handle(.submitted(1, seconds: 1, deadline: .seconds(3)), now: .zero) == [.decode(1)])
        #expect(
            machine.handle(.answered(.result(1, Self.text)), now: .seconds(4)) == [.resolve(1, .failed(.late))])
        #expect(machine.handle(.submitted(2, seconds: 1, deadline: nil), now: .seconds(4)) == [.decode(2)])
    }

    @Test("starts another worker after one had too little memory to load, and says so")
    func shortage() {
        let shortage = WorkerFailure(kind: .memory, sentence: "there is not enough memory")
        var final = SecondPassMachine()
        final.retriesShortages = false
        _ = final.handle(.woken, now: .zero)
        #expect(final.handle(.answered(.failure(0, shortage)), now: .zero).last == .stop && final.refusal == shortage)

        var machine = SecondPassMachine()
        _ = machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero)
        #expect(machine.handle(.answered(.failure(0, shortage)), now: .zero) == [.stop])
        guard case .report(let sentence) = machine.handle(.ended(.stopped), now: .zero).first else {
            return #expect(Bool(false), "it is said")
        }
        #expect(sentence.contains("there is not enough memory"))
        #expect(machine.handle(.woken, now: .seconds(1)) == [.start])
        #expect(machine.handle(.answered(.ready(Self.model)), now: .seconds(2)) == [.decode(1)])
    }

    @Test("ends a worker that goes on too long after the deadline, or without one, and starts another")
    func hang() {
        var machine = ready()
        _ = machine.handle(.submitted(1, seconds: 1, deadline: .seconds(3)), now: .zero)
        _ = machine.handle(.woken, now: .seconds(3))
        #expect(machine.wakeTime == .seconds(3) + SecondPassMachine.grace)
        #expect(machine.handle(.woken, now: .seconds(20)) == [.stop])
        #expect(
            machine.handle(.answered(.result(1, Self.text)), now: .seconds(20)) == [],
            "what comes from a worker that is to end is nothing")
        #expect(machine.handle(.ended(.stopped), now: .seconds(20)).count == 1)
        #expect(machine.wakeTime == .seconds(21))
        #expect(machine.handle(.woken, now: .seconds(21)) == [.start])

        _ = machine.handle(.answered(.ready(Self.model)), now: .seconds(22))
        #expect(machine.handle(.submitted(2, seconds: 2, deadline: nil), now: .seconds(30)) == [.decode(2)])
        let limit = Duration.seconds(30) + SecondPassMachine.longestRun(seconds: 2)
        #expect(machine.wakeTime == limit)
        #expect(machine.handle(.woken, now: limit) == [.resolve(2, .failed(.stopped)), .stop])
    }

    @Test("loses only the running utterance when a worker ends, and reports it once")
    func crash() {
        var machine = ready()
        _ = machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero)
        _ = machine.handle(.submitted(2, seconds: 1, deadline: nil), now: .zero)
        let actions = machine.handle(.ended(.killed(signal: 9)), now: .seconds(1))
        #expect(actions.first == .resolve(1, .failed(.stopped)))
        guard case .report(let sentence) = actions.last else { return #expect(Bool(false), "it is said") }
        #expect(sentence.contains("signal 9") && actions.count == 2)
        #expect(machine.handle(.woken, now: .seconds(2)) == [.start])
        #expect(machine.handle(.answered(.ready(Self.model)), now: .seconds(3)) == [.decode(2)])
        #expect(machine.handle(.ended(.exited(1)), now: .seconds(4)) == [.resolve(2, .failed(.stopped))])
        #expect(machine.wakeTime == .seconds(6), "the next waits longer")
    }

    @Test(
        "ends a worker that sends an answer without a request",
        arguments: [
            WorkerAnswer.ready(model), .result(2, text), .failure(0, WorkerFailure(kind: .model, sentence: "")),
            .failure(7, WorkerFailure(kind: .decoding, sentence: "")),
        ])
    func nonsense(_ answer: WorkerAnswer) {
        var machine = ready()
        _ = machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero)
        #expect(machine.handle(.answered(answer), now: .zero) == [.resolve(1, .failed(.stopped)), .stop])
    }

    @Test("gives up when the model can't be loaded, and after five workers in a row have failed")
    func givingUp() {
        var machine = SecondPassMachine()
        _ = machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero)
        let refused = machine.handle(
            .answered(.failure(0, WorkerFailure(kind: .model, sentence: "it is cut"))), now: .zero)
        #expect(refused.contains(.resolve(1, .failed(.unavailable))) && refused.contains(.stop))
        #expect(machine.handle(.ended(.exited(0)), now: .zero) == [])
        #expect(machine.wakeTime == nil)
        #expect(
            machine.handle(.submitted(2, seconds: 1, deadline: nil), now: .zero) == [.resolve(2, .failed(.unavailable))]
        )

        machine = SecondPassMachine()
        var now = Duration.zero
        var starts = 0
        _ = machine.handle(.submitted(1, seconds: 1, deadline: nil), now: now)
        var last: [SecondPassMachine.Action] = []
        repeat {
            starts += 1
            last = machine.handle(.ended(.killed(signal: 11)), now: now)
            if let next = machine.wakeTime { now = next }
            _ = machine.handle(.woken, now: now)
        } while machine.wakeTime != nil && starts < 100
        #expect(starts == SecondPassMachine.mostFailuresInARow)
        #expect(last.contains(.resolve(1, .failed(.unavailable))))
    }

    @Test("sets the deadline of an utterance that was begun ahead when it is requested")
    func wanted() {
        var machine = ready()
        #expect(machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero) == [.decode(1)])
        #expect(machine.handle(.submitted(2, seconds: 1, deadline: nil), now: .zero) == [])
        #expect(machine.handle(.wanted(1, deadline: .seconds(3)), now: .zero) == [])
        #expect(machine.handle(.wanted(2, deadline: .seconds(4)), now: .zero) == [])
        #expect(machine.wakeTime == .seconds(3))
        #expect(machine.handle(.woken, now: .seconds(3)) == [.resolve(1, .failed(.late)), .cancel(1)])
        #expect(machine.handle(.woken, now: .seconds(4)) == [.resolve(2, .failed(.late))])
        #expect(machine.wakeTime == .seconds(3) + SecondPassMachine.grace)
    }

    @Test("cancels an utterance that is no longer wanted at once, and ends the worker if that does not respond")
    func withdrawn() {
        var machine = ready()
        _ = machine.handle(.submitted(1, seconds: 1, deadline: nil), now: .zero)
        _ = machine.handle(.submitted(2, seconds: 1, deadline: nil), now: .zero)
        #expect(machine.handle(.withdrawn(2), now: .zero) == [.resolve(2, .failed(.cancelled))])
        #expect(machine.handle(.withdrawn(1), now: .seconds(1)) == [.resolve(1, .failed(.cancelled)), .cancel(1)])
        #expect(machine.handle(.withdrawn(1), now: .seconds(1)) == [], "once")
        #expect(machine.handle(.submitted(3, seconds: 1, deadline: .seconds(4)), now: .seconds(1)) == [])
        let cancelled = WorkerFailure(kind: .cancelled, sentence: "")
        var hanging = machine
        #expect(machine.handle(.answered(.failure(1, cancelled)), now: .seconds(2)) == [.decode(3)])

        _ = hanging.handle(.woken, now: .seconds(4))
        #expect(hanging.wakeTime == .seconds(1) + SecondPassMachine.grace)
        #expect(hanging.handle(.woken, now: .seconds(11)) == [.stop])
    }

    @Test("has one outcome for every utterance, within its deadline, whatever the worker does")
    func random() {
        var generator = SplitMix64(for: "second-pass-machine")
        for _ in 0..<Tier.count(1_000, long: 100_000) { episode(&generator) }
    }

    /// Runs a session of random events, in which the worker answers, fails, ends, hangs or sends nonsense.
    private func episode(_ generator: inout SplitMix64) {
        var machine = SecondPassMachine()
        var now = Duration.zero
        var (isRunning, isStopping, isReady) = (false, false, false)
        var computing: UInt64?
        var deadlines: [UInt64: Duration?] = [:]
        var reports = 0
        var submitted: UInt64 = 0

        func handle(_ event: SecondPassMachine.Event) {
            for action in machine.handle(event, now: now) {
                switch action {
                case .start:
                    #expect(!isRunning, "one worker at a time")
                    (isRunning, isStopping, isReady, computing) = (true, false, false, nil)
                case .decode(let identifier):
                    #expect(
                        isReady && !isStopping && computing == nil && deadlines[identifier] != nil,
                        "only what waits, one at a time")
                    computing = identifier
                case .cancel(let identifier): #expect(computing == identifier)
                case .stop:
                    #expect(isRunning && !isStopping)
                    isStopping = true
                case .resolve(let identifier, let outcome):
                    guard let deadline = deadlines.removeValue(forKey: identifier) else {
                        return #expect(Bool(false), "one outcome for \(identifier)")
                    }
                    if case .text = outcome, let deadline { #expect(now < deadline, "in time") }
                case .report, .reportGivenUp: reports += 1
                }
            }
            for case let deadline? in deadlines.values { #expect(now < deadline, "nothing waits beyond its deadline") }
        }

        handle(.woken)
        for _ in 0..<Int.random(in: 1...60, using: &generator) {
            switch Int.random(in: 0..<12, using: &generator) {
            case 10:
                guard let ahead = deadlines.filter({ $0.value == nil }).keys.min() else { break }
                let deadline = now + .milliseconds(Int.random(in: 1...4000, using: &generator))
                deadlines[ahead] = deadline
                handle(.wanted(ahead, deadline: deadline))
            case 11:
                guard let ahead = deadlines.filter({ $0.value == nil }).keys.max() else { break }
                handle(.withdrawn(ahead))
                #expect(deadlines[ahead] == nil)
            case 0...2:
                submitted += 1
                let deadline =
                    Bool.random(using: &generator)
                    ? now + .milliseconds(Int.random(in: 1...4000, using: &generator)) : nil
                deadlines[submitted] = deadline
                handle(.submitted(submitted, seconds: 1, deadline: deadline))
            case 3...5:
                guard isRunning else { break }
                if !isReady {
                    isReady = true
                    handle(.answered(.ready(Self.model)))
                } else if let identifier = computing {
                    computing = nil
                    let failure = WorkerFailure(kind: .decoding, sentence: "")
                    handle(
                        .answered(
                            Bool.random(using: &generator)
                                ? .result(identifier, Self.text) : .failure(identifier, failure)))
                }
            case 6:
                guard isRunning else { break }
                let identifier = UInt64.random(in: 0...9, using: &generator)
                if identifier == computing { computing = nil }
                handle(.answered(.result(identifier, Self.text)))
            case 7:
                guard isRunning, isStopping || Int.random(in: 0..<3, using: &generator) == 0 else { break }
                isRunning = false
                handle(.ended(.killed(signal: 9)))
            default:
                now =
                    Bool.random(using: &generator)
                    ? machine.wakeTime ?? now : now + .milliseconds(Int.random(in: 1...2000, using: &generator))
                // The next event may come before the clock wakes the machine.
                if Bool.random(using: &generator) { handle(.woken) }
            }
        }
        handle(.closed)
        #expect(deadlines.isEmpty, "everything has its outcome after the end")
        #expect(!isRunning || isStopping || machine.refusal != nil, "no worker stays")
        #expect(reports <= 2)
    }
}
