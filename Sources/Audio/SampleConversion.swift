extension Int16 {
    /// Creates the 16-bit sample nearest to `sample`, whose full scale is ±1.0.
    ///
    /// The value is `sample` × 32768, rounded to the nearest integer (a tie to the even one) and clamped to
    /// -32768…32767. NaN becomes 0. The conversion never traps, and restores the integer exactly if `sample` is
    /// `Float(integer) / 32768`.
    @inlinable
    @_noLocks
    public init(sample: Float) {
        let scaled = sample * 32768
        let belowMaximum = scaled > 32767 ? 32767 : scaled
        let clamped = belowMaximum < -32768 ? -32768 : belowMaximum
        // At 1.5 × 2²³ one unit in the last place is 1, so the sum is rounded correctly and its low bits are the
        // integer. Unlike rint() and a checked conversion, this compiles to a few vector instructions.
        let integer = Int16(truncatingIfNeeded: (clamped + 12_582_912).bitPattern)
        self = sample == sample ? integer : 0
    }
}
