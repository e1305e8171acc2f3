import Glibc

/// The sanitizers that `make check-address` and `make check-thread` build with.
package enum Sanitizer {
    /// Whether this process has a sanitizer. A sanitizer's heap keeps freed memory for a while, so memory use can't be measured.
    package static let isPresent = watchesThreads || dlsym(nil, "__asan_init") != nil

    package static let watchesThreads = dlsym(nil, "__tsan_init") != nil
}
