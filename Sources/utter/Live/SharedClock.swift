import Foundation
import Glibc

/// The clock that several sources share: it begins with the command.
struct SharedClock: Sendable {
    /// In seconds of the monotonic clock.
    private let start: Double
    /// When it began, in seconds since 1970.
    let timeOfDay: Double

    init() { (start, timeOfDay) = (Self.time, Date().timeIntervalSince1970) }

    /// C: `clock_gettime` with `CLOCK_MONOTONIC`
    private static var time: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How many samples of `rate` Hz have passed.
    func now(rate: Int) -> Int64 { Int64(position(of: Self.time, rate: rate)) }

    /// Where a time of the monotonic clock, in seconds, stands, in samples.
    func position(of time: Double, rate: Int) -> Double { (time - start) * Double(rate) }
}
