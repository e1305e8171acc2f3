extension [String] {
    /// The line with this number, counted from 0; "" when there is none. An index out of range would end the tests' process, and no
    /// expectation would show the actual lines.
    package func line(_ number: Int) -> String { indices.contains(number) ? self[number] : "" }
}
