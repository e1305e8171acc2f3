import Foundation
import Models
import Speech

struct ModelsPath: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let model = try ModelStore.ofUser().installedModel(for: arguments.operands[0])
        try model.checkFiles()
        try Output.write(model.path + "\n")
        return .ok
    }
}

struct ModelsRemove: Command {
    private let store = ModelStore.ofUser()
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let status = Status(isQuiet: arguments[Flag.quiet])
        let before = ModelsInUse()
        var removed: [String] = []
        let code = try await forEach(arguments.operands, status) { reference in
            var name = reference
            var wasWhole = false
            do {
                wasWhole = try await store.remove(named: name)
            } catch let error as SpeechError where error.code == .noModel {
                guard let meant = try nameToRemove(reference), meant != reference else { throw error }
                name = meant
                wasWhole = try await store.remove(named: name)
            }
            status.warn(wasWhole ? "removed \(name)" : "removed what was left of a download of \(name)")
            if store.chosen.contains(where: { $0.name == name }) {
                status.warn("it was the one chosen; now the best of the others is used")
            }
            removed.append(name)
        }
        if let sentence = ModelsInUse().sentence(afterRemoving: removed, before) { status.warn(sentence) }
        return code
    }

    /// The name of the installed model that a user means by a part of its name, or by a language for which only one is installed.
    ///
    /// - Returns: nil when there is no such model.
    /// - Throws: `SpeechError` with the code `ambiguousModel` when several models fit.
    private func nameToRemove(_ reference: String) throws(SpeechError) -> String? {
        do throws(SpeechError) {
            let model = try store.installedModel(for: reference)
            if reference.contains("/") { return store.folders[0] + "/" + model.name == model.path ? model.name : nil }
            guard let wanted = store.catalog.language(reference) else { return model.name }
            let catalog = store.catalog
            let own = store.installed.filter { $0.origin == .own }
            let fitting = own.filter { ModelRecord($0, in: catalog).isFor(wanted) }.map(\.name)
            if fitting.count < 2 { return fitting.first ?? model.name }
            throw SpeechError(
                .ambiguousModel,
                "\(reference) means several models; name one of them: \(fitting.joined(separator: ", "))")
        } catch {
            if error.code == .noModel { return nil }
            throw error
        }
    }
}

struct ModelsVerify: Command {
    private let store = ModelStore.ofUser()
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let status = Status(isQuiet: arguments[Flag.quiet])
        let named = arguments.operands
        let references =
            named.isEmpty ? store.installedForBothPasses.filter { $0.origin == .own }.map(\.name) : named
        if references.isEmpty { status.warn("utter has installed no model; name the one to check") }
        return try await forEach(references, status) { reference in
            let model = try store.installedModel(for: reference)
            let verification = try await store.verifyFiles(of: model)
            let probe = ModelProbe(model: model, knowsEnglish: store.knows(model, "en"))
            let outcome = await probe.run()
            if let problem = probe.problem(outcome) { throw CommandError(problem, .unavailable) }
            let works = "loads\(outcome.time) and hears a sentence"
            switch verification {
            case .unchanged: status.warn("\(model.name) is as it was installed, \(works)")
            case .complete:
                status.warn(
                    "\(model.name) lacks nothing, \(works); utter did not install it, so its files can't be compared")
            }
        }
    }
}

/// Calls `body` with each name, reports its errors, and goes on. The exit code is that of the first failure.
private func forEach(_ names: [String], _ status: Status, _ body: (String) async throws -> Void) async throws
    -> ExitCode
{
    var code = ExitCode.ok
    for name in names {
        do { try await body(name) } catch {
            let failure = CommandError(error)
            status.fail(failure.message)
            if code == .ok { code = failure.exitCode }
        }
    }
    return code
}

struct ModelsUpdate: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let status = Status(isQuiet: arguments[Flag.quiet])
        return try await InterruptibleWork.run {
            let outcome = try await ModelStore.ofUser().updateCatalog()
            let names = outcome.newNames
            let shown =
                names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
            status.warn(
                "the official list has \(outcome.modelCount) models; "
                    + (names.isEmpty ? "none is new" : "new: \(shown)"))
            return .ok
        }
    }
}

/// Work that SIGINT and SIGTERM cancel.
enum InterruptibleWork {
    /// Does the work, and waits for its end also after a signal. The exit code is that of the work or of the signal.
    static func run(
        whenInterrupted: (() -> Void)? = nil, _ body: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        let interruption = Interruption()
        let work = Task { try await body() }
        let watch = Task {
            await interruption.wait()
            work.cancel()
        }
        let result = await work.result
        // Ends the task that waits for a signal.
        interruption.endInput()
        await watch.value
        if case .failure(let error) = result, error is CancellationError, let number = interruption.signalNumber {
            whenInterrupted?()
            return ExitCode(endedBy: number)
        }
        return try result.get()
    }
}
