extension BinaryInteger {
    /// The number in so many digits or more, with zeros before it.
    package func digits(_ count: Int, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(self, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
