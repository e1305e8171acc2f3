import Foundation
import Models

/// What Silero's network for voice activity (version 6.2, 16 kHz) has learnt, read from its safetensors file.
///
/// It never changes, so all networks of a process share one.
final class SileroWeights: Sendable {
    /// The Fourier transform of 256 samples, as a convolution: the real parts, then the imaginary ones.
    let transform: SileroLayer
    /// The four convolutions after it, each over three neighbours in time.
    let convolutions: [SileroLayer]
    /// The four gates of the memory cell, from what is heard now and what the cell said before.
    let gates: SileroLayer
    /// The weighted sum of what the cell says.
    let sum: SileroLayer

    /// The weights that come along, which are read once.
    static let shared: Result<SileroWeights, SpeechError> = {
        guard let path = ModelStore.detectorWeights else {
            return .failure(
                SpeechError(.modelIncomplete, "the weights of the detector of speech are missing; install utter again"))
        }
        return Result { () throws(SpeechError) in try SileroWeights(path: path) }
    }()

    /// The number of frequencies.
    static let frequencies = 129
    /// The size of the memory cell, and of what is heard at one time.
    static let cellSize = 128

    /// Reads the weights.
    ///
    /// - Parameter path: the path of `silero_vad_16k.safetensors`.
    /// - Throws: `SpeechError` with the code `modelIncomplete` if the file cannot be read, or is not exactly that network.
    init(path: String) throws(SpeechError) {
        let file = try SafetensorsFile(path: path)
        let size = Self.cellSize
        transform = SileroLayer(
            taps: 1, of: 256, weights: try file.tensor("stft_conv.weight", [2 * Self.frequencies, 1, 256]),
            biases: [Float](repeating: 0, count: 2 * Self.frequencies))
        // The frames that a convolution sees beyond the ends are zero. The third has two frames, the fourth one, so
        // what they would multiply by zero is left out.
        convolutions = [
            try Self.convolution(1, SileroWeights.frequencies, 128, 0..<3, file),
            try Self.convolution(2, 128, 64, 0..<3, file),
            try Self.convolution(3, 64, 64, 1..<3, file),
            try Self.convolution(4, 64, size, 1..<2, file),
        ]
        let heard = try file.tensor("lstm_cell.weight_ih", [4 * size, size])
        let said = try file.tensor("lstm_cell.weight_hh", [4 * size, size])
        var rows: [Float] = []
        for start in stride(from: 0, to: 4 * size * size, by: size) {
            rows += heard[start..<start + size]
            rows += said[start..<start + size]
        }
        let heardBiases = try file.tensor("lstm_cell.bias_ih", [4 * size])
        let saidBiases = try file.tensor("lstm_cell.bias_hh", [4 * size])
        gates = SileroLayer(taps: 1, of: 2 * size, weights: rows, biases: zip(heardBiases, saidBiases).map(+))
        sum = SileroLayer(
            taps: 1, of: size, weights: try file.tensor("final_conv.weight", [1, size, 1]),
            biases: try file.tensor("final_conv.bias", [1]))
    }

    private static func convolution(
        _ number: Int, _ inputs: Int, _ outputs: Int, _ taps: Range<Int>, _ file: SafetensorsFile
    ) throws(SpeechError) -> SileroLayer {
        SileroLayer(
            taps: 3, using: taps, of: inputs, weights: try file.tensor("conv\(number).weight", [outputs, inputs, 3]),
            biases: try file.tensor("conv\(number).bias", [outputs]))
    }
}
