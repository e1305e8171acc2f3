import Foundation
import System

/// A list of models in the format of Vosk's `model-list.json` and of `Models/catalog.json`: an array of objects. The
/// catalog's entries have additional members: `locale`, `license`, `description`, `sha256`. An entry whose `pass` is
/// `second` is for the second pass, as in `Models/second-pass.json`; an entry without that member is for the first.
///
/// Unknown members and invalid entries are ignored, so that additions to the format in the future do not make a list
/// unreadable today.
struct CatalogList {
    let models: [CatalogModel]
    /// The number of entries that were invalid.
    let refusedCount: Int

    /// The greatest size of a list, in bytes.
    static let maximumSize = 8 << 20
    private static let maximumCount = 10_000

    /// Decodes a list; nil if `json` is none.
    init?(_ json: Data) {
        guard json.count <= Self.maximumSize, let entries = [Entry](json: json) else {
            return nil
        }
        models = entries.prefix(Self.maximumCount).compactMap(\.model).unique(by: \.name)
        refusedCount = entries.count - models.count
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
            func text(_ key: Key, limit: Int = 1000) -> String? { members.text(key, limit: limit) }
            func isTrue(_ key: Key) -> Bool {
                (try? members.decode(Bool.self, forKey: key)) ?? (text(key)?.lowercased() == "true")
            }
            // A pass or a format that is newer than this program can't be used.
            let pass = members.contains(.pass) ? text(.pass).flatMap { RecognitionPass(rawValue: $0) } : .first
            guard let name = text(.name), CatalogModel.isName(name), let address = text(.url),
                HTTPAddress(address) != nil, let pass,
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
            let rates = (try? members.decode([ErrorRate.Element].self, forKey: .errorRates)) ?? []
            model = CatalogModel(
                name: name, languageName: text(.languageName) ?? locale ?? "unknown", localeIdentifier: locale,
                kind: CatalogModel.Kind(rawValue: text(.type, limit: 40) ?? "unknown"),
                size: exactSize ?? text(.sizeText, limit: 20).flatMap(Self.bytes), isSizeExact: exactSize != nil,
                license: text(.license), details: text(.description), address: address, checksums: checksums,
                isObsolete: isTrue(.obsolete),
                errorRates: Array(rates.compactMap(\.rate).filter(\.makesSense).prefix(100)),
                secondPass: pass == .second
                    ? try SecondPassTraits(entry: decoder, language: locale.flatMap { SpokenLanguage($0) }) : nil)
        }

        /// Converts a size such as `1.8G` or `39.3MiB` to bytes.
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

extension KeyedDecodingContainer {
    /// The text of a member; nil if it is missing, empty, too long or no string.
    func text(_ key: Key, limit: Int = 1000) -> String? {
        guard let text = try? decode(String.self, forKey: key), (1...limit).contains(text.utf8.count) else {
            return nil
        }
        return text
    }
}
