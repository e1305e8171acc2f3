/// A text that other programs can ask for as both selections of a session.
protocol TextOffer: Sendable {
    /// Waits until it is offered and programs that keep a history of the clipboard have asked for it.
    ///
    /// - Returns: whether it is still offered; if not, another program has taken the clipboard.
    func settle() async -> Bool

    /// Waits until a program asks for the text, after it has settled.
    ///
    /// - Parameter limit: the longest time.
    /// - Returns: whether one has asked.
    func isAskedFor(within limit: Duration) async -> Bool
}
