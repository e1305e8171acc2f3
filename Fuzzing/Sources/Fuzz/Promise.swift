/// Ends the process unless `condition` holds, also in an optimized build.
func require(
    _ condition: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition { fatalError("broken promise: \(promise())", file: file, line: line) }
}

/// Returns the value; ends the process when it is nil.
func require<Value>(
    _ value: Value?, _ promise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Value {
    guard let value else { fatalError("broken promise: \(promise())", file: file, line: line) }
    return value
}
