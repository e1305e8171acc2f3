import Foundation

/// One attempt.
extension OutboxDrainer {
    nonisolated func perform(_ attempt: DrainMachine.Attempt) async -> DrainMachine.Result {
        do throws(OutboxError) {
            switch try store.read(attempt.id) {
            case .operation(let operation): return await perform(operation, isAtOnce: attempt.isAtOnce)
            case .undecodable:
                log(.putAside(id: attempt.id))
                await forget(attempt.id)
            case .missing: await forget(attempt.id)
            }
            return .gone
        } catch {
            log(.storeFailed(error))
            return retry(afterAttempts: 5)
        }
    }

    private nonisolated func retry(afterAttempts attempts: Int) -> DrainMachine.Result {
        .wait(until: clock.now + .seconds(Backoff.delay(afterAttempts: attempts, random: random())), isNetwork: false)
    }

    private nonisolated func perform(_ operation: OutboxOperation, isAtOnce: Bool) async -> DrainMachine.Result {
        let handler = await handlers[operation.destination]
        // The wall's clock may have jumped since; and that we have written the file ourselves is no news.
        let scheduled = await withMemory { $0.scheduledTime(of: operation) }
        if !isAtOnce, let scheduled, scheduled > clock.now {
            return .wait(until: scheduled, isNetwork: operation.isUnreachable)
        }
        switch operation.readiness(
            now: clock.date, isAtOnce: isAtOnce || scheduled != nil, knowsDestination: handler != nil)
        {
        case .ready: break
        case .wait(let seconds): return await wait(operation, seconds)
        case .waitsForUser: return .held
        case .unknownDestination:
            log(.unknownDestination(id: operation.id, destination: operation.destination))
            return .held
        }
        guard let handler else { preconditionFailure("ready without a handler") }
        await waitForTurn(operation, inOrder: handler.deliversInOrder)
        // Before it is noted that it may have arrived.
        if Task.isCancelled { return .held }
        var operation = operation
        if handler.needsEarlierAttempts {
            let unwritten = await withMemory { [id = operation.id] in $0.unwritten(id) }
            operation.mayHaveArrived = unwritten?.mayHaveArrived ?? operation.mayHaveArrived
            if let result = await noteBeginning(of: operation, isNeeded: handler.makesOnlyRecordedAttempts) {
                return result
            }
        }
        switch await handler.deliver(operation) {
        case .delivered: return await delivered(operation)
        case .failed(let reason, let pause, let isNetwork, let mayHaveArrived):
            operation.mayHaveArrived = operation.mayHaveArrived || mayHaveArrived
            return await failed(operation, reason, pause: pause, isNetwork: isNetwork)
        case .needsUser(let reason): return await needsUser(operation, reason)
        }
    }

    /// Waits for what is left of a delay, by the clock that never jumps; the file may be looked at again meanwhile.
    private nonisolated func wait(_ operation: OutboxOperation, _ seconds: Double) async -> DrainMachine.Result {
        let (date, until) = (clock.date, clock.now + .seconds(seconds))
        var next = operation.nextEligibleAt
        // Every start would wait for the whole delay again, until the clock is where it was.
        if operation.isAheadOfClock(date) {
            do throws(OutboxError) {
                next = try store.change(operation.id) { $0.followClock(date) }?.nextEligibleAt ?? next
            } catch {
                log(.storeFailed(error))
            }
        }
        if let next { await withMemory { $0.scheduled(operation.id, until: until, date: next) } }
        return .wait(until: until, isNetwork: operation.isUnreachable)
    }

    /// Notes that from here on it may have arrived, whatever is killed. How the attempt ends takes that back, or not.
    ///
    /// - Returns: what becomes of it when it is not to be brought: the user has removed it meanwhile, or given it another destination.
    private nonisolated func noteBeginning(
        of operation: OutboxOperation, isNeeded: Bool
    ) async -> DrainMachine.Result? {
        if operation.mayHaveArrived { return nil }
        do throws(OutboxError) {
            var hasMoved = false
            let noted = try store.change(operation.id) { now in
                hasMoved = now.hasMoved(since: operation)
                if !hasMoved { now.mayHaveArrived = true }
            }
            if noted != nil { return hasMoved ? Self.lookAgain : nil }
            await forget(operation.id)
            return .gone
        } catch {
            log(.storeFailed(error))
            // A full disk keeps nothing from arriving. After a kill, the user is asked what could have been known.
            return isNeeded ? retry(afterAttempts: 1) : nil
        }
    }

    private nonisolated func delivered(_ operation: OutboxOperation) async -> DrainMachine.Result {
        do throws(OutboxError) {
            if try !store.removeArrived(operation) { return Self.lookAgain }
        } catch {
            // It will be delivered again, which does nothing a second time.
            log(.storeFailed(error))
            return retry(afterAttempts: await withMemory { $0.countUnwritten(operation.id, mayHaveArrived: true) })
        }
        await forget(operation.id)
        log(.delivered(id: operation.id, destination: operation.destination, attempts: operation.attemptCount + 1))
        return .gone
    }

    private nonisolated func failed(
        _ operation: OutboxOperation, _ reason: String, pause: Duration?, isNetwork: Bool
    ) async -> DrainMachine.Result {
        // It was we who broke it off.
        if Task.isCancelled { return .held }
        let attempts = operation.attemptCount + 1 + (await withMemory { $0.unwritten(operation.id)?.attempts } ?? 0)
        let pause = pause.map { Double($0.components.seconds) + Double($0.components.attoseconds) * 1e-18 }
        let delay = Backoff.delay(afterAttempts: attempts, pause: pause, random: random())
        let date = clock.date
        let hasMoved = await write(operation) { now in
            now.fail(
                attempts: attempts, reason, delay: delay, isNetwork: isNetwork,
                mayHaveArrived: operation.mayHaveArrived, at: date)
        }
        if hasMoved { return Self.lookAgain }
        log(
            .failed(
                id: operation.id, destination: operation.destination, reason: reason, attempts: attempts, delay: delay))
        let until = clock.now + .seconds(delay)
        await withMemory { $0.scheduled(operation.id, until: until, date: date + delay) }
        return .wait(until: until, isNetwork: isNetwork)
    }

    private nonisolated func needsUser(_ operation: OutboxOperation, _ reason: String) async -> DrainMachine.Result {
        if Task.isCancelled { return .held }
        let date = clock.date
        let hasMoved = await write(operation) {
            $0.waitForUser(reason, mayHaveArrived: operation.mayHaveArrived, at: date)
        }
        if hasMoved { return Self.lookAgain }
        log(.needsUser(id: operation.id, destination: operation.destination, reason: reason))
        return .held
    }

    /// For what was given another destination while it was brought to the old one: what became of it there says nothing of the new one.
    private static let lookAgain = DrainMachine.Result.wait(until: .zero, isNetwork: false)

    /// - Returns: whether it is gone or goes elsewhere by now, and stays as it is.
    private nonisolated func write(_ operation: OutboxOperation, _ body: (inout OutboxOperation) -> Void) async -> Bool
    {
        var hasMoved = false
        do throws(OutboxError) {
            let changed = try store.change(operation.id) { now in
                hasMoved = now.hasMoved(since: operation)
                if !hasMoved { body(&now) }
            }
            // Where it goes to, it has another id.
            if changed == nil { hasMoved = true }
            await withMemory { $0.written(operation.id) }
        } catch {
            log(.storeFailed(error))
            _ = await withMemory { $0.countUnwritten(operation.id, mayHaveArrived: operation.mayHaveArrived) }
        }
        return hasMoved
    }
}
