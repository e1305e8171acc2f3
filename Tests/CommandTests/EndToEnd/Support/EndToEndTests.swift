import Testing

/// Tests that run the built command as its users do.
@Suite("The command, end to end")
enum EndToEndTests {}
