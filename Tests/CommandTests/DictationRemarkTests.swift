import Testing

@testable import Speech
@testable import utter

@Suite("Speech in which a model has found no words")
struct DictationRemarkTests {
    private let model = SecondPassModel(path: "/m.gguf", library: "/l", program: "/p")

    private func remark(_ change: (inout DictationCounts) -> Void) -> String? {
        var counts = DictationCounts()
        change(&counts)
        return counts.remark(on: model)
    }

    @Test("is told with the way to check the model, unless words were found elsewhere")
    func silent() {
        #expect(
            remark { $0.silent = 1 }
                == "something sounds like speech, but m.gguf has found no words in it; to check the model: utter models verify /m.gguf"
        )
        for (decided, silent, lost) in [(0, 0, 0), (1, 2, 0), (0, 1, 1)] {
            #expect(remark { ($0.decided, $0.silent, $0.lost) = (decided, silent, lost) } == nil)
        }
    }

    @Test("or only nonsense, is told with its length and place, unless it is as short as a cough")
    func nonsense() {
        let told =
            "2 s sound like speech, but m.gguf has given only nonsense for them, which is left out; they begin at 1:07"
        #expect(remark { ($0.decided, $0.nonsense, $0.firstNonsense) = (1, 2.5, 67) } == told)
        #expect(
            remark { ($0.nonsense, $0.firstNonsense) = (2.5, 67) } == told
                + "; to check the model: utter models verify /m.gguf")
        #expect(remark { ($0.decided, $0.nonsense, $0.firstNonsense) = (1, 1.9, 67) } == nil)
    }

    @Test("A model that is unsure of most of the speech, and not of a few words, is told")
    func unsure() {
        let told =
            "m.gguf is unsure of 6 of 9 s of speech, as of a language that it does not know, or of a voice far from the microphone"
        func remark(_ parts: [(Double?, Double)]) -> String? {
            self.remark { counts in
                counts.decided = parts.count
                for (confidence, seconds) in parts { counts.noteConfidence(confidence, seconds: seconds) }
            }
        }
        #expect(remark([(0.39, 2.5), (0.4, 3), (0.1, 3.9)]) == told)
        // It is unsure of little, of less than half, or says nothing of it.
        #expect(remark([(0.39, 4.9)]) == nil && remark([(0.39, 6), (0.4, 7)]) == nil && remark([(nil, 20)]) == nil)
    }
}
