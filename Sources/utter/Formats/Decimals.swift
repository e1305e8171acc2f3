/// Writes decimal numbers independently of the locale.
enum Decimals {
    /// The number with exactly `decimals` decimals, rounded to the nearest; halves are rounded away from zero.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
        // The limits are far beyond any recording, and keep Int(_:) from trapping.
        let scaled = Int(max(-1e15, min(1e15, value.isNaN ? 0 : value * Double(scale))).rounded())
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        if decimals == 0 { return sign + padded }
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
