import Foundation

/// A synthetic sound that resembles speech: four syllables with pauses around them. The recognized text does not matter; unlike
/// silence, the sound uses the same parts of a model as speech.
enum ProbeSound {
    private struct Syllable {
        /// The frequencies of the formants, in Hz.
        var formants: [Double]
        /// The pitch of the voice, in Hz.
        var pitch: Double
        /// The duration of the hiss at the beginning, in seconds.
        var hiss: Double
    }

    private static let syllables = [
        Syllable(formants: [730, 1090, 2440], pitch: 120, hiss: 0),
        Syllable(formants: [270, 2290, 3010], pitch: 135, hiss: 0.12),
        Syllable(formants: [300, 870, 2240], pitch: 110, hiss: 0.05),
        Syllable(formants: [530, 1840, 2480], pitch: 125, hiss: 0.12),
    ]

    /// Two seconds of the sound.
    ///
    /// - Parameter sampleRate: the sample rate, in Hz.
    static func samples(sampleRate: Int) -> [Int16] {
        let rate = Double(sampleRate)
        var noise: UInt32 = 1
        func hiss() -> Double {
            noise = noise &* 1_664_525 &+ 1_013_904_223
            return Double(noise >> 8) / 8_388_608 - 1
        }
        var samples = [Int16](repeating: 0, count: sampleRate / 4)
        for syllable in syllables {
            for _ in 0..<Int(syllable.hiss * rate) { samples.append(Int16(1500 * hiss())) }
            let voice = harmonics(of: syllable, below: rate / 2)
            for index in 0..<Int(0.25 * rate) {
                let time = Double(index) / rate
                var sum = 0.0
                for harmonic in voice { sum += harmonic.gain * sin(2 * .pi * harmonic.frequency * time) }
                let envelope = min(1, min(time, 0.25 - time) / 0.03)
                samples.append(Int16(max(-30_000, min(30_000, 5000 * envelope * sum + 30 * hiss()))))
            }
        }
        return samples + [Int16](repeating: 0, count: max(0, 2 * sampleRate - samples.count))
    }

    /// The harmonics of the voice, with frequencies in Hz; those near a formant are louder.
    private static func harmonics(of syllable: Syllable, below limit: Double) -> [(frequency: Double, gain: Double)] {
        (1...30).map { Double($0) }.filter { syllable.pitch * $0 < limit }.map { number in
            let frequency = syllable.pitch * number
            let gain = syllable.formants.reduce(0.02) { $0 + 1 / (1 + pow((frequency - $1) / 90, 2)) }
            return (frequency, gain / number.squareRoot())
        }
    }
}
