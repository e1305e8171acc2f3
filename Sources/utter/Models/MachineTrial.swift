import Models
import Speech
import System

/// This machine, measured where that is possible: the smallest installed model whose speed the catalog has decodes a sentence, which
/// takes about a second.
struct MachineTrial {
    /// The machine; as fast as the catalog's where nothing was measured.
    var machine = Machine(memory: Memory.total ?? Machine.laptop.memory, speed: Machine.laptop.speed)
    /// The name of the model that has decoded; nil if there is none, or it does not work.
    var model: String?

    /// Where the speed is from, in words.
    var source: String {
        model.map { "as measured here with \($0)" } ?? "as on a laptop of 2020, for nothing could be measured here"
    }

    static func run(in store: ModelStore) async -> MachineTrial {
        var trial = MachineTrial()
        let known = store.installed(for: .second).compactMap { store.catalog.model(named: $0.name) }
        guard
            let entry = known.filter({ $0.secondPass?.speed != nil }).min(by: { $0.size ?? 0 < $1.size ?? 0 }),
            let expected = Machine.laptop.speed(of: entry),
            let model = try? SecondPassModel.installed(entry.name, in: .ofUser()),
            let sentence = try? SpokenSentence.samples(sampleRate: SecondPassModel.sampleRate)
        else { return trial }
        // As long as most recordings of the catalog's measurements.
        let sound = sentence + sentence
        let languages = entry.secondPass?.languages ?? []
        let language = languages.contains("en") ? "en" : languages.first
        guard case .works(_, let decoding, _) = await model.probe(sound, language: language, timeLimit: .seconds(20))
        else { return trial }
        let length = Double(sound.count) / Double(SecondPassModel.sampleRate)
        trial.machine.speed = length / (decoding / .seconds(1)) / expected
        trial.model = entry.name
        return trial
    }
}
