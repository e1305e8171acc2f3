import Glibc

/// libvosk writes and reads numbers with the process's locale, and breaks its own JSON and configuration where that has a
/// decimal comma. Around its calls the calling thread, and no other, is put into the C locale.
enum CLocale {
    // newlocale never fails for "C", and the object is never changed or freed.
    nonisolated(unsafe) private static let numeric: locale_t? = newlocale(1 << LC_NUMERIC, "C", nil)

    static func with<Value>(_ body: () -> Value) -> Value {
        let previous = uselocale(numeric)
        defer { uselocale(previous) }
        return body()
    }
}
