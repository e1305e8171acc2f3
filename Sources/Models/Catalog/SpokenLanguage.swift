import Foundation

/// A language and, if it matters, a region, for which a model is made or which a user asks for.
package struct SpokenLanguage: Hashable, Sendable {
    /// The BCP 47 code of the language, in lower case.
    package let language: String
    /// The two-letter code of the region, in upper case.
    package let region: String?

    /// Creates a language from a locale in the form of BCP 47, the C library or Vosk's list: `en-US`, `en_US.UTF-8`,
    /// `en-us`, `cn`.
    ///
    /// - Returns: nil if `identifier` is not a locale.
    package init?(_ identifier: String) {
        let plain = identifier.prefix { $0 != "." && $0 != "@" }.lowercased().replacingOccurrences(of: "_", with: "-")
        let code = Self.codesOfVosk[plain] ?? plain
        let parts = code.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let language = parts.first, (2...3).contains(language.count), language.utf8.allSatisfy(Self.isLetter),
            !parts.contains("")
        else { return nil }
        self.language = Self.codesOfModels[language] ?? language
        region = parts.dropFirst().first { $0.count == 2 && $0.utf8.allSatisfy(Self.isLetter) }?.uppercased()
    }

    /// The BCP 47 identifier.
    package var identifier: String { region.map { "\(language)-\($0)" } ?? language }

    package var locale: Locale { Locale(identifier: identifier) }

    /// Returns how well a model for this language serves a user of `wanted`: less is better, and nil is not at all.
    func distance(from wanted: SpokenLanguage) -> Int? {
        guard language == wanted.language else { return nil }
        return region == wanted.region ? 0 : region == nil || wanted.region == nil ? 1 : 2
    }

    /// Codes in Vosk's list and in the names of its models that are those of countries, not of languages.
    private static let codesOfVosk = [
        "cn": "zh-cn", "gr": "el-gr", "kz": "kk-kz", "ph": "tl-ph", "ua": "uk-ua", "vn": "vi-vn",
    ]

    /// Codes for which models have another one: Norwegian by its standard form, as in the locale `nb_NO`, and older ones.
    private static let codesOfModels = ["nb": "no", "fil": "tl", "cmn": "zh", "iw": "he", "in": "id", "ji": "yi"]

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
