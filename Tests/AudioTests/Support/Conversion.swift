@testable import Audio

/// Converts frames at once, to their end.
func convert(
    _ frames: [Float], from inputRate: Int, channelCount: Int = 1, channels: ChannelSelection = .mix,
    to outputRate: Int = 16_000
) throws -> [Int16] {
    var converter = try SampleRateConverter(
        from: inputRate, channelCount: channelCount, channels: channels, to: outputRate)
    var output: [Int16] = []
    try converter.convert(frames, appendingTo: &output)
    try converter.finish(appendingTo: &output)
    return output
}
