import Foundation
import Models

/// A module whose model is for certain locales.
public protocol LocaleDependentSpeechModule: SpeechModule {
    /// The locales for which there is a model, installed or not.
    static var supportedLocales: [Locale] { get async }
    /// The supported locales for which a model is installed: those whose `AssetInventory` status is `.installed`.
    static var installedLocales: [Locale] { get async }
    /// Returns the supported locale for someone who speaks `locale`; nil if there is none. A dialect without a model of its own
    /// has that of another region: an installed one, or else the most usual.
    static func supportedLocale(equivalentTo locale: Locale) async -> Locale?
    /// The locale that was asked for; empty if the module was created with a model.
    var selectedLocales: [Locale] { get }
}

extension SpeechTranscriber: LocaleDependentSpeechModule {
    /// Whether this machine can transcribe: it always can.
    public static var isAvailable: Bool { true }

    /// The locales for which there is a model of libvosk, installed or not.
    public static var supportedLocales: [Locale] { get async { TranscriberLocales(of: .first).supported } }

    /// The supported locales for which a model is installed. A model for a language without a region is for all of its regions.
    public static var installedLocales: [Locale] { get async { TranscriberLocales(of: .first).installed } }

    /// Returns the supported locale for someone who speaks `locale`; nil if there is none.
    public static func supportedLocale(equivalentTo locale: Locale) async -> Locale? {
        TranscriberLocales(of: .first).equivalent(to: locale)
    }
}

extension DictationTranscriber: LocaleDependentSpeechModule {
    /// Whether libtranscribe is installed, which decides.
    public static var isAvailable: Bool { SecondPassFiles.standard.library != nil }

    /// The locales whose language a model for the second pass knows, installed or not.
    public static var supportedLocales: [Locale] { get async { TranscriberLocales(of: .second).supported } }

    /// The supported locales whose language an installed model knows.
    public static var installedLocales: [Locale] { get async { TranscriberLocales(of: .second).installed } }

    /// Returns the supported locale for someone who speaks `locale`; nil if there is none.
    public static func supportedLocale(equivalentTo locale: Locale) async -> Locale? {
        TranscriberLocales(of: .second).equivalent(to: locale)
    }
}

/// The locales of the models of one pass. All that is said of them follows from one question, which is also that of
/// `AssetInventory.status(forModules:in:)`: which model a locale means.
struct TranscriberLocales {
    let supported: [Locale]
    let installed: [Locale]

    /// - Parameter user: the locale of the user. It is among them if its language is, since programs look for it there; without
    ///   a setting it is `en_001`, the English of the world, for which nobody makes a model.
    init(of pass: RecognitionPass, in store: ModelStore = ModelStore(), user: Locale = .current) {
        let catalog = store.catalog
        let known = catalog.supportedLocales + store.installedLocales
        var names = Set(known.map(\.identifier))
        if pass == .second {
            let spoken = catalog.models.flatMap { $0.secondPass?.languages ?? [] }
            names = names.union(spoken).filter { name in
                SpokenLanguage(name).map { store.model(for: $0, pass: .second) != nil } == true
                    || catalog.secondPassModel(for: name) != nil
            }
        }
        let languages = Set(names.compactMap { SpokenLanguage($0)?.language })
        if let language = SpokenLanguage(user.identifier)?.language, languages.contains(language) {
            names.insert(user.identifier(.bcp47))
        }
        supported = names.sorted().map { Locale(identifier: $0) }
        installed = supported.filter { locale in
            SpokenLanguage(locale.identifier).flatMap { store.model(for: $0, pass: pass) } != nil
        }
    }

    func equivalent(to locale: Locale) -> Locale? {
        let name = locale.identifier(.bcp47)
        if let same = supported.first(where: { $0.identifier(.bcp47) == name }) { return same }
        guard let wanted = SpokenLanguage(locale.identifier) else { return nil }
        func isOf(_ locale: Locale, _ region: String?) -> Bool {
            let language = SpokenLanguage(locale.identifier)
            return language?.language == wanted.language && (region == nil || language?.region == region)
        }
        if let region = wanted.region, let same = supported.first(where: { isOf($0, region) }) { return same }
        let usual = Locale.Language(identifier: wanted.language).maximalIdentifier.split(separator: "-").last
        let candidates = [installed, supported].flatMap { locales in
            [locales.first { isOf($0, usual.map(String.init)) }, locales.first { isOf($0, nil) }]
        }
        return candidates.compactMap(\.self).first
    }
}
