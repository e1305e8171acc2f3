import Foundation

/// What the catalog says of a model of the second pass beyond what it says of every model.
public struct SecondPassTraits: Hashable, Sendable {
    /// How long it takes.
    public struct Speed: Hashable, Sendable {
        /// How many seconds of speech it decodes in one.
        public let timesRealTime: Double
        public let processor: String?
        /// The address of the page that says so.
        public let source: String?
    }

    /// The architecture, as libtranscribe names it.
    public let family: String?
    /// The codes of the languages that it understands, such as `en`; empty when the list does not say.
    public let languages: [String]
    /// How the weights are kept, such as `Q8_0`.
    public let quantization: String?
    /// The finest times that it gives: `segment`, `word`, `token` or `none`.
    public let times: String?
    public let speed: Speed?
    /// The address of the licence, if SPDX has no name for it.
    public let licenseAddress: String?

    /// Whether it decodes speech in less than half the time that the speech takes, on the processor that was measured.
    var keepsUp: Bool { speed.map { $0.timesRealTime >= 2 } ?? true }

    func knows(_ language: SpokenLanguage) -> Bool { languages.contains(language.language) }
}

extension SecondPassTraits {
    private enum Key: String, CodingKey {
        case family, languages, quantization, times, speed, source, processor
        case licenseAddress = "license_url"
        case timesRealTime = "times_real_time"
    }

    /// From the members of an entry. What makes no sense counts as missing.
    ///
    /// - Parameter language: the one that the entry names.
    init(entry decoder: any Decoder, language: SpokenLanguage?) throws {
        let members = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) -> String? { Self.text(members, key) }
        let codes = ((try? members.decode([String].self, forKey: .languages)) ?? []).prefix(500).compactMap { SpokenLanguage($0)?.language }
        var known: Set<String> = []
        family = text(.family)
        languages = (codes + [language?.language].compactMap { $0 }).filter { known.insert($0).inserted }
        quantization = text(.quantization)
        times = text(.times)
        speed = (try? members.decode(MaybeSpeed.self, forKey: .speed))?.speed
        licenseAddress = text(.licenseAddress)
    }

    private static func text(_ members: KeyedDecodingContainer<Key>, _ key: Key) -> String? {
        guard let text = try? members.decode(String.self, forKey: key), (1...1000).contains(text.utf8.count) else { return nil }
        return text
    }

    private struct MaybeSpeed: Decodable {
        let speed: Speed?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            let times = try members.decode(Double.self, forKey: .timesRealTime)
            speed =
                times > 0 && times < 1e6
                ? Speed(timesRealTime: times, processor: text(members, .processor), source: text(members, .source)) : nil
        }
    }
}
