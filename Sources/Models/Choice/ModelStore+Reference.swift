import Foundation
import System

/// The names by which users refer to models, with the same meaning everywhere.
extension ModelStore {
    /// Whether `reference` is a path: it contains a slash, or is the name of a GGUF file.
    package static func isPath(_ reference: String) -> Bool { reference.contains("/") || reference.hasSuffix(".gguf") }

    /// Returns the installed model that `reference` means: the path of a folder or of a GGUF file; a name, with or without Vosk's prefix;
    /// a locale or a language, such as `en-US` or `German`, for the model that is used for it; or the end or another
    /// part of exactly one name.
    ///
    /// - Parameters:
    ///   - reference: the name, as a user gives it.
    ///   - pass: the pass of the model; nil for either, where a locale means a model for the first.
    /// - Throws: `SpeechError` `.noModel`, with the command that installs the model if there is one; `.ambiguousModel`
    ///   if it means several.
    public func installedModel(for reference: String, pass: RecognitionPass? = nil) throws(SpeechError)
        -> InstalledModel
    {
        if Self.isPath(reference) { return InstalledModel(path: reference) }
        let passes = pass.map { [$0] } ?? RecognitionPass.allCases
        let models = passes.flatMap { installed(for: $0) }
        if let model = whole(reference, among: models) { return model }
        // Find a broken model too, so that loading it reports what is missing.
        if let model = folder(ofModelNamed: reference), passes.contains(model.pass) { return model }
        if let wanted = catalog.language(reference), let model = model(for: wanted, pass: pass ?? .first) {
            return model
        }
        switch ModelName.part(reference, among: models.map(\.name)) {
        case .one(let name):
            if let model = models.first(where: { $0.name == name }) { return model }
        case .several(let names):
            throw SpeechError(
                .ambiguousModel, "\(reference) means several models; name one of them: \(names.joined(separator: ", "))"
            )
        case .none: break
        }
        throw missing(reference, pass)
    }

    private func whole(_ reference: String, among models: [InstalledModel]) -> InstalledModel? {
        ModelName.whole(reference, among: models.map(\.name)).flatMap { name in models.first { $0.name == name } }
    }

    /// Returns the error for a reference that means no installed model.
    private func missing(_ reference: String, _ pass: RecognitionPass?) -> SpeechError {
        let other: RecognitionPass? = pass.map { $0 == .first ? .second : .first }
        if let other {
            let model = whole(reference, among: installed(for: other)) ?? folder(ofModelNamed: reference)
            if let model { return .otherPass(other, model.name) }
            if let entry = catalog.model(withName: reference), entry.pass == other {
                return .otherPass(other, entry.name)
            }
        }
        let command = command(toInstall: reference, pass)
        if pass == .second {
            return SpeechError(
                .noModel, "no model named \(reference) is installed for the second pass\(listing(command, .second))")
        }
        let what = catalog.language(reference) == nil || command == nil ? "named \(reference)" : "for \(reference)"
        return SpeechError(.noModel, "no model \(what) is installed\(listing(command, pass))")
    }

    /// Returns the error that no model is installed for a locale.
    ///
    /// - Parameter pass: the pass for which one was wanted; nil for either.
    package func noModel(for locale: Locale, _ pass: RecognitionPass?) -> SpeechError {
        let command = SpokenLanguage(locale.identifier).flatMap { self.command(toInstall: $0.identifier) }
        let hasModels = pass.map { !installed(for: $0).isEmpty } ?? !installedForBothPasses.isEmpty
        let name = locale.identifier.isEmpty ? "a locale without a name" : locale.identifier
        // Of a language without models, what there is for others.
        let all = command == nil && hasModels ? "; see what there is with: utter models list" : ""
        return SpeechError(.noModel, "no model for \(name) is installed\(listing(command, pass))\(all)")
    }

    /// Returns the installed model for the first pass that `name` means.
    func model(named name: String) throws(SpeechError) -> InstalledModel { try installedModel(for: name, pass: .first) }

    /// Returns the first folder with that name, whatever it contains.
    private func folder(ofModelNamed name: String) -> InstalledModel? {
        if name.contains("/") || name.hasPrefix(".") || name.isEmpty { return nil }
        return folders.map { InstalledModel(path: $0 + "/" + name) }.first { FolderTools.isFolder($0.path) }
    }

    /// Returns the command that installs the model that `reference` means, if the catalog has one: after it has run,
    /// the same reference means that model. If it may mean several, the command names the first.
    ///
    /// - Parameter pass: the pass of the model.
    package func command(toInstall reference: String, _ pass: RecognitionPass? = .first) -> String? {
        switch catalog.meaning(of: reference, pass: pass) {
        case .one: "utter models install \(reference)"
        case .several(let models): "utter models install \(models[0].name)"
        case .none: nil
        }
    }

    /// The end of an error that there is no model: the models that are there, and what installs one.
    ///
    /// - Parameters:
    ///   - command: the command that installs one; nil when there is none.
    ///   - pass: the pass for which a model was wanted; nil for either.
    func listing(_ command: String?, _ pass: RecognitionPass?) -> String {
        let names = (pass.map { installed(for: $0) } ?? installedForBothPasses).map(\.name)
        let installation =
            command.map { "; to get one: \($0)" }
            ?? (names.isEmpty ? "; see what there is with: utter models list" : "")
        return (names.isEmpty ? "" : "; there are: \(names.joined(separator: ", "))") + installation
    }
}
