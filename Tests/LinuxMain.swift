import Testing

// Runs the tests. SwiftPM would write such a file itself, with what it finds of XCTest's in an index of the sources; we have none of
// those, and without the index the tests are built in five sixths of the time. `swift test` runs the program twice: for XCTest as well.
if CommandLine.arguments.contains("swift-testing") {
    await Testing.__swiftPMEntryPoint() as Never
}
