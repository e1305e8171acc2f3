import Testing

extension Program.Finished {
    /// Expects the exit status, and all that it wrote to standard error, and to standard output if that is given.
    package func expectEnd(
        _ exitCode: Int32, output: String? = nil, errors: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(end == .exited(exitCode), "\(self.errors)", sourceLocation: sourceLocation)
        #expect(self.errors == errors, sourceLocation: sourceLocation)
        if let output { #expect(self.output == output, sourceLocation: sourceLocation) }
    }
}
