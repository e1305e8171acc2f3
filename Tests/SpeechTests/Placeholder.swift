@testable import Speech
