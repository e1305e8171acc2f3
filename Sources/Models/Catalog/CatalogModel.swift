import Foundation

/// An entry of the catalog: a model that exists, installed or not.
public struct CatalogModel: Hashable, Sendable {
    /// The purpose of a model. The set is open: a list may have kinds that are newer than this library.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name of the kind, as lists have it.
        public let rawValue: String
        /// Creates a kind with the name `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// For phones and desktops: about 40 MB to download, and a few hundred MB of memory.
        public static let small = Kind(rawValue: "small")
        /// For servers: more than 1 GB to download, and several GB of memory.
        public static let big = Kind(rawValue: "big")
        /// For telling speakers apart.
        public static let speaker = Kind(rawValue: "spk")
        /// For adding punctuation to text.
        public static let punctuation = Kind(rawValue: "recasepunc")
    }

    /// The name of the model's folder, such as `vosk-model-small-en-us-0.15`.
    public let name: String
    /// The name of the language in English, such as `US English`.
    public internal(set) var languageName: String
    /// The BCP 47 identifier of the locale, such as `en-US`; nil if the model is not for one language.
    public internal(set) var localeIdentifier: String?
    /// The purpose of the model.
    public internal(set) var kind: Kind
    /// The size of the download, in bytes; nil if it is not known.
    public internal(set) var size: Int?
    /// Whether `size` is exact; otherwise it is approximate.
    public internal(set) var isSizeExact: Bool
    /// The SPDX identifier of the licence; nil if it is not known.
    public internal(set) var license: String?
    /// A description of the model in words.
    public internal(set) var details: String?
    /// The address of the zip archive, or of the GGUF file of a model for the second pass.
    public internal(set) var address: String
    /// The checksums of the download, strongest first; empty if none is known.
    public internal(set) var checksums: [Checksum]
    /// Whether a newer model has replaced this one.
    public internal(set) var isObsolete: Bool
    /// The measured error rates, first that of the corpus by which most models are compared; empty if none is known.
    public internal(set) var errorRates: [ErrorRate] = []
    /// The properties of a model for the second pass; nil for a model for the first.
    public internal(set) var secondPass: SecondPassTraits?

    /// The percentage of words that are wrong.
    var wordErrorRate: Double? { errorRates.first { $0.unit == "words" }?.percent }

    /// The pass that the model is for.
    public var pass: RecognitionPass { secondPass == nil ? .first : .second }

    /// The locale of the model; nil if the model is not for one language.
    public var locale: Locale? { localeIdentifier.map { Locale(identifier: $0) } }

    /// Whether the model recognizes speech.
    public var isRecognizer: Bool {
        pass == .second || kind != .speaker && kind != .punctuation && name.hasPrefix(Self.prefix)
    }

    static let prefix = "vosk-model-"

    var language: SpokenLanguage? { localeIdentifier.flatMap { SpokenLanguage($0) } }

    /// The name without the prefix that all of Vosk's models share.
    var shortName: String { name.hasPrefix(Self.prefix) ? String(name.dropFirst(Self.prefix.count)) : name }

    /// Whether `name` can be the name of a model's folder: not a path, not hidden, and harmless in a shell and a
    /// terminal.
    static func isName(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...128).contains(bytes.count) && bytes.first != UInt8(ascii: ".") && bytes.first != UInt8(ascii: "-")
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"): true
                default: false
                }
            }
    }

    /// Updates this entry from a newer list, and keeps the values that the newer list lacks. An entry for the other
    /// pass is another model.
    mutating func update(from newer: CatalogModel) {
        guard newer.pass == pass else { return }
        secondPass = newer.secondPass
        if !newer.errorRates.isEmpty { errorRates = newer.errorRates }
        if newer.languageName != newer.localeIdentifier { languageName = newer.languageName }
        localeIdentifier = localeIdentifier ?? newer.localeIdentifier
        kind = newer.kind
        isObsolete = newer.isObsolete
        address = newer.address
        license = newer.license ?? license
        details = details ?? newer.details
        let isSameArchive = size == newer.size || !isSizeExact
        if newer.size != nil { (size, isSizeExact) = (newer.size, newer.isSizeExact) }
        // An archive of another size is another archive, so the old checksums do not apply.
        if !newer.checksums.isEmpty {
            let kept =
                isSameArchive
                ? checksums.filter { old in !newer.checksums.contains { $0.algorithm == old.algorithm } } : []
            checksums = (kept + newer.checksums).sorted { $0.algorithm == .sha256 && $1.algorithm != .sha256 }
        }
    }
}
