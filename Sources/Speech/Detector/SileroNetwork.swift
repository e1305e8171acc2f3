/// Silero's network for voice activity (version 6.2, 16 kHz): how likely each frame of sound holds speech.
///
/// A frame is seen with the end of the one before it, as four overlapping windows. Their spectra pass four convolutions,
/// a memory cell (an LSTM) and a weighted sum. It is pure state; a frame allocates nothing. The result is the same on
/// every machine: nothing but sums, products, quotients and square roots in a fixed order, without the C library's
/// functions, which differ between machines.
struct SileroNetwork {
    /// The length of a frame, in samples.
    static let frameLength = 512
    /// How many samples before a frame belong to it.
    private static let contextLength = 64
    /// The samples of a window of the Fourier transform, and how far the next is.
    private static let (windowLength, windowStep, windows) = (256, 128, 4)

    /// Where things are in `memory`. What a convolution sees before the first frame, and the magnitudes after the last
    /// window, stays zero.
    private enum Place {
        static let sound = 0
        static let spectra = sound + contextLength + frameLength + 64
        static let magnitudes = spectra + windows * 2 * SileroWeights.frequencies
        // One value is left over, because the number of inputs of a layer is a multiple of four.
        static let first = magnitudes + (windows + 2) * SileroWeights.frequencies + 2
        static let second = first + (windows + 1) * 128
        static let third = second + 2 * 64
        /// What is heard, and behind it what the cell said: the inputs of its gates.
        static let heard = third + 64
        static let said = heard + SileroWeights.cellSize
        static let cell = said + SileroWeights.cellSize
        static let gates = cell + SileroWeights.cellSize
        static let sum = gates + 4 * SileroWeights.cellSize
        static let end = sum + 1
    }

    private let weights: SileroWeights
    private var memory = [Float](repeating: 0, count: Place.end)

    /// Creates a network that has heard nothing.
    init(weights: SileroWeights) { self.weights = weights }

    /// Hears the next frame.
    ///
    /// - Parameter frame: 512 samples from -1 to 1.
    /// - Returns: the probability that there is speech in it, from 0 to 1.
    mutating func probability(of frame: UnsafeBufferPointer<Float>) -> Float {
        precondition(frame.count == Self.frameLength, "a frame has 512 samples")
        let weights = weights
        return memory.withUnsafeMutableBufferPointer { memory in
            let memory = memory.baseAddress!
            Self.take(frame.baseAddress!, memory + Place.sound)
            Self.measure(weights, memory)
            let convolutions = weights.convolutions
            Self.convolve(convolutions[0], memory, Place.magnitudes, step: 129, places: 4, to: Place.first + 128)
            Self.convolve(convolutions[1], memory, Place.first, step: 256, places: 2, to: Place.second)
            Self.convolve(convolutions[2], memory, Place.second, step: 0, places: 1, to: Place.third)
            Self.convolve(convolutions[3], memory, Place.third, step: 0, places: 1, to: Place.heard)
            return Self.remember(weights, memory)
        }
    }

    /// Puts a frame behind the end of the one before, and its own end, mirrored, behind it.
    private static func take(_ frame: UnsafePointer<Float>, _ sound: UnsafeMutablePointer<Float>) {
        sound.update(from: sound + frameLength, count: contextLength)
        (sound + contextLength).update(from: frame, count: frameLength)
        let last = contextLength + frameLength - 1
        for index in 1...64 { sound[last + index] = sound[last - index] }
    }

    /// Computes the magnitude of each frequency in each window.
    private static func measure(_ weights: SileroWeights, _ memory: UnsafeMutablePointer<Float>) {
        let spectra = memory + Place.spectra
        weights.transform.apply(to: memory + Place.sound, step: windowStep, places: windows, output: spectra)
        let frequencies = SileroWeights.frequencies
        var window = 0
        while window < windows {
            let real = spectra + 2 &* window &* frequencies
            let imaginary = real + frequencies
            let magnitudes = memory + Place.magnitudes + (window &+ 1) &* frequencies
            var index = 0
            while index < frequencies {
                let square = real[index] * real[index] + imaginary[index] * imaginary[index]
                magnitudes[index] = square.squareRoot()
                index &+= 1
            }
            window &+= 1
        }
    }

    /// Applies a convolution, and replaces what is negative in its result by zero.
    private static func convolve(
        _ layer: SileroLayer, _ memory: UnsafeMutablePointer<Float>, _ input: Int, step: Int, places: Int,
        to output: Int
    ) {
        layer.apply(to: memory + input, step: step, places: places, output: memory + output)
        let (values, count) = (memory + output, places * layer.outputs)
        var index = 0
        while index < count {
            values[index] = values[index] > 0 ? values[index] : 0
            index &+= 1
        }
    }

    /// Brings the memory cell one frame further.
    ///
    /// - Returns: the probability of speech.
    private static func remember(_ weights: SileroWeights, _ memory: UnsafeMutablePointer<Float>) -> Float {
        let size = SileroWeights.cellSize
        weights.gates.apply(to: memory + Place.heard, step: 0, places: 1, output: memory + Place.gates)
        let (cell, said) = (memory + Place.cell, memory + Place.said)
        let input = memory + Place.gates
        let (kept, new, shown) = (input + size, input + 2 * size, input + 3 * size)
        // What was heard is used up, so its place takes what the cell says without what is negative.
        let positive = memory + Place.heard
        var index = 0
        while index < size {
            cell[index] = sigmoid(kept[index]) * cell[index] + sigmoid(input[index]) * tanh(new[index])
            said[index] = sigmoid(shown[index]) * tanh(cell[index])
            positive[index] = said[index] > 0 ? said[index] : 0
            index &+= 1
        }
        weights.sum.apply(to: positive, step: 0, places: 1, output: memory + Place.sum)
        return sigmoid(memory[Place.sum])
    }

    private static func sigmoid(_ value: Float) -> Float { 1 / (1 + exp(-value)) }

    private static func tanh(_ value: Float) -> Float { 1 - 2 / (1 + exp(2 * value)) }

    /// The exponential function, to seven digits: a power of two, which goes into the exponent, times a polynomial, that
    /// of S. Moshier's Cephes library.
    @inline(__always)
    private static func exp(_ value: Float) -> Float {
        let value = value > 80 ? 80 : value < -80 ? -80 : value
        // The sum has no bits behind the point, so it is rounded, and its last bits are the integer.
        let shifted = value * 1.442_695_04 + 12_582_912
        let power = shifted - 12_582_912
        let rest = value - power * 0.693_359_375 + power * 2.121_944_40e-4
        var sum: Float = 1.987_569_150_0e-4
        sum = sum * rest + 1.398_199_950_7e-3
        sum = sum * rest + 8.333_451_907_3e-3
        sum = sum * rest + 4.166_579_589_4e-2
        sum = sum * rest + 1.666_666_545_9e-1
        sum = sum * rest + 5.000_000_120_1e-1
        return (sum * rest * rest + rest + 1) * Float(bitPattern: (shifted.bitPattern &+ 127) &<< 23)
    }
}
