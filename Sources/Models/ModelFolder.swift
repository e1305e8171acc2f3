import Foundation
import Glibc
import System

/// A folder that should contain a Vosk model: its layout, its files and its defects.
package struct ModelFolder: Hashable, Sendable {
    /// The two layouts of models. The older one has every file in the folder itself.
    package enum Layout: Hashable, Sendable {
        case current
        case flat
    }

    package let path: String
    package let layout: Layout

    package init(path: String) {
        self.path = path
        let manager = FileManager.default
        // libvosk decides by the same file.
        layout =
            !manager.fileExists(atPath: path + "/am/final.mdl") && manager.fileExists(atPath: path + "/final.mdl")
            ? .flat : .current
    }

    /// The path of the acoustic model, relative to the folder.
    package var acousticModel: String { layout == .current ? "am/final.mdl" : "final.mdl" }
    /// The path of the configuration of the features, relative to the folder.
    package var featureConfiguration: String { layout == .current ? "conf/mfcc.conf" : "mfcc.conf" }
    /// The path of the decoder's configuration; nil in the flat layout, for which libvosk has it built in.
    package var decoderConfiguration: String? { layout == .current ? "conf/model.conf" : nil }
    /// The prefix of the paths of the graph's files.
    package var graphPrefix: String { layout == .current ? "graph/" : "" }

    /// Whether the graph is built while decoding, so that a vocabulary can be given at run time.
    package var hasLookaheadGraph: Bool { isReadable(graphPrefix + "HCLr.fst") && isReadable(graphPrefix + "Gr.fst") }

    /// The first defect that keeps the folder from being a model; `nil` if it is complete.
    package var problem: SpeechError? {
        guard let status = stat(path) else { return SpeechError(.noModel, "there is no model folder \(path)") }
        let file = status.isFolder ? path + "/" + ModelFile.name : path
        if ModelFile.isFile(file), ModelFile(path: file).problem == nil, !isReadable(acousticModel) {
            return .otherPass(.second, path)
        }
        guard status.isFolder else {
            return SpeechError(.noModel, "\(path) is a file; a model is a folder (unpack the archive first)")
        }
        var missing: [String] = []
        for file in [acousticModel, featureConfiguration, decoderConfiguration].compactMap({ $0 })
        where !isReadable(file) {
            missing.append(file)
        }
        if !isReadable(graphPrefix + "HCLG.fst") && !hasLookaheadGraph {
            missing += ["HCLr.fst", "Gr.fst"].map { graphPrefix + $0 }.filter { !isReadable($0) }
        }
        if has("ivector") {
            missing += ["final.ie", "final.dubm", "final.mat", "global_cmvn.stats", "online_cmvn.conf", "splice.conf"]
                .map { "ivector/" + $0 }.filter { !isReadable($0) }
        }
        if missing.isEmpty { return nil }
        return SpeechError(
            .modelIncomplete,
            "the model \(path) lacks \(missing.joined(separator: ", ")); install it again or unpack its archive again")
    }

    /// Returns the sample rate that the model was trained for, in Hz: Kaldi's default unless the folder has another.
    ///
    /// - Throws: `SpeechError` if the configuration can't be read.
    package func sampleRate() throws(SpeechError) -> Int {
        let configuration = try configuration(featureConfiguration)
        for (name, value) in Self.options(in: configuration).reversed() where name == "--sample-frequency" {
            if let rate = Double(value), rate >= 1000, rate <= 768_000 { return Int(rate) }
        }
        return 16_000
    }

    /// Returns the text of a configuration file. Like Kaldi, it accepts comments in any encoding.
    ///
    /// - Throws: `SpeechError` if the file can't be read.
    package func configuration(_ file: String) throws(SpeechError) -> String {
        do {
            return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)), as: UTF8.self)
        } catch {
            let code = error.systemErrorNumber
            throw SpeechError(
                code.isShortage ? .insufficientResources : .modelIncomplete,
                "can't read \(path)/\(file)" + (code == 0 ? "" : ": \(code.systemErrorText)"))
        }
    }

    /// Returns the options in a Kaldi configuration file, in their order; of several with one name the last counts.
    package static func options(in configuration: String) -> [(name: String, value: String)] {
        configuration.split(whereSeparator: \.isNewline).compactMap { line in
            let option = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = option.first?.trimmingCharacters(in: .whitespaces), !name.isEmpty else { return nil }
            // Kaldi treats the two spellings as equal.
            let value = option.count > 1 ? option[1].trimmingCharacters(in: .whitespaces) : ""
            return (name.lowercased().replacingOccurrences(of: "_", with: "-"), value)
        }
    }

    private func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    /// Whether there is a regular file that this process may read. On a pipe libvosk would wait for ever. access(2)
    private func isReadable(_ file: String) -> Bool {
        let file = path + "/" + file
        return ModelFile.isFile(file) && access(file, R_OK) == 0
    }
}
