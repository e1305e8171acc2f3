/// One layer of the network: each output is a bias and the sum of all inputs, each times a weight.
///
/// A convolution over time is the same computation at several places of its input, whose frames lie one behind the
/// other. The products are added in the order of the inputs, one output beside the other. So the compiler may compute
/// several outputs at once, and yet each sum is the same, to the last bit, on every machine.
struct SileroLayer: Sendable {
    let outputs: Int
    /// The number of inputs, filled up to a multiple of four by inputs whose weights are zero.
    let inputs: Int
    /// All weights of the first input, then all of the second, and so on.
    private let weights: [Float]
    private let biases: [Float]

    /// Creates a layer.
    ///
    /// - Parameters:
    ///   - taps: how many neighbouring frames `weights` are for.
    ///   - used: those of them that are used; the others only ever meet zeros.
    ///   - size: the number of values in a frame.
    ///   - weights: for each output, for each value of a frame, a weight for each tap.
    ///   - biases: for each output, its bias.
    init(taps: Int, using used: Range<Int>? = nil, of size: Int, weights: [Float], biases: [Float]) {
        let used = used ?? 0..<taps
        outputs = biases.count
        inputs = (used.count * size + 3) / 4 * 4
        var turned = [Float](repeating: 0, count: inputs * outputs)
        for (frame, tap) in used.enumerated() {
            for value in 0..<size {
                for output in 0..<outputs {
                    turned[(frame * size + value) * outputs + output] = weights[(output * size + value) * taps + tap]
                }
            }
        }
        self.weights = turned
        self.biases = biases
    }

    /// Computes the outputs at one place of the input or several.
    ///
    /// - Parameters:
    ///   - input: the values at the first place, `inputs` of them.
    ///   - step: how many values further each next place is.
    ///   - places: the number of places.
    ///   - output: where the results go, `outputs` values for each place.
    @inline(never)
    func apply(
        to input: UnsafePointer<Float>, step: Int, places: Int, output: UnsafeMutablePointer<Float>
    ) {
        biases.withUnsafeBufferPointer { biases in
            for place in 0..<places { (output + place * outputs).update(from: biases.baseAddress!, count: outputs) }
        }
        weights.withUnsafeBufferPointer { weights in
            var rows = weights.baseAddress!
            var first = 0
            while first < inputs {
                var place = 0
                // The rows stay in the nearest cache for all places.
                while place < places {
                    Self.add(rows, times: input + (place &* step &+ first), to: output + place &* outputs, outputs)
                    place &+= 1
                }
                rows += 4 &* outputs
                first &+= 4
            }
        }
    }

    /// Adds to each of `count` sums four products, one after the other.
    ///
    /// Loops and indices are plain, because a debug build calls a function for everything else.
    private static func add(
        _ rows: UnsafePointer<Float>, times input: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>,
        _ count: Int
    ) {
        let (value0, value1, value2, value3) = (input[0], input[1], input[2], input[3])
        let (row1, row2, row3) = (rows + count, rows + 2 &* count, rows + 3 &* count)
        var index = 0
        while index < count {
            sums[index] =
                sums[index] + rows[index] * value0 + row1[index] * value1 + row2[index] * value2 + row3[index] * value3
            index &+= 1
        }
    }
}
