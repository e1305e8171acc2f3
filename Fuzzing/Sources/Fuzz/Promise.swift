/// Ends the process unless `condition` holds. Unlike `assert` also where the optimizer was at work.
func require(
    _ condition: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition { fatalError("broken promise: \(promise())", file: file, line: line) }
}

/// A value that must be there.
func require<Value>(
    _ value: Value?, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Value {
    guard let value else { fatalError("broken promise: \(promise())", file: file, line: line) }
    return value
}
