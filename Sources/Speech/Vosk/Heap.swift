import Glibc

/// The C library's heap.
enum Heap {
    // Swift's Glibc module lacks malloc.h, and another C library may lack the function.
    private static let trim: (@convention(c) (Int) -> Int32)? = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Returns freed memory to the system. By itself, glibc keeps what lies between allocations that are in use, in the
    /// heap of every thread that ever allocated. C: `malloc_trim`
    static func giveBack() { _ = trim?(0) }
}
