/// When the frames that are read had sounded, and what is missing between them. Pure: it is told what time it is, in nanoseconds.
///
/// The clock alone does not say when a frame sounded: the thread may be held up after the read, and a device that has more is behind its
/// time. How long its frames last says more, as long as the device is read empty now and then.
struct CaptureTimeline {
    /// In Hz.
    private let deviceRate: Int
    private let outputRate: Int
    /// Samples of the output that went missing.
    private var missing: Int64 = 0
    /// When the last frame that was read sounded.
    private var soundTime: Int64
    /// When the device was last waited for or read.
    private var lastLook: Int64
    /// Whether the last read got all that it asked for.
    private var wasReadFull = false
    /// Samples that went missing and were not announced yet.
    private(set) var pendingGap: Int64 = 0
    /// Whether what is missing since the last sound is among the overruns or suspensions.
    private var isLossCounted = false

    init(deviceRate: Int, outputRate: Int, now: Int64) {
        (self.deviceRate, self.outputRate) = (deviceRate, outputRate)
        (soundTime, lastLook) = (now, now)
    }

    /// The device has been started: nothing sounded before.
    @_noLocks
    mutating func started(at time: Int64) { soundTime = time }

    /// The device has been waited for.
    @_noLocks
    mutating func looked(at time: Int64) { lastLook = time }

    /// The device has been read.
    ///
    /// - Parameters:
    ///   - result: how many frames came, or a negative errno.
    ///   - isOutOfSound: whether it has no more by what the read has returned.
    @_noLocks
    mutating func read(_ result: Int, of count: Int, isOutOfSound: Bool, at time: Int64) {
        if result > 0 { soundTime = min(soundTime &+ Int64(result) &* 1_000_000_000 / Int64(deviceRate), time) }
        // It had nothing more when it was read, and that was after the last look.
        let isEmpty = result > 0 ? result < count : wasReadFull && isOutOfSound
        if isEmpty { soundTime = max(soundTime, lastLook) }
        wasReadFull = result == count
        lastLook = time
    }

    /// The frames of a read are taken in: what is lost from now on is another loss.
    @_noLocks
    mutating func soundCame() { isLossCounted = false }

    /// - Returns: whether a loss is to be counted: once until sound comes again, however often the device must be asked.
    @_noLocks
    mutating func countsLoss() -> Bool {
        if isLossCounted { return false }
        isLossCounted = true
        return true
    }

    /// The device goes on, and has lost what sounded after the last frame that was read.
    ///
    /// - Returns: samples of the output that are missing.
    @_noLocks
    mutating func wentOn(at time: Int64) -> Int64 {
        let length = max(0, (time &- soundTime) / 1000 &* Int64(outputRate) / 1_000_000)
        soundTime = time
        pendingGap &+= length
        missing &+= length
        return length
    }

    /// When the first frame sounded, judged by the last one.
    ///
    /// - Parameter frames: how many there are since the start.
    @_noLocks
    func firstTime(frames: Int64) -> Int64 {
        soundTime &- Self.nanoseconds(frames, at: Int64(deviceRate)) &- Self.nanoseconds(missing, at: Int64(outputRate))
    }

    /// How long so many samples last, for any number of them.
    @_noLocks
    private static func nanoseconds(_ count: Int64, at rate: Int64) -> Int64 {
        count / rate &* 1_000_000_000 &+ count % rate &* 1_000_000_000 / rate
    }

    /// The reader knows of what was missing.
    @_noLocks
    mutating func gapAnnounced() { pendingGap = 0 }
}
