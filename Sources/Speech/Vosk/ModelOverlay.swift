import Foundation
import Models
import System

/// A model folder with changed settings: symbolic links to the files of the real folder, and small configuration files
/// that differ. libvosk reads everything while it loads, so the overlay is removed after that.
enum ModelOverlay {
    /// Makes an overlay of `folder`, calls `body` with its path, and removes it.
    ///
    /// - Throws: `SpeechError` if the overlay can't be made, and the errors of `body`.
    static func with<Value>(
        _ folder: ModelFolder, endpointing: Endpointing, _ body: (_ path: String) throws(SpeechError) -> sending Value
    ) throws(SpeechError) -> sending Value {
        let overlay: OverlayFolder
        do {
            overlay = try OverlayFolder()
            try fill(overlay.path, from: folder, endpointing: endpointing)
        } catch let error as SpeechError {
            throw error
        } catch {
            let code = error.systemErrorNumber
            throw SpeechError(
                .insufficientResources,
                "no temporary folder could be made for the settings of the model \(folder.path)"
                    + (code == 0 ? "" : ": \(code.systemErrorText)"))
        }
        defer { withExtendedLifetime(overlay) {} }
        return try body(overlay.path)
    }

    private static func fill(_ path: String, from folder: ModelFolder, endpointing: Endpointing) throws {
        let manager = FileManager.default
        let source = URL(fileURLWithPath: folder.path).standardizedFileURL.path
        func link(_ file: String, as name: String) throws {
            try manager.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: source + "/" + file)
        }

        for name in ["am", "conf", "graph", "graph/phones"] {
            try manager.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: false)
        }
        switch folder.layout {
        case .current:
            for name in try manager.contentsOfDirectory(atPath: source) where !["am", "conf", "graph"].contains(name) {
                try link(name, as: name)
            }
            for directory in ["am", "conf", "graph", "graph/phones"] {
                let names = (try? manager.contentsOfDirectory(atPath: source + "/" + directory)) ?? []
                for name in names
                where !["conf/mfcc.conf", "conf/model.conf", "graph/phones"].contains(directory + "/" + name) {
                    try link(directory + "/" + name, as: directory + "/" + name)
                }
            }
        case .flat:
            let places = [
                "final.mdl": "am/final.mdl", "HCLG.fst": "graph/HCLG.fst", "HCLr.fst": "graph/HCLr.fst",
                "Gr.fst": "graph/Gr.fst", "disambig_tid.int": "graph/disambig_tid.int", "words.txt": "graph/words.txt",
                "word_boundary.int": "graph/phones/word_boundary.int", "ivector": "ivector", "rescore": "rescore",
            ]
            for (name, place) in places where manager.fileExists(atPath: source + "/" + name) {
                try link(name, as: place)
            }
        }

        let features = try folder.configuration(folder.featureConfiguration)
        // Dither is random noise; without it the same samples give the same text.
        try write(merged(features, with: ["--dither": "0.0"]), to: path + "/conf/mfcc.conf")
        let decoder = try folder.decoderConfiguration.map(folder.configuration) ?? flatDecoderConfiguration
        try write(merged(decoder, with: endpointing.options), to: path + "/conf/model.conf")
    }

    /// Returns `configuration` with some options replaced or added.
    private static func merged(_ configuration: String, with options: [String: String]) -> String {
        let kept = ModelFolder.options(in: configuration).filter { options[$0.name] == nil }
            .map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }
        let added = options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return (kept + added).joined(separator: "\n") + "\n"
    }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// The configuration that libvosk uses for a model in the flat layout (`Model::ConfigureV1`).
    private static let flatDecoderConfiguration = """
        --max-active=7000
        --beam=13.0
        --lattice-beam=6.0
        --acoustic-scale=1.0
        --frame-subsampling-factor=3
        --endpoint.silence-phones=1:2:3:4:5:6:7:8:9:10
        --endpoint.rule2.min-trailing-silence=0.5
        --endpoint.rule3.min-trailing-silence=1.0
        --endpoint.rule4.min-trailing-silence=2.0
        """
}
