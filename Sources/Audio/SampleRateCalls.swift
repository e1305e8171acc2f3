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
    var process: @Sendable (OpaquePointer, UnsafeMutablePointer<SRC_DATA>) -> Int32
    /// Forgets what was fed; 0 or an error.
    ///
    /// C: `src_reset`
    var reset: @Sendable (OpaquePointer) -> Int32
    /// C: `src_delete`
    var delete: @Sendable (OpaquePointer) -> Void

    /// libsamplerate itself.
    static let library = SampleRateCalls(
        new: { src_new($0, $1, $2) },
        process: { src_process($0, $1) },
        reset: { src_reset($0) },
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
