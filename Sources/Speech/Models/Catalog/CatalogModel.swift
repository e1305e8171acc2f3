import Foundation

/// A model that exists, installed or not: an entry of the catalog.
public struct CatalogModel: Hashable, Sendable {
    /// What it is good for. The set is open: the list may have kinds that are newer than this library.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// For phones and desktops: some 40 MB, and a few hundred of memory.
        public static let small = Kind(rawValue: "small")
        /// For servers: more than a gigabyte, and several of memory.
        public static let big = Kind(rawValue: "big")
        /// Tells speakers apart.
        public static let speaker = Kind(rawValue: "spk")
        /// Puts punctuation into text.
        public static let punctuation = Kind(rawValue: "recasepunc")
    }

    /// The name of its folder, such as `vosk-model-small-en-us-0.15`.
    public let name: String
    /// In English, such as `US English`.
    public internal(set) var languageName: String
    /// BCP 47, such as `en-US`; nil when it is for no one language.
    public internal(set) var localeIdentifier: String?
    public internal(set) var kind: Kind
    /// Of what is downloaded, in bytes.
    public internal(set) var size: Int?
    /// Whether the download has to have this very size; otherwise it is about that.
    public internal(set) var isSizeExact: Bool
    /// As SPDX writes it; nil when it isn't known.
    public internal(set) var license: String?
    public internal(set) var details: String?
    /// Of the zip archive, or of the GGUF file of a model of the second pass.
    public internal(set) var address: String
    /// The strongest first; empty when none is known.
    public internal(set) var checksums: [Checksum]
    /// Whether a newer one has replaced it.
    public internal(set) var isObsolete: Bool
    /// That of the corpus that most are compared by comes first; empty when none is known.
    public internal(set) var errorRates: [ErrorRate] = []
    /// What there is to say of a model of the second pass; nil for one of the first.
    public internal(set) var secondPass: SecondPassTraits?

    /// Words that are wrong, in percent.
    var wordErrorRate: Double? { errorRates.first { $0.unit == "words" }?.percent }

    public var pass: RecognitionPass { secondPass == nil ? .first : .second }

    public var locale: Locale? { localeIdentifier.map { Locale(identifier: $0) } }

    /// Whether speech can be recognized with it.
    public var isRecognizer: Bool { pass == .second || kind != .speaker && kind != .punctuation && name.hasPrefix(Self.prefix) }

    static let prefix = "vosk-model-"

    var language: SpokenLanguage? { localeIdentifier.flatMap { SpokenLanguage($0) } }

    /// The name without what all names begin with.
    var shortName: String { name.hasPrefix(Self.prefix) ? String(name.dropFirst(Self.prefix.count)) : name }

    /// Whether `name` can be that of a folder of ours: no path, no hidden file, nothing that a shell or a terminal minds.
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

    /// Takes over what a newer list says of the same model, and keeps what only this one knows. One for the other pass is another model.
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
        // An archive of another size is another archive.
        if !newer.checksums.isEmpty {
            let kept = isSameArchive ? checksums.filter { old in !newer.checksums.contains { $0.algorithm == old.algorithm } } : []
            checksums = (kept + newer.checksums).sorted { $0.algorithm == .sha256 && $1.algorithm != .sha256 }
        }
    }
}
