import Foundation
import Models
import Speech

/// `utter models list`: the installed models, and those that can be installed.
struct ModelsList: Command {
    static let specification = CommandSpecification.modelsList
    private let store = ModelStore.ofUser()
    private let language: String?
    private let onlyInstalled: Bool
    private let showsAll: Bool
    private let writesJSON: Bool
    private let passes: [RecognitionPass]

    init(_ arguments: ParsedArguments) {
        language = arguments.operands.first
        onlyInstalled = arguments[Self.onlyInstalled]
        showsAll = arguments[Self.showsAll]
        writesJSON = arguments[Flag.json]
        passes = arguments[Self.pass].map { [$0] } ?? RecognitionPass.allCases
    }

    func run() throws -> ExitCode {
        var records = ModelRecord.all(in: store)
        if !showsAll {
            records = records.filter {
                $0.installed != nil || $0.entry?.isObsolete == false && $0.entry?.isRecognizer == true
            }
        }
        let wanted = try language.map(find)
        if let wanted { records = records.filter { $0.isFor(wanted) } }
        records = records.filter { passes.contains($0.pass) && ($0.installed != nil || !onlyInstalled) }
        if let language, records.isEmpty {
            let rest = onlyInstalled ? " installed" : "; see all with: utter models list"
            throw CommandError("there is no model for \(language)\(rest)", .unavailable)
        }
        let use = ModelsInUse()
        let recommended = recommended(for: wanted)
        if writesJSON {
            let objects = records.map {
                $0.json(isInUse: use.uses($0.installed), isRecommended: recommended.contains($0.name))
            }
            try Output.write("[\n" + objects.joined(separator: ",\n") + "\n]\n")
        } else {
            try Output.write(table(records, use, recommended))
        }
        return .ok
    }

    /// The language that an operand means.
    ///
    /// - Parameter text: a language's code, a locale, or the language's name.
    /// - Throws: `CommandError` when the catalog has no such language.
    private func find(_ text: String) throws(CommandError) -> SpokenLanguage {
        let catalog = store.catalog
        if let language = catalog.language(text) { return language }
        let names = Set(catalog.models.filter { $0.locale != nil }.map(\.languageName)).sorted()
        let meant = Suggestion.nearest(to: text.lowercased(), among: names.map { $0.lowercased() })
        let question = meant.flatMap { word in names.first { $0.lowercased() == word } }.map { "; did you mean \($0)?" }
        throw CommandError(
            "\(text) is not a known language\(question ?? "; see all with: utter models list")", .unavailable)
    }

    /// The names of the recommended models for a language, or for the user's own: those that `utter models install` offers.
    private func recommended(for wanted: SpokenLanguage?) -> Set<String> {
        guard let wanted = wanted ?? SpokenLanguage.ofUser(ProcessInfo.processInfo.environment) else { return [] }
        return Set(RecognitionPass.allCases.compactMap { store.catalog.recommended(for: wanted, pass: $0)?.name })
    }

    private func table(_ records: [ModelRecord], _ use: ModelsInUse, _ recommended: Set<String>) -> String {
        let installed = records.filter { $0.installed != nil }
        let available = records.filter { $0.installed == nil }
        let nameWidth = records.map { displayWidth(TerminalText.visible($0.name)) }.max() ?? 0
        let languageWidth = records.map { displayWidth(TerminalText.visible(languageText($0))) }.max() ?? 0
        func line(_ record: ModelRecord, _ rest: [String?]) -> String {
            let text = [
                pad(TerminalText.visible(record.name), nameWidth),
                pad(TerminalText.visible(languageText(record)), languageWidth),
                rest.compactMap { $0 }.filter { !$0.isEmpty }.map { TerminalText.visible($0) }.joined(separator: "  "),
            ].joined(separator: "  ")
            return "  " + String(text.reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        var sections: [String] = []
        func add(_ title: String, _ records: [ModelRecord], _ line: (ModelRecord) -> String) {
            if !records.isEmpty { sections.append(title + ":\n" + records.map(line).joined()) }
        }
        let sizeWidth = records.compactMap(\.sizeText).map(\.count).max() ?? 0
        func size(_ record: ModelRecord) -> String {
            let size = record.sizeText ?? "unknown size"
            return String(repeating: " ", count: max(0, sizeWidth - size.count)) + size
        }
        for pass in RecognitionPass.allCases {
            add("Installed, \(pass.rawValue) pass", installed.filter { $0.pass == pass }) { record in
                line(
                    record, [size(record), record.errorText, record.place, use.uses(record.installed) ? "in use" : nil])
            }
        }
        for pass in RecognitionPass.allCases {
            add("To be had with utter models install, \(pass.rawValue) pass", available.filter { $0.pass == pass }) {
                record in
                line(
                    record,
                    [
                        size(record), record.entry?.license, record.errorText,
                        record.entry?.isObsolete == true ? "replaced by a newer one" : nil,
                        recommended.contains(record.name) ? "take this one" : nil,
                    ])
            }
        }
        var text = sections.joined(separator: "\n")
        // Of a long list a terminal shows the end.
        let toInstall = available.filter { recommended.contains($0.name) }.map(\.name)
        if let language, records.count > 10, !toInstall.isEmpty {
            text +=
                "\nFor \(language) take \(ValueKind.list(toInstall, word: "and")): utter models install \(ShellWord.quoted(language))\n"
        }
        if available.isEmpty && !onlyInstalled && language == nil {
            text += "\nThe list of models is missing; fetch it with: utter models update\n"
        }
        return text
    }

    private func languageText(_ record: ModelRecord) -> String {
        record.locale.map { record.language == $0 ? $0 : "\(record.language) (\($0))" } ?? record.language
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - displayWidth(text)))
    }
}
