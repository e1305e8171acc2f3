import Glibc

/// The sanitizers that `make check-address` and `make check-thread` build with.
package enum Sanitizer {
    /// Whether one is in this process. It has a heap of its own, which keeps what was freed for a while, so nothing can be said of
    /// how much memory there is.
    package static let isPresent = watchesThreads || dlsym(nil, "__asan_init") != nil

    package static let watchesThreads = dlsym(nil, "__tsan_init") != nil
}
