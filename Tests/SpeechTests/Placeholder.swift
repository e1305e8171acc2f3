import Testing
@testable import Speech
@Test func placeholder() {}
