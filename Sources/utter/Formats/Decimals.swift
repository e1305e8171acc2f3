import System

/// Writes decimal numbers independently of the locale.
enum Decimals {
    /// The number with exactly `decimals` decimals, rounded to the nearest; halves are rounded away from zero.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
        // The limits are far beyond any recording, and keep Int(_:) from trapping.
        let scaled = Int(max(-1e15, min(1e15, value.isNaN ? 0 : value * Double(scale))).rounded())
        let digits = scaled.magnitude.digits(decimals + 1)
        let sign = scaled < 0 ? "-" : ""
        if decimals == 0 { return sign + digits }
        return sign + digits.dropLast(decimals) + "." + digits.suffix(decimals)
    }

    /// The number rounded to `decimals` decimals, without zeros at the end: 1.17, 1.2, 3.
    static func short(_ value: Double, decimals: Int) -> String {
        var text = fixed(value, decimals: decimals)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return text
    }
}
