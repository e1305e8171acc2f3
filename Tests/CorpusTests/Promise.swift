import Testing

// These replace the fuzzing's `require`, which ends the process.

func require(_ condition: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line)
{
    if !condition { Issue.record("broken promise: \(promise()), at \(file):\(line), with \(CorpusTests.input)") }
}

/// Returns the value; ends the process when there is none, since the check can't go on without it.
func require<Value>(
    _ value: Value?, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Value {
    guard let value else {
        fatalError("broken promise: \(promise()), with \(CorpusTests.input)", file: file, line: line)
    }
    return value
}
