import Foundation
import Speech

/// Carries out the commands of `utter models`.
func runModels(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting {
        let store = ModelStore()
        switch arguments.specification.word {
        case "list": return try ModelsList(arguments, store).run()
        case "info": return try ModelsInfo(arguments, store).run()
        case "install": return try await ModelsInstall(arguments, store).run()
        case "remove": return try await removeModels(arguments, store)
        case "path":
            try Output.write(try store.installedModel(for: arguments.operands[0]).path + "\n")
            return .ok
        case "verify": return try await verifyModels(arguments, store)
        case "update": return try await updateModels(arguments, store)
        case let name: preconditionFailure("utter models \(name) has nothing that runs it")
        }
    }
}

private func removeModels(_ arguments: ParsedArguments, _ store: ModelStore) async throws -> ExitCode {
    let status = Status(isQuiet: arguments.has("quiet"), isVerbose: false)
    return try await forEach(arguments.operands, status) { operand in
        // Only a whole name: a locale would be a guess at what is to go.
        let installed = RecognitionPass.allCases.flatMap { store.installed(for: $0) }
        let name = installed.first { $0.name == operand || $0.name == "vosk-model-" + operand }?.name ?? operand
        let wasWhole = try await store.remove(named: name)
        status.warn(wasWhole ? "removed \(name)" : "removed what was left of a download of \(name)")
    }
}

private func verifyModels(_ arguments: ParsedArguments, _ store: ModelStore) async throws -> ExitCode {
    let status = Status(isQuiet: arguments.has("quiet"), isVerbose: false)
    let references =
        arguments.operands.isEmpty
        ? RecognitionPass.allCases.flatMap { store.installed(for: $0) }.filter { $0.origin == .own }.map(\.name) : arguments.operands
    if references.isEmpty { status.warn("utter has installed no model; name the one to check") }
    return try await forEach(references, status) { reference in
        let model = try reference.contains("/") ? InstalledModel(path: reference) : store.installedModel(for: reference)
        let verification = try await store.verifyFiles(of: model)
        let probe = ModelProbe(model: model)
        let outcome = await probe.run()
        if let problem = probe.problem(outcome) { throw CommandError(problem, .unavailable) }
        switch verification {
        case .unchanged: status.warn("\(model.name) is as it was installed, and loads\(outcome.time)")
        case .complete:
            status.warn("\(model.name) lacks nothing and loads\(outcome.time); utter did not install it, so its files can't be compared")
        }
    }
}

/// Does something for each, says what went wrong with which, and goes on. The exit code is that of the first failure.
private func forEach(_ names: [String], _ status: Status, _ body: (String) async throws -> Void) async throws -> ExitCode {
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

private func updateModels(_ arguments: ParsedArguments, _ store: ModelStore) async throws -> ExitCode {
    let status = Status(isQuiet: arguments.has("quiet"), isVerbose: false)
    return try await InterruptibleWork.run {
        let outcome = try await store.updateCatalog()
        let names = outcome.newNames
        let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
        status.warn("the official list has \(outcome.modelCount) models; " + (names.isEmpty ? "none is new" : "new: \(shown)"))
        return .ok
    }
}

/// Work that SIGINT and SIGTERM end in an orderly way.
enum InterruptibleWork {
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
        // Lets the watch end.
        interruption.endInput()
        await watch.value
        if case .failure(let error) = result, error is CancellationError, let number = interruption.signalNumber {
            whenInterrupted?()
            return ExitCode(endedBy: number)
        }
        return try result.get()
    }
}
