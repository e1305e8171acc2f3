import Testing

// What stands in for the fuzzing's `require`, which ends the process.

func require(_ condition: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) {
    if !condition { Issue.record("broken promise: \(promise()), at \(file):\(line), with \(CorpusTests.input)") }
}

/// Without the value there is nothing to go on with.
func require<Value>(_ value: Value?, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) -> Value {
    guard let value else { fatalError("broken promise: \(promise()), with \(CorpusTests.input)", file: file, line: line) }
    return value
}
