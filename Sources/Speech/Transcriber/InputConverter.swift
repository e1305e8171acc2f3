import Audio

/// Converts a transcriber's input to the rate of its model.
final class InputConverter {
    let inputRate: Int
    private var converter: SampleRateConverter

    /// - Parameters:
    ///   - inputRate: the number of samples per second of the input, in Hz.
    ///   - outputRate: the number of samples per second of the output, in Hz.
    init(from inputRate: Int, to outputRate: Int) throws(SampleRateError) {
        self.inputRate = inputRate
        converter = try SampleRateConverter(from: inputRate, to: outputRate)
    }

    func convert(_ samples: [Int16]) throws(SampleRateError) -> [Int16] {
        var converted: [Int16] = []
        try converter.convert(samples.map { Float($0) / 32768 }, appendingTo: &converted)
        return converted
    }

    /// Returns the samples that are still owed for the input.
    func finish() throws(SampleRateError) -> [Int16] {
        var rest: [Int16] = []
        try converter.finish(appendingTo: &rest)
        return rest
    }
}
