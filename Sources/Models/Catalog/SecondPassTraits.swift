import Foundation
import System

/// The properties that only models for the second pass have: those in the catalog, or what the file of a model says that is not there.
public struct SecondPassTraits: Hashable, Sendable {
    /// The measured speed of a model.
    public struct Speed: Hashable, Sendable {
        /// The seconds of speech decoded in one second.
        public let timesRealTime: Double
        /// The processor of the measurement.
        public let processor: String?
        /// The address of the page that published the measurement.
        public let source: String?
    }

    /// The architecture, by libtranscribe's name for it.
    public let family: String?
    /// The codes of the languages that the model understands, such as `en`; empty if the list names none.
    public let languages: [String]
    /// The quantization of the weights, such as `Q8_0`.
    public let quantization: String?
    /// The finest times that the model gives: `segment`, `word`, `token` or `none`.
    public let times: String?
    /// The measured speed; nil if none is known.
    public let speed: Speed?
    /// The address of the licence, if it has no SPDX identifier.
    public let licenseAddress: String?

    /// Creates what a file without an entry in the list says.
    init(family: String?, languages: [String]) {
        (self.family, self.languages) = (family, languages)
        (quantization, times, speed, licenseAddress) = (nil, nil, nil, nil)
    }

    /// Whether the model decodes speech in less than half its duration, on the processor of the measurement.
    var keepsUp: Bool { speed.map { $0.timesRealTime >= 2 } ?? true }

    /// Whether the model detects the language. Those of Canary's architecture must be told it.
    var detectsLanguage: Bool { languages.count > 1 && family?.hasPrefix("canary") != true }

    func knows(_ language: SpokenLanguage) -> Bool { languages.contains(language.language) }
}

extension SecondPassTraits {
    private enum Key: String, CodingKey {
        case family, languages, quantization, times, speed, source, processor
        case licenseAddress = "license_url"
        case timesRealTime = "times_real_time"
    }

    /// Reads the properties from the members of an entry. Invalid values count as missing.
    ///
    /// - Parameter language: the language that the entry names.
    init(entry decoder: any Decoder, language: SpokenLanguage?) throws {
        let members = try decoder.container(keyedBy: Key.self)
        let codes = ((try? members.decode([String].self, forKey: .languages)) ?? []).prefix(500).compactMap {
            SpokenLanguage($0)?.language
        }
        family = members.text(.family)
        languages = (codes + [language?.language].compactMap { $0 }).unique
        quantization = members.text(.quantization)
        times = members.text(.times)
        speed = (try? members.decode(MaybeSpeed.self, forKey: .speed))?.speed
        licenseAddress = members.text(.licenseAddress)
    }

    private struct MaybeSpeed: Decodable {
        let speed: Speed?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            let times = try members.decode(Double.self, forKey: .timesRealTime)
            speed =
                times > 0 && times < 1e6
                ? Speed(timesRealTime: times, processor: members.text(.processor), source: members.text(.source))
                : nil
        }
    }
}
