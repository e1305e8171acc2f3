import Foundation
import Speech

/// `utter models list`: what is installed, and what else there is.
struct ModelsList {
    private let store: ModelStore
    private let language: String?
    private let onlyInstalled: Bool
    private let showsAll: Bool
    private let writesJSON: Bool
    private let passes: [RecognitionPass]

    init(_ arguments: ParsedArguments, _ store: ModelStore) {
        self.store = store
        language = arguments.operands.first
        onlyInstalled = arguments.has("installed")
        showsAll = arguments.has("all")
        writesJSON = arguments.has("json")
        passes = arguments.string("pass").flatMap { RecognitionPass(rawValue: $0) }.map { [$0] } ?? RecognitionPass.allCases
    }

    func run() throws -> ExitCode {
        var records = ModelRecord.all(in: store)
        if !showsAll { records = records.filter { $0.installed != nil || $0.entry?.isObsolete == false && $0.entry?.isRecognizer == true } }
        if let language {
            // A model that knows many languages does not name each.
            let named = Set(records.filter { $0.language.lowercased() == language.lowercased() }.compactMap(\.locale))
            records = records.filter { record in isFor(language, record) || named.contains { isFor($0, record) } }
        }
        records = records.filter { passes.contains($0.pass) && ($0.installed != nil || !onlyInstalled) }
        if let language, records.isEmpty {
            let rest = onlyInstalled ? " installed" : "; see all with: utter models list"
            throw CommandError("there is no model for \(language)\(rest)", .unavailable)
        }
        try Output.write(writesJSON ? "[\n" + records.map(\.json).joined(separator: ",\n") + "\n]\n" : table(records))
        return .ok
    }

    /// A language's code, a locale, or the language's name in English.
    private func isFor(_ wanted: String, _ record: ModelRecord) -> Bool {
        let name = record.language.lowercased()
        if name == wanted.lowercased() || name.split(whereSeparator: { !$0.isLetter }).contains(wanted.lowercased()[...]) { return true }
        let code = Locale(identifier: wanted.replacingOccurrences(of: "_", with: "-")).language.languageCode?.identifier
        if let languages = record.languages { return code.map { languages.contains($0) } ?? false }
        guard let locale = record.locale else { return false }
        let (own, wanted) = (Locale(identifier: locale), Locale(identifier: wanted.replacingOccurrences(of: "_", with: "-")))
        guard own.language.languageCode == wanted.language.languageCode else { return false }
        return wanted.region == nil || own.region == wanted.region || own.region == nil
    }

    private func table(_ records: [ModelRecord]) -> String {
        let installed = records.filter { $0.installed != nil }
        let available = records.filter { $0.installed == nil }
        let nameWidth = records.map { displayWidth(TerminalText.visible($0.name)) }.max() ?? 0
        let languageWidth = records.map { displayWidth(TerminalText.visible(languageText($0))) }.max() ?? 0
        func line(_ record: ModelRecord, _ rest: [String?]) -> String {
            let text = [
                pad(TerminalText.visible(record.name), nameWidth), pad(TerminalText.visible(languageText(record)), languageWidth),
                rest.compactMap { $0 }.filter { !$0.isEmpty }.map { TerminalText.visible($0) }.joined(separator: "  "),
            ].joined(separator: "  ")
            return "  " + String(text.reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        var sections: [String] = []
        func add(_ title: String, _ records: [ModelRecord], _ line: (ModelRecord) -> String) {
            if !records.isEmpty { sections.append(title + ":\n" + records.map(line).joined()) }
        }
        for pass in RecognitionPass.allCases {
            add("Installed, \(pass.rawValue) pass", installed.filter { $0.pass == pass }) { line($0, [$0.place]) }
        }
        let sizeWidth = available.compactMap(\.sizeText).map(\.count).max() ?? 0
        for pass in RecognitionPass.allCases {
            add("To be had with utter models install, \(pass.rawValue) pass", available.filter { $0.pass == pass }) { record in
                let size = record.sizeText ?? "unknown size"
                return line(
                    record,
                    [
                        String(repeating: " ", count: max(0, sizeWidth - size.count)) + size, record.entry?.license, record.errorText,
                        record.entry?.isObsolete == true ? "replaced by a newer one" : nil,
                    ])
            }
        }
        var text = sections.joined(separator: "\n")
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
