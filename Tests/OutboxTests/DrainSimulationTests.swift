import Foundation
import TestSupport
import Testing

@testable import Outbox

/// The drainer's decisions against a fake clock, fake disk and fake receivers, over random episodes of a million steps together.
/// `UTTER_EPISODES` says how many instead; `UTTER_EPISODES=1` with the seed of one episode as `UTTER_SEED` replays it.
@Suite("Draining, simulated")
struct DrainSimulationTests {
    /// 0 for as many as make the steps.
    private static let episodeCount = Tier.count(0, long: 0, "UTTER_EPISODES")
    private static let stepCount = Tier.count(60_000, long: 300_000)

    @Test(
        "Order, limit, delays and exactly one effect hold through failures, restarts, jumping clocks and lost networks")
    func episodes() throws {
        var seeds = SplitMix64(for: "drain episodes")
        var totals = Totals()
        var seed = seeds.seed
        var episodes = 0
        func isEnough() -> Bool {
            Self.episodeCount > 0 ? episodes >= Self.episodeCount : totals.steps >= Self.stepCount
        }
        while !isEnough() {
            episodes += 1
            var world = World(seed: seed, totals)
            seed = seeds.next()
            do throws(Broken) {
                try world.live()
            } catch {
                Issue.record("UTTER_EPISODES=1 UTTER_SEED=\(world.seed): \(error.what)")
            }
            totals = world.totals
        }
        print(
            "simulated: \(episodes) episodes, \(totals.steps) steps, \(totals.attempts) attempts, "
                + "\(totals.restarts) restarts, \(totals.effects) effects, \(totals.repeats) repeats")
        // Each kind of trouble has come.
        if Self.episodeCount > 0 { return }
        #expect(totals.restarts > 100 && totals.repeats > 100 && totals.effects > 1000 && totals.pauses > 100)
    }

    struct Totals {
        var steps = 0
        var attempts = 0
        var restarts = 0
        var effects = 0
        var repeats = 0
        /// Pauses that a receiver asked for.
        var pauses = 0
    }

    struct Broken: Error {
        var what: String
    }
}

/// One process after another over one folder, and the receivers.
private struct World {
    typealias Broken = DrainSimulationTests.Broken

    private struct Flight {
        var ends: Duration
        var outcome: DeliveryOutcome
        /// The receiver has got it, whatever the sender hears.
        var hasEffect: Bool
        var isAtOnce: Bool
        /// Whether somebody has written its file anew since it began.
        var isChanged = false
    }

    let seed: UInt64
    /// Of all episodes so far.
    var totals: DrainSimulationTests.Totals
    private var random: SplitMix64
    private var disk: [UUID: OutboxOperation] = [:]
    private var entries: [UUID: OutboxIndex.Entry] = [:]
    private var machine = DrainMachine()
    private var flights: [UUID: Flight] = [:]
    /// When this process may try an operation at the earliest, by the rules as the test knows them; nil for never.
    private var due: [UUID: Duration?] = [:]
    private var effects: [UUID: Int] = [:]
    private var now = Duration.seconds(1000)
    /// What the wall is ahead.
    private var clockError = 0.0
    private var isHealed = false
    private var made = 0
    private let troubles: Double

    init(seed: UInt64, _ totals: DrainSimulationTests.Totals) {
        (self.seed, self.totals) = (seed, totals)
        random = SplitMix64(seed: seed)
        troubles = Double.random(in: 0...1, using: &random)
    }

    private var date: Date { Date(timeIntervalSince1970: seconds(now) + clockError + 1e9) }

    private func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }

    private mutating func happens(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    mutating func live() throws(Broken) {
        for _ in 0..<Int.random(in: 10...120, using: &random) { try step() }
        // Everything works again, and the user has looked after what waited for him.
        isHealed = true
        for round in 0..<2000 where !disk.isEmpty {
            // An attempt that was under way may end with yet another matter for the user.
            if round % 100 == 0 { for id in disk.keys.sorted(by: isBefore) { touch(id) { $0.retry() } } }
            try step()
        }
        if !disk.isEmpty { throw Broken(what: "\(disk.count) never arrived") }
        for (id, count) in effects where count != 1 { throw Broken(what: "\(id) had \(count) effects") }
        if effects.count != made { throw Broken(what: "\(made) were accepted, \(effects.count) arrived") }
    }

    private mutating func step() throws(Broken) {
        totals.steps += 1
        try start()
        if !isHealed {
            if happens(0.3) { enqueue() }
            if happens(0.03) { restart() }
            if happens(0.03) { clockError += Double.random(in: -1e6...1e6, using: &random) }
            if happens(0.05) {
                machine.networkCameBack()
                for (id, operation) in disk where operation.isUnreachable && flights[id] == nil && due[id] != .some(nil)
                {
                    due[id] = .some(.zero)
                }
            }
            if happens(0.05), let id = disk.keys.sorted(by: isBefore).randomElement(using: &random) {
                touch(id) { $0.retry() }
            }
            try start()
        }
        // On to whatever comes next, or only a little.
        let next = [flights.values.map(\.ends).min(), machine.wakeTime()].compactMap { $0 }.min()
        if let next, isHealed || happens(0.8) {
            now = max(now, next)
        } else {
            now += .seconds(Double.random(in: 0...5, using: &random))
        }
        let landing = flights.filter { $0.value.ends <= now }
        for (id, flight) in landing.sorted(by: {
            ($0.value.ends, $0.key.halves.low) < ($1.value.ends, $1.key.halves.low)
        }) {
            try land(id, flight)
        }
    }

    /// A dictionary has another order each time; an episode has not. The second half of an id counts.
    private func isBefore(_ one: UUID, _ other: UUID) -> Bool { one.halves.low < other.halves.low }

    private mutating func enqueue() {
        // The wall may have gone back, and the ids with it.
        let id = UUID(high: UInt64(max(0, date.milliseconds)) << 16 | 0x7000, low: UInt64(made) | 1 << 63)
        made += 1
        disk[id] = OutboxOperation(
            id: id, destination: happens(0.02) ? "unknown" : "k", payload: Data(), createdAt: date)
        entries[id] = OutboxIndex.Entry(id: id, time: id.timeInMilliseconds!)
        tellMachine(id)
    }

    /// Somebody writes the file anew.
    private mutating func touch(_ id: UUID, _ body: (inout OutboxOperation) -> Void) {
        body(&disk[id]!)
        if isHealed, let old = disk[id], old.destination == "unknown" {
            // The version that knows it.
            disk[id] = OutboxOperation(id: id, destination: "k", payload: Data(), createdAt: old.createdAt)
        }
        tellMachine(id)
    }

    private mutating func tellMachine(_ id: UUID) {
        machine.changed(entries[id]!)
        if flights[id] == nil { due[id] = .some(.zero) } else { flights[id]?.isChanged = true }
    }

    private mutating func restart() {
        totals.restarts += 1
        // What was on its way may or may not have arrived.
        for id in flights.keys.sorted(by: isBefore) where flights[id]!.hasEffect && happens(0.5) { takeEffect(id) }
        flights = [:]
        now += .seconds(Double.random(in: 0...2000, using: &random))
        if happens(0.5) { clockError += Double.random(in: -1e5...1e5, using: &random) }
        machine = DrainMachine(entries.values.filter { disk[$0.id] != nil }.sorted())
        due = [:]
        for id in disk.keys { due[id] = .some(.zero) }
    }

    private mutating func takeEffect(_ id: UUID) {
        // The receiver honours the key.
        if effects[id] != nil { totals.repeats += 1 } else { effects[id] = 1 }
    }

    /// Starts what the machine says, as the drainer does.
    private mutating func start() throws(Broken) {
        while let attempt = machine.next(at: now) {
            guard flights[attempt.id] == nil else { throw Broken(what: "two attempts at once") }
            guard let operation = disk[attempt.id] else {
                machine.finished(attempt.id, .gone)
                continue
            }
            // None that is older may be due.
            for (id, time) in due where flights[id] == nil && disk[id] != nil {
                if let time, time <= now, entries[id]! < entries[attempt.id]! {
                    throw Broken(what: "an older one was due")
                }
            }
            switch operation.readiness(
                now: date, isAtOnce: attempt.isAtOnce, knowsDestination: operation.destination == "k")
            {
            case .wait(let seconds):
                // A clock that jumps delays nothing longer than its own delay.
                let limit =
                    operation.lastAttemptAt.map { operation.nextEligibleAt!.timeIntervalSince($0) } ?? Backoff.ceiling
                if seconds > limit + 1e-3 { throw Broken(what: "delayed by a clock") }
                let time = now + .seconds(seconds)
                machine.finished(attempt.id, .wait(until: time, isNetwork: operation.isUnreachable))
                due[attempt.id] = .some(time)
            case .waitsForUser, .unknownDestination:
                machine.finished(attempt.id, .held)
                due[attempt.id] = .some(nil)
            case .ready:
                totals.attempts += 1
                fly(attempt)
                if flights.count > 3 { throw Broken(what: "\(flights.count) in flight") }
            }
        }
        if flights.count < 3,
            let id = due.first(where: { flights[$0.key] == nil && $0.value.map { $0 <= now } == true })?.key
        {
            throw Broken(what: "\(id) is due and not tried")
        }
    }

    private mutating func fly(_ attempt: DrainMachine.Attempt) {
        var outcome = DeliveryOutcome.delivered
        var hasEffect = true
        if !isHealed, happens(troubles) {
            hasEffect = happens(0.3)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: outcome = .failed(reason: "503")
            case 1: outcome = .failed(reason: "unreachable", isNetwork: true)
            case 2:
                outcome = .failed(reason: "429", after: .seconds(Double.random(in: 0...2000, using: &random)))
                totals.pauses += 1
            case 3: outcome = .needsUser(reason: "404")
            default: outcome = .failed(reason: "slow")
            }
        }
        flights[attempt.id] = Flight(
            ends: now + .seconds(Double.random(in: 0...(happens(0.1) ? 300 : 3), using: &random)), outcome: outcome,
            hasEffect: hasEffect, isAtOnce: attempt.isAtOnce)
    }

    private mutating func land(_ id: UUID, _ flight: Flight) throws(Broken) {
        flights[id] = nil
        if flight.hasEffect { takeEffect(id) }
        guard let operation = disk[id] else { throw Broken(what: "an operation has vanished") }
        switch flight.outcome {
        case .delivered:
            if effects[id] == nil { throw Broken(what: "delivered without an effect") }
            totals.effects += 1
            disk[id] = nil
            machine.finished(id, .gone)
            due[id] = nil
        case .failed(let reason, let pause, let isNetwork, _):
            let attempts = operation.attemptCount + 1
            let pause = pause.map(seconds)
            let delay = Backoff.delay(
                afterAttempts: attempts, pause: pause, random: Double.random(in: 0...1, using: &random))
            let base = min(600, pow(2, Double(attempts)))
            if delay < (pause ?? 0) { throw Broken(what: "a pause was not kept") }
            if delay < base || delay > max(base, pause ?? 0) * 1.3 { throw Broken(what: "a delay of \(delay)") }
            disk[id]!.fail(attempts: attempts, reason, delay: delay, isNetwork: isNetwork, at: date)
            let time = now + .seconds(delay)
            finish(id, .wait(until: time, isNetwork: isNetwork), isChanged: flight.isChanged, due: time)
        case .needsUser(let reason):
            disk[id]!.waitForUser(reason, at: date)
            finish(id, .held, isChanged: flight.isChanged, due: nil)
        }
    }

    /// Where the file was changed while it was tried, the machine looks again.
    private mutating func finish(_ id: UUID, _ result: DrainMachine.Result, isChanged: Bool, due time: Duration?) {
        machine.finished(id, result)
        due[id] = isChanged ? .some(.zero) : .some(time)
    }
}
