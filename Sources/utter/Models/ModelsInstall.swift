import Foundation
import Speech

/// `utter models install`.
struct ModelsInstall {
    private let store: ModelStore
    private let model: String?
    private let origin: String?
    private let checksum: Checksum?
    private let status: Status

    init(_ arguments: ParsedArguments, _ store: ModelStore) throws(UsageError) {
        self.store = store
        model = arguments.operands.first
        origin = arguments.string("from")
        if let digits = arguments.string("sha256") {
            guard let checksum = Checksum(.sha256, digits) else {
                throw arguments.specification.usageError("--sha256 can't be '\(digits)': give 64 hexadecimal digits")
            }
            self.checksum = checksum
        } else {
            checksum = nil
        }
        if model == nil, origin == nil {
            throw arguments.specification.usageError(
                "say which MODEL, or give an archive with --from; utter models list shows what there is")
        }
        status = Status(isQuiet: arguments.has("quiet"), isVerbose: false, patience: 0.2)
    }

    func run() async throws -> ExitCode {
        let (installation, name) = try installation()
        let command = self.command
        return try await InterruptibleWork.run(whenInterrupted: { [status] in
            status.fail("interrupted; to go on: \(command)")
        }) { [status] in
            let watch = Task {
                for await progress in installation.progressUpdates {
                    status.show { InstallationLine(name: name, progress: progress).text(width: $0) }
                }
            }
            // A server that sends nothing gives no news to show.
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
                status.warn(outcome.wasInstalled ? "\(outcome.model.name) is installed already" : "installed \(outcome.model.name)")
                return .ok
            } catch let error as SpeechError where error.code == .networkUnavailable {
                throw CommandError("\(error.description); to go on later: \(command)", .tempFail)
            }
        }
    }

    private func installation() throws -> (ModelInstallation, name: String) {
        guard let origin else {
            let entry = try store.catalog.model(for: model ?? "")
            return (store.installation(of: entry, checksum: checksum), entry.name)
        }
        let name = model ?? String(origin.split(separator: "/").last ?? "")
        let installation =
            origin.contains("://")
            ? try store.installation(fromAddress: origin, name: model, checksum: checksum)
            : try store.installation(ofArchive: origin, name: model, checksum: checksum)
        return (installation, name)
    }

    /// What was typed, or comes to the same.
    private var command: String {
        let options = [("--from", origin), ("--sha256", checksum?.hexadecimal)].flatMap { name, value in value.map { [name, $0] } ?? [] }
        return (["utter", "models", "install"] + [model].compactMap { $0 } + options).map(ShellWord.quoted).joined(separator: " ")
    }
}

extension Task where Failure == any Error {
    /// Its result; a cancellation of whoever waits reaches it.
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
