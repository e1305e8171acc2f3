import Foundation
import Glibc
import Models
import Speech

struct ModelsInstall: Command {
    private let store = ModelStore.ofUser()
    private let model: String?
    private let origin: String?
    private let checksum: Checksum?
    private let wish: ModelsOffer.Wish?
    private let status: Status

    init(arguments: ParsedArguments) throws(UsageError) {
        model = arguments.operands.first
        origin = arguments[Self.origin]
        wish = arguments[Self.wish]
        try arguments.refuse(Self.wish, with: Self.origin)
        if let digits = arguments[Self.checksum] {
            guard let checksum = Checksum(.sha256, digits) else {
                throw arguments.specification.usageError("--sha256 can't be '\(digits)': give 64 hexadecimal digits")
            }
            self.checksum = checksum
            if wish == .both {
                throw arguments.specification.usageError("--sha256 is for one file, and --pass both means two")
            }
        } else {
            checksum = nil
        }
        if model == nil, origin == nil {
            throw arguments.specification.usageError(
                "say which MODEL, or give an archive with --from; utter models list shows what there is")
        }
        status = Status(isQuiet: arguments[Flag.quiet], patience: 0.2)
    }

    /// The models to install, and the command line that continues an interrupted installation.
    private struct Plan {
        var installations: [(ModelInstallation, name: String)]
        var command: String
        /// Remarks for the user when everything is installed.
        var remarks: [String] = []
    }

    func run() async throws -> ExitCode {
        guard let plan = try await plan() else { return .ok }
        return try await InterruptibleWork.run(whenInterrupted: { [status] in
            status.fail("interrupted; to go on: \(plan.command)")
        }) {
            var models: [InstalledModel] = []
            for (installation, name) in plan.installations {
                models.append(try await install(installation, name, plan.command))
            }
            // Read after the installation, which may change the models in use.
            let use = ModelsInUse()
            for model in models { status.warn(use.sentence(about: model)) }
            for remark in plan.remarks { status.warn(remark) }
            return .ok
        }
    }

    private func install(_ installation: ModelInstallation, _ name: String, _ command: String) async throws
        -> InstalledModel
    {
        let watch = Task {
            for await progress in installation.progressUpdates {
                status.show { InstallationLine(name: name, progress: progress).text(width: $0) }
            }
        }
        // Also redraws while no progress comes, as when a server sends nothing.
        let clock = Task {
            while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                status.show { InstallationLine(name: name, progress: installation.progress).text(width: $0) }
            }
        }
        let result = await Task { try await installation.downloadAndInstall() }.cancellableResult
        clock.cancel()
        await clock.value
        await watch.value
        status.clearProgress()
        do {
            let outcome = try result.get()
            tell(outcome)
            return outcome.model
        } catch let error as SpeechError where error.code == .networkUnavailable {
            throw CommandError("\(error.description); to go on later: \(command)", .tempFail)
        }
    }

    private func tell(_ outcome: ModelInstallation.Outcome) {
        let name = outcome.model.name
        if outcome.wasInstalled {
            // Its archive is not kept.
            let remark = checksum == nil ? "" : "; nothing is compared with --sha256"
            return status.warn("\(name) is installed already\(remark)")
        }
        switch outcome.verification {
        case .server(let host):
            status.warn("installed \(name); its SHA-256 is the one that \(host) gave with it: the list has none")
        case .impossible:
            status.warn("installed \(name), which could not be verified: neither the list nor the server has a SHA-256")
        case .known, nil: status.warn("installed \(name)")
        }
    }

    /// The models that the arguments ask for.
    ///
    /// - Returns: nil when the user answers that none is wanted.
    private func plan() async throws -> Plan? {
        if let origin {
            let name = model ?? String(origin.split(separator: "/").last ?? "")
            let installation =
                origin.contains("://")
                ? try store.installation(fromAddress: origin, name: model, checksum: checksum)
                : try store.installation(ofArchive: origin, name: model, checksum: checksum)
            return Plan(installations: [(installation, name)], command: command())
        }
        let catalog = store.catalog
        let reference = model ?? ""
        let named: CatalogModel
        if let model = catalog.model(withName: reference) {
            named = model
        } else if let language = catalog.language(reference), !catalog.models(for: language.locale).isEmpty {
            // A locale is passed on as it was typed, for it may say more than its language.
            return try await planForLanguage(
                SpokenLanguage(reference) == nil ? language.identifier : reference, language, catalog)
        } else {
            // A part of a name, or an unknown one.
            named = try catalog.model(for: reference)
        }
        if let wish, wish.rawValue != named.pass.rawValue {
            throw CommandError(
                "\(named.name) is a model of the \(named.pass.rawValue) pass; --pass chooses what is installed for a language",
                .usage)
        }
        return plan([named], command())
    }

    private func plan(_ models: [CatalogModel], _ command: String, remarks: [String] = []) -> Plan {
        Plan(
            installations: models.map { (store.installation(of: $0, checksum: checksum), $0.name) }, command: command,
            remarks: remarks)
    }

    /// The models for a language: those of `--pass`, or at a terminal those that the user answers, or else that of the first pass.
    private func planForLanguage(_ reference: String, _ language: SpokenLanguage, _ catalog: ModelCatalog) async throws
        -> Plan?
    {
        let trial = wish == .first ? MachineTrial() : await MachineTrial.run(in: store)
        let offer = ModelsOffer(reference, language, catalog, trial)
        if let wish { return plan(try offer.models(wish), command()) }
        let isInstalled = { (model: CatalogModel) in store.installed(for: model.pass).contains { $0.name == model.name }
        }
        guard catalog.recommended(for: language, pass: .first) != nil else {
            return plan(try offer.models(.both), command())
        }
        let first = try offer.models(.first)
        guard let second = offer.second, !isInstalled(second) else { return plan(first, command()) }
        if checksum == nil, !status.isQuiet, isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 {
            guard let wish = try offer.ask(isInstalled) else { return nil }
            return plan(try offer.models(wish), command(wish))
        }
        if SecondPassFiles.ofUser().model(forLanguage: reference) != nil { return plan(first, command()) }
        let size = ModelRecord(entry: second).sizeText.map { " (\($0))" } ?? ""
        return plan(
            first, command(),
            remarks: [
                "for capitals and punctuation there is \(second.name)\(size): utter models install --pass second \(reference)"
            ])
    }

    /// A command line with the effect of the one that was typed.
    private func command(_ chosen: ModelsOffer.Wish? = nil) -> String {
        let options = [("--pass", (wish ?? chosen)?.rawValue), ("--from", origin), ("--sha256", checksum?.hexadecimal)]
        return
            (["utter", "models", "install"] + [model].compactMap { $0 }
            + options.flatMap { name, value in value.map { [name, $0] } ?? [] })
            .map(ShellWord.quoted).joined(separator: " ")
    }
}

extension Task where Failure == any Error {
    /// The task's result. If the waiting task is cancelled, this one is too.
    fileprivate var cancellableResult: Result<Success, any Error> {
        get async {
            await withTaskCancellationHandler {
                await result
            } onCancel: {
                cancel()
            }
        }
    }
}
