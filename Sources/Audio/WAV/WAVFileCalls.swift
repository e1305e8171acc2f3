import Glibc

/// The system calls that write a WAV file to the disk, in one table, so that a test can observe them and make them
/// fail.
struct WAVFileCalls {
    var write: (Int32, UnsafeRawPointer?, Int, off_t) -> Int = pwrite
    var truncate: (Int32, off_t) -> Int32 = ftruncate
    var flush: (Int32) -> Int32 = fdatasync
}
