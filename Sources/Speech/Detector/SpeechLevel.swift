/// Says how much each frame of sound is raised before the network hears it, because the network does not hear what is
/// very quiet.
///
/// The gain follows the level: down within three frames, up slowly. So a click does not lower it, a pause does not raise
/// it much, and a second, quieter speaker is soon as loud as the first. No frame is raised beyond a peak. It is pure
/// state, and looks at nothing later.
struct SpeechLevel {
    /// The level that stays, as a peak from 0 to 1.
    private var level = Self.target / Self.greatest
    /// The peaks of the two frames before.
    private var (last, lastButOne): (Float, Float) = (0, 0)

    /// The peak to which the level is raised, -6 dBFS: that of speech as the network learnt it. Of 0.125 to 0.5, it
    /// moves the ends of ranges least.
    private static let target: Float = 0.5
    /// The peak beyond which no frame is raised, so that none is distorted.
    private static let highest: Float = 0.9
    /// The factor by which the level falls in each frame: 6 dB a second.
    private static let release: Float = 0.978
    /// The greatest gain, 48 dB: speech with a peak of -54 dBFS is then as if of -6 dBFS.
    private static let greatest: Float = 250

    /// Adds the next frame.
    ///
    /// - Parameter peak: its peak, from 0 to 1.
    /// - Returns: the factor for its samples.
    mutating func gain(forPeak peak: Float) -> Float {
        level = max(level * Self.release, min(peak, last, lastButOne), Self.target / Self.greatest)
        (last, lastButOne) = (peak, last)
        let gain = max(1, Self.target / level)
        return peak * gain > Self.highest ? max(1, Self.highest / peak) : gain
    }
}
