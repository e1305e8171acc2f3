import Audio

/// Brings a transcriber's input to the rate of its model.
final class InputConverter {
    let inputRate: Int
    private var converter: SampleRateConverter

    /// - Parameters:
    ///   - inputRate: samples a second of what comes, in Hz.
    ///   - outputRate: samples a second of what goes on, in Hz.
    init(from inputRate: Int, to outputRate: Int) throws(SampleRateError) {
        self.inputRate = inputRate
        converter = try SampleRateConverter(from: inputRate, to: outputRate)
    }

    func convert(_ samples: [Int16]) throws(SampleRateError) -> [Int16] {
        var converted: [Int16] = []
        try converter.convert(samples.map { Float($0) / 32768 }, appendingTo: &converted)
        return converted
    }

    /// The samples that are still owed for those that came.
    func finish() throws(SampleRateError) -> [Int16] {
        var rest: [Int16] = []
        try converter.finish(appendingTo: &rest)
        return rest
    }
}
