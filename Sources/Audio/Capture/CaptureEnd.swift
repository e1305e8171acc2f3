/// Why a capture ended. Small enough for the capture thread to leave it in an atomic.
struct CaptureEnd: Hashable, Sendable {
    enum Reason: Int32, Sendable, CaseIterable {
        /// It was asked to.
        case stopped = 1
        /// The device is gone.
        case unplugged
        /// The device runs, and nothing comes.
        case silent
        /// A call failed, and failed again after the device was started anew.
        case failed
        /// The sample rate converter failed.
        case conversionFailed
    }

    var reason: Reason
    /// The errno, or libsamplerate's number; 0 where there is none.
    var code: Int32 = 0

    /// Both in one word that is never 0.
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
