import Glibc

/// The C library's heap.
enum Heap {
    // glibc's module for Swift leaves malloc.h out. Another C library may not have it.
    private static let trim: (@convention(c) (Int) -> Int32)? = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Gives memory that was freed back to the system. By itself glibc keeps what lies between pieces that are in use, in the
    /// heap of every thread that ever asked for any. malloc_trim
    static func giveBack() { _ = trim?(0) }
}
