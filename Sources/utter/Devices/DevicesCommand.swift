import Audio
import Foundation
import Outbox

struct DevicesCommand: Command {
    private let testedDevice: String?
    /// How long to listen with `--test`, in seconds.
    private let duration: Double
    private let writesJSON: Bool

    init(arguments: ParsedArguments) throws(UsageError) {
        testedDevice = arguments[Self.testedDevice]
        duration = arguments[Self.duration] ?? 5
        writesJSON = arguments[Flag.json]
        if testedDevice == nil, arguments.has(Self.duration) {
            throw arguments.specification.usageError("--for is for --test: say which device to listen to")
        }
    }

    func run() async throws -> ExitCode {
        if let testedDevice { return try await test(testedDevice) }
        let used = try Settings.load().values["device"]?.text ?? "default"
        var devices = CaptureDeviceInformation.all()
        if devices.isEmpty {
            throw CommandError(
                "ALSA knows no capture device: connect a microphone, or start the sound server", .unavailable)
        }
        devices += await SoundServerSources.devices(beside: devices)
        // Not every device that can be opened is in ALSA's list.
        if !devices.contains(where: { $0.name == used }) {
            devices.append(CaptureDeviceInformation(name: used, description: ""))
        }
        try Output.write(writesJSON ? json(devices, used: used) : list(devices, used: used))
        return .ok
    }

    /// - Parameter used: the one that is used where none is named.
    private func list(_ devices: [CaptureDeviceInformation], used: String) -> String {
        let width = devices.map { displayWidth(TerminalText.visible($0.name)) }.max() ?? 0
        let rows = devices.map { (device: $0, abilities: Self.abilities(of: $0)) }
        // What can be used comes first.
        let ordered = rows.filter { $0.abilities.problem == nil } + rows.filter { $0.abilities.problem != nil }
        return ordered.map { device, abilities in
            let name = padded(TerminalText.visible(device.name), to: width)
            let words = abilities.problem ?? abilities.found.map(Self.words) ?? ""
            let details = [TerminalText.visible(device.description), words].filter { !$0.isEmpty }
            return "\(device.name == used ? "*" : " ") \(name)  \(details.joined(separator: "; "))\n"
        }.joined()
    }

    static func words(_ abilities: CaptureDeviceInformation.Capabilities) -> String {
        [
            range(abilities.sampleRates, "Hz", any: "any rate", unlimited: 10_000_000),
            range(abilities.channelCounts, "ch", any: "any channels", unlimited: 10_000),
        ].joined(separator: ", ") + ", "
            + abilities.encodings.map(\.rawValue).joined(separator: " ")
    }

    private func json(_ devices: [CaptureDeviceInformation], used: String) -> String {
        let objects = devices.map { device in
            let (abilities, problem) = Self.abilities(of: device)
            return JSONValue.object([
                "name": device.name, "description": device.description, "default": device.name == used,
                "rates": abilities.map { Self.json($0.sampleRates) },
                "channels": abilities.map { Self.json($0.channelCounts) },
                "formats": abilities?.encodings.map(\.rawValue), "problem": problem,
            ])
        }
        return "[\n" + objects.map(\.json).joined(separator: ",\n") + "\n]\n"
    }

    /// Listens to a device for `duration`, or until a signal, and writes the verdict.
    private func test(_ device: String) async throws -> ExitCode {
        var configuration = CaptureConfiguration(device: CaptureOptions.device(device))
        configuration.sampleLimit = Int64((duration * Double(configuration.sampleRate)).rounded())
        let tap = CaptureTap(configuration)
        try await tap.start()
        let interruption = Interruption()
        let watch = Task {
            await interruption.wait()
            await tap.stop()
        }
        let status = Status(patience: 0)
        if !writesJSON {
            status.announce(
                "speak into \(TerminalText.visible(device)) for \(Decimals.short(duration, decimals: 2)) seconds")
        }
        var verdict = LevelVerdict(sampleRate: configuration.sampleRate)
        let failure: (any Error)?
        do {
            for try await block in tap.blocks {
                verdict.add(block.samples)
                let level = tap.statistics.level
                status.show { width in Self.meter(level, width: width) }
            }
            failure = nil
        } catch {
            failure = error
        }
        interruption.endInput()
        await watch.value
        status.clearProgress()
        if let failure { throw failure }
        try Output.write(
            writesJSON ? Self.json(verdict, device) : verdict.sentence(mixer: Surroundings().mixer(of: device)) + "\n")
        if let number = interruption.signalNumber { return ExitCode(endedBy: number) }
        return verdict.finding == .good ? .ok : .dataError
    }

    /// The level as a bar from -60 to 0 dBFS, for a terminal with `width` columns.
    private static func meter(_ level: CaptureStatistics.Level, width: Int) -> String {
        let decibels = 20 * log10(Double(max(level.rms, 0.000_01)))
        let room = max(1, min(width - 12, 60))
        let count = Int((Double(room) * (decibels + 60) / 60).rounded())
        let bar = String(repeating: "#", count: max(0, min(room, count)))
        return
            "\(bar)\(String(repeating: ".", count: room - bar.count)) \(Decimals.fixed(max(decibels, -99), decimals: 0)) dBFS"
    }

    private static func json(_ verdict: LevelVerdict, _ device: String) -> String {
        JSONValue.object([
            "device": device, "verdict": verdict.finding.rawValue,
            "peak": JSONValue.number(verdict.peakLevel, decimals: 1),
            "level": JSONValue.number(verdict.loudest, decimals: 1),
        ]).json + "\n"
    }

    /// What a device can do, or why that is not known.
    private static func abilities(
        of device: CaptureDeviceInformation
    ) -> (found: CaptureDeviceInformation.Capabilities?, problem: String?) {
        let name = CaptureOptions.device(device.name)
        do throws(CaptureError) {
            return (try CaptureDeviceInformation(name: name, description: "").capabilities(), nil)
        } catch {
            switch error.code {
            case .busy: return (nil, "busy")
            case .permissionDenied: return (nil, "not permitted")
            case .unreachable: return (nil, "does not answer")
            default: return (nil, "can't be opened")
            }
        }
    }

    /// A range with its unit. A bound that no device can have is what ALSA says where there is none, and is left out.
    private static func range(_ range: ClosedRange<Int>, _ unit: String, any: String, unlimited: Int) -> String {
        if range.upperBound >= unlimited {
            return range.lowerBound <= 1 ? any : "from \(range.lowerBound) \(unit)"
        }
        let bounds = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
        return "\(bounds) \(unit)"
    }

    private static func json(_ range: ClosedRange<Int>) -> [Int] { [range.lowerBound, range.upperBound] }
}
