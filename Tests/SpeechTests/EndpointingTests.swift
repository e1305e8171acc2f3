import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("Endpointing")
struct EndpointingTests {
    @Test("Values out of range are brought into it")
    func clamped() {
        #expect(
            Endpointing(trailingSilence: 0, longUtterance: 1000) == Endpointing(trailingSilence: 0.1, longUtterance: 50)
        )
        #expect(
            Endpointing(trailingSilence: 99, longUtterance: 0) == Endpointing(trailingSilence: 10, longUtterance: 5))
    }

    @Test("A pause that the user sets becomes the model's rules; without one the model keeps its own")
    func options() {
        let plain = Endpointing().options
        #expect(plain["--endpoint.rule2.min-trailing-silence"] == nil)
        #expect(plain["--endpoint.rule5.min-utterance-length"] == "20.0")
        let own = Endpointing(trailingSilence: 0.8).options
        #expect(own["--endpoint.rule2.min-trailing-silence"] == "0.8")
        #expect(own["--endpoint.rule3.min-trailing-silence"] == "1.3")
        #expect(own["--endpoint.rule4.min-trailing-silence"] == "1.8")
    }
}
