import Models
import Speech

/// The models as `utter models list` shows them: the advice for a language, and a section for each pass.
struct ModelTable {
    private struct Section {
        let title: String
        let isInstalled: Bool
        var lines: [String]
    }

    /// The models, installed or not.
    let records: [ModelRecord]
    let use: ModelsInUse
    /// The models to begin with.
    let offer: ModelsOffer?
    /// The size of the terminal on which all is shown; nil for any size.
    let screen: TerminalSize?

    /// The models to take for a language on this machine; empty if there are none.
    var advice: String {
        guard let offer else { return "" }
        let chosen = records.filter(isToTake)
        if chosen.isEmpty { return "" }
        let width = chosen.map { displayWidth(TerminalText.visible($0.name)) }.max() ?? 0
        let lines = chosen.sorted { $0.pass == .second && $1.pass == .first }.map { record in
            let traits = [
                record.installed == nil ? record.sizeText.map { $0 + " to fetch" } : "installed",
                record.entry.flatMap(offer.cost), record.entry?.license,
            ]
            return
                "  \(padded(TerminalText.visible(record.name), to: width))  \(traits.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", "))\n"
        }
        let command = "utter models install \(ShellWord.quoted(offer.reference))"
        let isComplete = chosen.allSatisfy { $0.installed != nil }
        return
            "To take for \(TerminalText.visible(offer.reference)) on this machine:\(isComplete ? "" : " " + command)\n"
            + lines.joined()
            + (chosen.contains { $0.pass == .second } ? "  The speed is \(offer.trial.source).\n\n" : "\n")
    }

    /// Whether to take a model: one that is recommended, unless another that is installed makes fewer errors.
    private func isToTake(_ record: ModelRecord) -> Bool {
        guard let offer, offer.recommends(record.name) else { return false }
        if record.installed != nil { return true }
        func rate(_ record: ModelRecord) -> Double { record.entry?.errorRates.first?.percent ?? .infinity }
        let installed = records.filter { $0.installed != nil && $0.pass == record.pass }
        return !installed.contains { rate($0) < rate(record) }
    }

    /// The sections, without the models that can be installed and for which the screen has no room.
    func text(below advice: String) -> String {
        var sections = self.sections
        if let screen { shorten(&sections, to: screen.rows - 1 - height(advice)) }
        return sections.map { $0.title + ":\n" + $0.lines.joined() }.joined(separator: "\n")
    }

    /// Leaves out the last models that can be installed, of the longest section first, so that all fit. Each section
    /// keeps at least one.
    private func shorten(_ sections: inout [Section], to rows: Int) {
        var left = 0
        // With the title and an empty line of each, and the line that says how many are left out.
        func all() -> Int { sections.reduce(left == 0 ? -1 : 0) { $0 + $1.lines.map(height).reduce(2, +) } }
        while all() > rows,
            let longest = sections.indices.filter({ !sections[$0].isInstalled && sections[$0].lines.count > 1 })
                .max(by: { sections[$0].lines.count < sections[$1].lines.count })
        {
            sections[longest].lines.removeLast()
            left += 1
        }
        if left > 0, let offer {
            let all = "utter models list --all \(ShellWord.quoted(offer.reference))"
            sections[sections.count - 1].lines.append("  and \(left) more: \(all)\n")
        }
    }

    /// The rows that lines take on the screen.
    private func height(_ lines: String) -> Int {
        lines.split(separator: "\n", omittingEmptySubsequences: false).dropLast().reduce(0) { sum, line in
            sum + max(1, (displayWidth(String(line)) + (screen?.columns ?? 1) - 1) / (screen?.columns ?? 1))
        }
    }

    private var sections: [Section] {
        let passes = RecognitionPass.allCases
        let all =
            passes.map { pass in
                Section(
                    title: "Installed, \(pass.rawValue) pass", isInstalled: true,
                    lines: records.filter { $0.installed != nil && $0.pass == pass }.map(installedLine))
            }
            + passes.map { pass in
                Section(
                    title: "To be had with utter models install, \(pass.rawValue) pass", isInstalled: false,
                    lines: records.filter { $0.installed == nil && $0.pass == pass }.map(availableLine))
            }
        return all.filter { !$0.lines.isEmpty }
    }

    private func installedLine(_ record: ModelRecord) -> String {
        line(record, [size(record), errors(record), record.place, use.uses(record.installed) ? "in use" : nil])
    }

    private func availableLine(_ record: ModelRecord) -> String {
        line(
            record,
            [
                size(record), record.entry?.license, errors(record),
                record.entry?.isObsolete == true ? "replaced by a newer one" : nil,
                isToTake(record) ? "take this one" : nil,
            ])
    }

    private func line(_ record: ModelRecord, _ rest: [String?]) -> String {
        let text = [
            padded(TerminalText.visible(record.name), to: width { $0.name }),
            padded(TerminalText.visible(languageText(record)), to: width(languageText)),
            rest.compactMap { $0 }.filter { !$0.isEmpty }.map { TerminalText.visible($0) }.joined(separator: "  "),
        ].joined(separator: "  ")
        return "  " + String(text.reversed().drop { $0 == " " }.reversed()) + "\n"
    }

    private func width(_ column: (ModelRecord) -> String) -> Int {
        records.map { displayWidth(TerminalText.visible(column($0))) }.max() ?? 0
    }

    /// The error rate of a model; on a screen without the recordings, which `utter models info` names.
    private func errors(_ record: ModelRecord) -> String? {
        // A rate in English says nothing about another language.
        guard let rate = record.entry?.errorRates.first, !(offer?.isForeign(to: rate) ?? false) else { return nil }
        if screen == nil { return ModelRecord.text(rate) + (rate.corpus.map { " (\($0))" } ?? "") }
        return "\(Decimals.short(rate.percent, decimals: 2)) % wrong"
    }

    private func size(_ record: ModelRecord) -> String {
        let size = record.sizeText ?? "unknown size"
        let width = records.compactMap(\.sizeText).map(\.count).max() ?? 0
        return String(repeating: " ", count: max(0, width - size.count)) + size
    }

    private func languageText(_ record: ModelRecord) -> String {
        record.locale.map { record.language == $0 ? $0 : "\(record.language) (\($0))" } ?? record.language
    }
}
