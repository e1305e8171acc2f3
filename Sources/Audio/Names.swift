import System

/// A system call on a file failed. Those who import this library alone know it by this name.
public typealias FileError = System.FileError
