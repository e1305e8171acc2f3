import TestSupport
import Testing

@testable import Speech

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
