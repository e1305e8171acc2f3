/// The reason for which a capture ended, small enough for the capture thread to store in an atomic.
struct CaptureEnd: Hashable, Sendable {
    enum Reason: Int32, Sendable, CaseIterable {
        /// The capture was asked to stop.
        case stopped = 1
        case unplugged
        /// The device runs but gives no sound.
        case silent
        /// A call failed, and failed again after the device was restarted.
        case failed
        /// The sample rate converter failed.
        case conversionFailed
    }

    var reason: Reason
    /// The errno, or the error number of libsamplerate; 0 if there is none.
    var code: Int32 = 0

    /// The reason and the code in one word, which is never 0.
    @_noLocks
    func packed() -> Int64 { Int64(reason.rawValue) << 32 | Int64(UInt32(bitPattern: code)) }

    @_noLocks
    init(reason: Reason, code: Int32 = 0) {
        self.reason = reason
        self.code = code
    }

    init?(packed: Int64) {
        guard let reason = Reason(rawValue: Int32(truncatingIfNeeded: packed >> 32)) else { return nil }
        self.init(reason: reason, code: Int32(truncatingIfNeeded: packed))
    }
}
