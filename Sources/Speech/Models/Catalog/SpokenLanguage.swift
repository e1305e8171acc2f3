import Foundation

/// A language and, where it matters, a region: what a model is for and what a user asks for.
package struct SpokenLanguage: Hashable, Sendable {
    /// Lower case, BCP 47.
    package let language: String
    /// Upper case, two letters.
    package let region: String?

    /// From a locale as people, BCP 47, the C library and Vosk's list write it: `en-US`, `en_US.UTF-8`, `en-us`, `cn`.
    ///
    /// - Returns: nil when it is none.
    package init?(_ identifier: String) {
        let plain = identifier.prefix { $0 != "." && $0 != "@" }.lowercased().replacingOccurrences(of: "_", with: "-")
        let code = Self.codesOfVosk[plain] ?? plain
        let parts = code.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let language = parts.first, (2...3).contains(language.count), language.utf8.allSatisfy(Self.isLetter) else { return nil }
        self.language = language
        region = parts.dropFirst().first { $0.count == 2 && $0.utf8.allSatisfy(Self.isLetter) }?.uppercased()
    }

    /// As BCP 47 writes it.
    package var identifier: String { region.map { "\(language)-\($0)" } ?? language }

    package var locale: Locale { Locale(identifier: identifier) }

    /// How well a model for this language serves somebody who wants `wanted`: less is better, nil not at all.
    func distance(from wanted: SpokenLanguage) -> Int? {
        guard language == wanted.language else { return nil }
        return region == wanted.region ? 0 : region == nil || wanted.region == nil ? 1 : 2
    }

    /// Vosk's list and its models' names use some codes that are countries' rather than languages'.
    private static let codesOfVosk = [
        "cn": "zh-cn", "gr": "el-gr", "kz": "kk-kz", "ph": "tl-ph", "ua": "uk-ua", "vn": "vi-vn",
    ]

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
