extension [String] {
    /// A line of what a program or a terminal shows, by its number from 0; "" where there is none. An index that is out of range would
    /// end the tests' process, and no expectation would say what was there instead.
    package func line(_ number: Int) -> String { indices.contains(number) ? self[number] : "" }
}
