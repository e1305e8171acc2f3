import Foundation

// libFuzzer has the `main` and calls these functions.

/// Called once, before any input.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
    guard Subject.chosen != nil else {
        let names = Subject.allCases.map(\.rawValue).joined(separator: " ")
        FileHandle.standardError.write(Data("UTTER_FUZZ_SUBJECT is not set to one of: \(names)\n".utf8))
        exit(EX_USAGE)
    }
    return 0
}

/// Called with every input.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    Subject.chosen?.check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
