import Foundation
import Speech

/// `utter models list`: what is installed, and what else there is.
struct ModelsList {
    private let store: ModelStore
    private let language: String?
    private let onlyInstalled: Bool
    private let showsAll: Bool
    private let writesJSON: Bool

    init(_ arguments: ParsedArguments, _ store: ModelStore) {
        self.store = store
        language = arguments.operands.first
        onlyInstalled = arguments.has("installed")
        showsAll = arguments.has("all")
        writesJSON = arguments.has("json")
    }

    func run() throws -> ExitCode {
        var records = ModelRecord.all(in: store)
        if !showsAll { records = records.filter { $0.installed != nil || $0.entry?.isObsolete == false && $0.entry?.isRecognizer == true } }
        if onlyInstalled { records = records.filter { $0.installed != nil } }
        if let language {
            records = records.filter { isFor(language, $0) }
            if records.isEmpty {
                let rest = onlyInstalled ? " installed" : "; see all with: utter models list"
                throw CommandError("there is no model for \(language)\(rest)", .unavailable)
            }
        }
        try Output.write(writesJSON ? "[\n" + records.map(\.json).joined(separator: ",\n") + "\n]\n" : table(records))
        return .ok
    }

    /// A language's code, a locale, or the language's name in English.
    private func isFor(_ wanted: String, _ record: ModelRecord) -> Bool {
        if record.language.lowercased().contains(wanted.lowercased()) { return true }
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
        var text = ""
        if !installed.isEmpty { text += "Installed:\n" + installed.map { line($0, [$0.place]) }.joined() }
        if !available.isEmpty {
            text += (text.isEmpty ? "" : "\n") + "To be had with utter models install:\n"
            let sizeWidth = available.compactMap(\.sizeText).map(\.count).max() ?? 0
            text += available.map { record in
                let size = record.sizeText ?? "unknown size"
                return line(
                    record,
                    [
                        String(repeating: " ", count: max(0, sizeWidth - size.count)) + size, record.entry?.license,
                        record.entry?.isObsolete == true ? "replaced by a newer one" : nil,
                    ])
            }.joined()
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
