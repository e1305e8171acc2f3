import CSampleRate

/// The calls of this module into libsamplerate, in one table, so that a test can count them or make one fail.
struct SampleRateCalls: Sendable {
    /// Makes a converter, from its quality, its channel count, and a place for the error if there is none.
    ///
    /// C: `src_new`
    var new: @Sendable (Int32, Int32, UnsafeMutablePointer<Int32>) -> OpaquePointer?
    /// Converts as much as possible of one block; returns 0 or an error.
    ///
    /// C: `src_process`
    var process: sample_rate_process_function
    /// Forgets the input so far; returns 0 or an error.
    ///
    /// C: `src_reset`
    var reset: sample_rate_reset_function
    /// Frees a converter.
    ///
    /// C: `src_delete`
    var delete: @Sendable (OpaquePointer) -> Void

    /// The functions of libsamplerate itself.
    static let library = SampleRateCalls(
        new: { src_new($0, $1, $2) },
        process: src_process,
        reset: src_reset,
        delete: { _ = src_delete($0) }
    )

    /// Returns libsamplerate's message for one of its errors, without the full stop.
    ///
    /// C: `src_strerror`
    static func message(for libraryCode: Int32) -> String {
        let words = src_strerror(libraryCode).map { String(cString: $0) } ?? "unknown error"
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}
