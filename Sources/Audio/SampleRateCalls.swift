import CSampleRate

/// Every call that this module makes into libsamplerate, in one table, so that a test can count them or let one fail.
struct SampleRateCalls: Sendable {
    /// Makes a converter: its quality, its channels, and where the error goes when there is none.
    ///
    /// C: `src_new`
    var new: @Sendable (Int32, Int32, UnsafeMutablePointer<Int32>) -> OpaquePointer?
    /// Converts what it can of one block; 0 or an error.
    ///
    /// C: `src_process`
    var process: sample_rate_process_function
    /// Forgets what was fed; 0 or an error.
    ///
    /// C: `src_reset`
    var reset: sample_rate_reset_function
    /// C: `src_delete`
    var delete: @Sendable (OpaquePointer) -> Void

    /// libsamplerate itself.
    static let library = SampleRateCalls(
        new: { src_new($0, $1, $2) },
        process: src_process,
        reset: src_reset,
        delete: { _ = src_delete($0) }
    )

    /// libsamplerate's own words for one of its errors, without the full stop.
    ///
    /// C: `src_strerror`
    static func message(for libraryCode: Int32) -> String {
        let words = src_strerror(libraryCode).map { String(cString: $0) } ?? "unknown error"
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}
