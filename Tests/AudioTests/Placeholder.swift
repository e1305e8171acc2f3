import Testing
@testable import Audio
@Test func placeholder() {}
