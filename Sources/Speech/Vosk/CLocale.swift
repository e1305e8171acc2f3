import Glibc

/// Runs code in the C locale, on the calling thread only. libvosk formats and parses numbers by the process's locale,
/// and breaks its own JSON and configuration if that has a decimal comma.
enum CLocale {
    // newlocale never fails for "C", and the object is never changed or freed.
    nonisolated(unsafe) private static let numeric: locale_t? = newlocale(1 << LC_NUMERIC, "C", nil)

    static func with<Value>(_ body: () -> Value) -> Value {
        let previous = uselocale(numeric)
        defer { uselocale(previous) }
        return body()
    }
}
