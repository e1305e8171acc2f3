import Testing
@testable import utter
@Test func placeholder() {}
