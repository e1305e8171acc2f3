import TestSupport
import Testing

@testable import Speech

@Suite("The machine of the results")
struct ResultMachineTests {
    private typealias Machine = ResultStateMachine<Int, Int>
    private struct Failure: Error {}

    /// An action of the machine as text.
    private static func text(_ action: Machine.Action) -> String {
        guard case .resume(let waiter, let result) = action else { return "" }
        switch result {
        case .success(let element): return "\(waiter):\(element.map(String.init) ?? "end")"
        case .failure: return "\(waiter):failure"
        }
    }

    @Test("behaves as a plain model of it does for random events")
    func random() {
        var generator = SplitMix64(for: "result machine")
        for _ in 0..<2000 {
            var machine = Machine()
            // The model has a list of waiting results, a list of waiting consumers, and the end.
            var buffer: [(Int, Bool)] = [], waiting: [Int] = []
            var hasEnded = false, failure = false
            var expected: [String] = [], actual: [String] = []
            func end(_ waiter: Int) -> String {
                defer { failure = false }
                return "\(waiter):\(failure ? "failure" : "end")"
            }
            for step in 0..<Int.random(in: 1...60, using: &generator) {
                switch Int.random(in: 0..<20, using: &generator) {
                case 0..<8:
                    let isFinal = Bool.random(using: &generator)
                    actual.append(Self.text(machine.send(step, isFinal: isFinal)))
                    if hasEnded { break }
                    if !waiting.isEmpty {
                        expected.append("\(waiting.removeFirst()):\(step)")
                    } else {
                        if buffer.last?.1 == false { buffer.removeLast() }
                        buffer.append((step, isFinal))
                    }
                case 8..<16:
                    actual.append(Self.text(machine.next(step, id: step)))
                    if !buffer.isEmpty {
                        expected.append("\(step):\(buffer.removeFirst().0)")
                    } else if hasEnded {
                        expected.append(end(step))
                    } else {
                        waiting.append(step)
                    }
                case 16, 17:
                    let id = Int.random(in: 0...step, using: &generator)
                    actual.append(Self.text(machine.cancelWaiter(id: id)))
                    if let index = waiting.firstIndex(of: id) { expected.append("\(waiting.remove(at: index)):end") }
                case 18:
                    let fails = Bool.random(using: &generator)
                    actual += machine.finish(fails ? .failed(Failure()) : .finished).map(Self.text)
                    if hasEnded { break }
                    (hasEnded, failure) = (true, fails)
                    expected += waiting.map(end)
                    waiting = []
                default:
                    actual += machine.cancel().map(Self.text)
                    (hasEnded, failure, buffer) = (true, false, [])
                    expected += waiting.map(end)
                    waiting = []
                }
            }
            actual.removeAll(where: \.isEmpty)
            #expect(actual == expected)
            #expect(machine.hasEnded == hasEnded)
        }
    }
}

@Suite("The machine of the analysis")
struct AnalysisProgressTests {
    private typealias Progress = AnalysisProgress<String>
    private struct Failure: Error {}

    private func wait(_ progress: inout Progress, _ name: String, _ time: AudioTime?) -> Bool {
        let id = progress.nextWaiterID()
        return progress.wait(name, id: id, through: time)
    }

    @Test("ignores a sequence that was replaced, and its failure")
    func replaced() {
        var progress = Progress()
        let first = progress.beginReading()
        #expect(wait(&progress, "end", nil))
        let second = progress.beginReading()
        #expect(!progress.isCurrent(first) && progress.isCurrent(second))
        #expect(progress.endedReading(generation: first, throwing: Failure()).isEmpty)
        #expect(progress.failure == nil)
        #expect(progress.endedReading(generation: second, throwing: Failure()) == ["end"])
        #expect(progress.failure is Failure)
    }

    @Test("resumes a caller whose wait is cancelled, also before it begins")
    func cancelled() {
        var progress = Progress()
        _ = progress.beginReading()
        let id = progress.nextWaiterID(), early = progress.nextWaiterID()
        #expect(progress.wait("a", id: id, through: nil) == true)
        #expect(progress.cancelWaiter(id: id) == "a")
        #expect(progress.cancelWaiter(id: early) == nil)
        #expect(progress.wait("b", id: early, through: nil) == false)
        #expect(progress.stopReading().isEmpty)
    }

    @Test("resumes every caller exactly once, for random events")
    func random() {
        var generator = SplitMix64(for: "analysis machine")
        for _ in 0..<2000 {
            var progress = AnalysisProgress<Int>()
            var waiting: [Int: (id: Int, time: Int?)] = [:]
            var current: Int?
            var generations: [Int] = []
            var consumed = -1
            for step in 0..<60 {
                var expected: [Int] = [], actual: [Int] = []
                switch Int.random(in: 0..<8, using: &generator) {
                case 0:
                    let generation = progress.beginReading()
                    (current, generations) = (generation, generations + [generation])
                case 1, 2, 3:
                    let until = Bool.random(using: &generator) ? nil : Int.random(in: 0..<100, using: &generator)
                    let id = progress.nextWaiterID()
                    let mustWait = current != nil && (until.map { $0 > consumed } ?? true)
                    #expect(progress.wait(step, id: id, through: until.map(time)) == mustWait)
                    if mustWait { waiting[step] = (id, until) }
                case 4, 5:
                    let now = Int.random(in: 0..<100, using: &generator)
                    actual = progress.consumed(through: time(now))
                    consumed = max(consumed, now)
                    expected = waiting.filter { $0.value.time.map { $0 <= now } ?? false }.map(\.key)
                case 6:
                    guard let generation = generations.randomElement(using: &generator) else { continue }
                    actual = progress.endedReading(generation: generation, throwing: nil)
                    if generation == current { (current, expected) = (nil, Array(waiting.keys)) }
                default:
                    if Bool.random(using: &generator), let (key, waiter) = waiting.first {
                        #expect(progress.cancelWaiter(id: waiter.id) == key)
                        waiting[key] = nil
                        continue
                    }
                    actual = progress.stopReading()
                    (current, expected) = (nil, Array(waiting.keys))
                }
                #expect(actual.sorted() == expected.sorted())
                for key in expected { waiting[key] = nil }
                #expect(current.map(progress.isCurrent) ?? true)
            }
        }
    }
}
