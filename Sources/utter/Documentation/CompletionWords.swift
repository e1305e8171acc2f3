import Audio
import Foundation
import Models
import Outbox
import Speech
import System

/// `utter --complete KIND`, which the shells' completions run: prints the values of a kind that exist on this machine, one a line.
/// It never prints what was said.
enum CompletionWords: String, CaseIterable {
    static let option = "--complete"

    case models, firstPassModels = "first-pass-models", secondPassModels = "second-pass-models"
    case anyModels = "any-models"
    case locales, devices, destinations, operations, settings

    /// The words for a kind of value; nil when this machine has no list of them.
    init?(_ kind: ValueKind) {
        switch kind {
        case .model(nil): self = .models
        case .model(.first): self = .firstPassModels
        case .model(.second): self = .secondPassModels
        case .anyModel: self = .anyModels
        case .locale: self = .locales
        case .device: self = .devices
        case .destination: self = .destinations
        case .operation: self = .operations
        case .setting: self = .settings
        case .text, .line, .heading, .file, .fileOrNone, .folder, .choice, .day, .list, .integer, .number: return nil
        }
    }

    /// Reads the process's arguments.
    ///
    /// - Returns: nil unless they are `--complete KIND`.
    init?(arguments: [String]) {
        guard arguments.count == 2, arguments[0] == Self.option else { return nil }
        self.init(rawValue: arguments[1])
    }

    /// The shell command that prints the words; if it fails, it prints nothing.
    var command: String { "utter \(Self.option) \(rawValue) 2>/dev/null" }

    /// The words, each once.
    var words: [String] {
        // A word with a line break would be taken for two.
        all.unique.filter { !$0.contains(where: \.isNewline) }
    }

    private var all: [String] {
        let store = ModelStore.ofUser()
        switch self {
        case .models: return store.installedForBothPasses.map(\.name)
        case .firstPassModels: return store.installed.map(\.name)
        case .secondPassModels: return store.installed(for: .second).map(\.name) + [SecondPassChoice.none]
        case .anyModels:
            let models = store.catalog.models.filter { $0.isRecognizer && !$0.isObsolete }
            return store.catalog.supportedLocales.map(\.identifier) + models.map(\.name)
        case .locales: return (store.installedLocales + store.catalog.supportedLocales).map(\.identifier)
        case .devices: return ["default", CaptureOptions.monitor] + CaptureDeviceInformation.all().map(\.name)
        case .destinations:
            let destinations = try? Destinations.load(notes: .usual())
            return destinations.map { $0.names + ["notes"] } ?? []
        case .operations:
            let index = try? OutboxStore(folder: OutboxStore.defaultFolder()).index()
            return index?.ids.map(\.name) ?? []
        case .settings: return Setting.all.map(\.key) + ChosenModels.keys.map(\.key)
        }
    }
}
