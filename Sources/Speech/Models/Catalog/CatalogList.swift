import Foundation

/// A list of models, as Vosk publishes it (`model-list.json`) and as `Models/catalog.json` is written: an array of objects. The
/// catalog's have some members more: `locale`, `license`, `description`, `sha256`. An entry whose `pass` is `second` is for the second pass,
/// as in `Models/second-pass.json`; one without that member, as all were before, is for the first.
///
/// Members that aren't known are passed over, and so is an entry that makes no sense, so that what a list may have in the future
/// takes nothing away today.
struct CatalogList {
    let models: [CatalogModel]
    /// How many entries made no sense.
    let refusedCount: Int

    /// More than this is no list of models, in bytes.
    static let maximumSize = 8 << 20
    private static let maximumCount = 10_000

    /// - Returns: nil when it is no list.
    init?(_ json: Data) {
        guard json.count <= Self.maximumSize, let entries = try? JSONDecoder().decode([Entry].self, from: json) else { return nil }
        let models = entries.prefix(Self.maximumCount).compactMap(\.model)
        var names: Set<String> = []
        self.models = models.filter { names.insert($0.name).inserted }
        refusedCount = entries.count - self.models.count
    }

    private struct Entry: Decodable {
        let model: CatalogModel?

        private enum Key: String, CodingKey {
            case name, lang, locale, type, size, md5, sha256, url, obsolete, license, description, pass, format
            case languageName = "lang_text"
            case sizeText = "size_text"
            case errorRates = "error_rates"
        }

        init(from decoder: any Decoder) throws {
            guard let members = try? decoder.container(keyedBy: Key.self) else {
                model = nil
                return
            }
            // A text that is too long, or not one at all, counts as missing.
            func text(_ key: Key, limit: Int = 1000) -> String? {
                guard let text = try? members.decode(String.self, forKey: key), !text.isEmpty, text.utf8.count <= limit else { return nil }
                return text
            }
            func isTrue(_ key: Key) -> Bool {
                (try? members.decode(Bool.self, forKey: key)) ?? (text(key)?.lowercased() == "true")
            }
            // A pass or a file that is newer than this program is nothing that it can use.
            let pass = members.contains(.pass) ? text(.pass).flatMap { RecognitionPass(rawValue: $0) } : .first
            guard let name = text(.name), CatalogModel.isName(name), let address = text(.url), HTTPAddress(address) != nil, let pass,
                pass == .first || text(.format) == "gguf"
            else {
                model = nil
                return
            }
            let exactSize = (try? members.decode(Int.self, forKey: .size)).flatMap { $0 > 0 ? $0 : nil }
            let checksums = [
                text(.sha256).flatMap { Checksum(.sha256, $0) }, text(.md5).flatMap { Checksum(.md5, $0) },
            ].compactMap { $0 }
            let locale = (text(.locale) ?? text(.lang)).flatMap { $0 == "all" ? nil : SpokenLanguage($0)?.identifier }
            model = CatalogModel(
                name: name, languageName: text(.languageName) ?? locale ?? "unknown", localeIdentifier: locale,
                kind: CatalogModel.Kind(rawValue: text(.type, limit: 40) ?? "unknown"),
                size: exactSize ?? text(.sizeText, limit: 20).flatMap(Self.bytes), isSizeExact: exactSize != nil,
                license: text(.license), details: text(.description), address: address, checksums: checksums,
                isObsolete: isTrue(.obsolete),
                errorRates: members.contains(.errorRates)
                    ? (try? members.decode(ErrorRate.List.self, forKey: .errorRates))?.rates ?? [] : [],
                secondPass: pass == .second
                    ? try SecondPassTraits(entry: decoder, language: locale.flatMap { SpokenLanguage($0) }) : nil)
        }

        /// `1.8G`, `39.3MiB`.
        private static func bytes(_ text: String) -> Int? {
            let digits = text.prefix { $0.isNumber || $0 == "." }
            guard let number = Double(digits), number > 0, number < 1e6 else { return nil }
            return switch text.dropFirst(digits.count).lowercased() {
            case "k", "kib": Int(number * 1024)
            case "m", "mib": Int(number * 1_048_576)
            case "g", "gib": Int(number * 1_073_741_824)
            default: nil
            }
        }
    }
}
