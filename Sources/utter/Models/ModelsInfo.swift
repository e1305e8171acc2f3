import Foundation
import Models
import Speech

struct ModelsInfo: Command {
    private let store = ModelStore.ofUser()
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let record = try find()
        let isInUse = ModelsInUse().uses(record.installed)
        let isRecommended =
            record.spokenLanguage.flatMap { store.catalog.recommended(for: $0, pass: record.pass) }?.name == record.name
        try Output.write(
            arguments[Flag.json]
                ? record.json(isInUse: isInUse, isRecommended: isRecommended) + "\n" : text(record, isInUse: isInUse))
        return .ok
    }

    /// The record of the model with that name, or else of the installed model or the entry of the catalog that `reference` means.
    private func find() throws -> ModelRecord {
        let reference = arguments.operands[0]
        let records = ModelRecord.all(in: store)
        if let entry = store.catalog.model(withName: reference) {
            return records.first { $0.name == entry.name } ?? ModelRecord(entry: entry)
        }
        let installed = try? store.installedModel(for: reference)
        if let installed, !installed.isBuiltIn || installed.name == reference {
            try installed.checkFiles()
            return records.first { $0.installed == installed } ?? ModelRecord(installed: installed)
        }
        do throws(SpeechError) {
            let entry = try store.catalog.model(for: reference)
            return records.first { $0.name == entry.name } ?? ModelRecord(entry: entry)
        } catch {
            if error.code == .noModel, let installed { return ModelRecord(installed: installed) }
            throw error
        }
    }

    private func text(_ record: ModelRecord, isInUse: Bool) -> String {
        let entry = record.entry
        let isFile = record.pass == .second
        let traits = record.traits
        var facts: [(String, String?)] = [
            ("name", record.name), ("pass", record.pass.rawValue), ("language", record.language),
            ("locale", record.locale),
            ("languages", record.languages.flatMap { $0.count > 1 ? $0.joined(separator: " ") : nil }),
            ("type", entry?.kind.rawValue),
            ("family", traits?.family), ("weights", traits?.quantization), ("times", traits?.times),
            (isFile ? "file" : "archive", (entry.map { ModelRecord(entry: $0) } ?? record).sizeText),
            ("licence", entry?.license), ("", traits?.licenseAddress),
            ("about", entry?.details),
        ]
        for rate in entry?.errorRates ?? [] {
            facts += [("errors", ModelRecord.text(rate) + (rate.corpus.map { ", \($0)" } ?? "")), ("", rate.source)]
        }
        if let speed = traits?.speed {
            let processor = speed.processor.map { ", \($0)" } ?? ""
            facts += [
                ("speed", "\(Decimals.short(speed.timesRealTime, decimals: 1)) times real time\(processor)"),
                ("", speed.source),
            ]
        }
        let missing = isFile ? "none: the server's own, where it gives one" : "in the official list"
        facts += [
            ("from", entry?.address),
            (
                "checksum",
                entry.map { $0.checksums.first.map { "\($0.algorithm.rawValue) \($0.hexadecimal)" } ?? missing }
            ),
        ]
        if let installed = record.installed {
            facts.append(("installed", installed.path))
            if entry != nil, record.isOtherFile {
                facts.append(("", "another file than the one above, of \(ModelRecord.size(installed.fileSize ?? 0))"))
            }
            if isInUse {
                facts.append(("in use", "by memo, listen, transcribe and type, where no option names another"))
            }
            facts.append(("sample rate", (try? installed.sampleRate()).map { "\($0) Hz" }))
            if installed.origin != .own {
                facts.append(("belongs to", installed.origin == .shared ? "utter or the system" : "another program"))
            }
        } else {
            facts.append(("installed", "no; to install it: utter models install \(record.name)"))
        }
        if entry?.isObsolete == true { facts.append(("remark", "a newer one has replaced it")) }
        let width = facts.map(\.0.count).max() ?? 0
        return facts.compactMap { name, value in
            value.map { "\(padded(name, to: width))  \(TerminalText.visible($0))\n" }
        }.joined()
    }
}
