@testable import utter
