/// Decimal numbers with a fixed count of decimals, from integers, so that no locale and no binary fraction shows.
enum Decimals {
    /// `value` with exactly `decimals` decimals, the nearest. Halves go away from zero.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
        // Far beyond any recording; it only must not trap.
        let scaled = Int(max(-1e15, min(1e15, value.isNaN ? 0 : value * Double(scale))).rounded())
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        if decimals == 0 { return sign + padded }
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
