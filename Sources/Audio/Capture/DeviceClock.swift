/// What the device's clock is worth beside ours. Pure: it is told what time it is, in nanoseconds.
///
/// Only what two stretches of five seconds agree on counts: sound that comes late all at once, as on a machine with too much to do,
/// makes one of them wrong.
struct DeviceClock {
    /// From where on the rate is measured; the time is 0 where there is no such point.
    private var anchorTime: Int64 = 0
    private var anchorFrames: Int64 = 0
    /// In Hz, over the stretch before; 0 when there was none.
    private var lastRate = 0.0
    /// When sound last came.
    private var lastSound: Int64

    @_noLocks
    init(now: Int64) { lastSound = now }

    /// The device has nothing more to read: from now on what comes is what its clock gives. A device that is never out of sound
    /// has no clock.
    @_noLocks
    mutating func emptied(at time: Int64, frames: Int64) {
        guard anchorTime == 0 else { return }
        (anchorTime, anchorFrames) = (time, frames)
    }

    /// Sound has come.
    ///
    /// - Parameter frames: how many there are since the start.
    /// - Returns: the device's rate in Hz, when it has just been measured; else 0.
    @_noLocks
    mutating func soundCame(at time: Int64, frames: Int64) -> Int {
        lastSound = time
        let elapsed = time &- anchorTime
        guard anchorTime != 0, elapsed >= 5_000_000_000 else { return 0 }
        let rate = Double(frames &- anchorFrames) * 1e9 / Double(elapsed)
        let difference = rate > lastRate ? rate - lastRate : lastRate - rate
        let measured = difference < rate / 200 ? Int((rate + lastRate) / 2) : 0
        lastRate = rate
        (anchorTime, anchorFrames) = (time, frames)
        return measured
    }

    /// No sound has come. A device that pauses says nothing about its clock.
    @_noLocks
    mutating func waited(until time: Int64) {
        if time &- lastSound >= 500_000_000 { anchorTime = 0 }
    }

    /// The device goes on after a loss.
    @_noLocks
    mutating func wentOn(at time: Int64) { (lastSound, anchorTime) = (time, 0) }
}
