/// A text that other programs can ask for as both selections of a session.
protocol TextOffer: Sendable {
    /// Waits until it is offered and programs that keep a history of the clipboard have asked for it.
    ///
    /// - Returns: why it is not offered, a sentence; nil when it is.
    func settle() async -> String?

    /// Waits until a program asks for the text, after it has settled; false when none has asked within a time.
    func isAskedFor(within limit: Duration) async -> Bool

    /// Whether another program has surely taken a selection, so that what it has is nobody's to replace.
    func isTaken(_ selection: String) -> Bool
}
