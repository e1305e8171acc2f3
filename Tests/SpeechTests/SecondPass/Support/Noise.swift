import Foundation
import TestSupport
import Testing

/// A sound without speech, generated from a seed, at 16 kHz and with the levels of places where people dictate.
enum Noise: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case silence, white, pink, hum, music, keyboard, claps, babble, engine, direct

    var testDescription: String {
        switch self {
        case .babble: "babble far away"
        case .direct: "direct current"
        default: rawValue
        }
    }

    /// Whether it says the same again within a tenth of a second, so that a few seconds have all of it.
    var repeatsItself: Bool { [.silence, .hum, .direct].contains(self) }

    static let rate = 16_000.0

    /// Generates samples.
    ///
    /// - Parameters:
    ///   - seconds: the duration.
    ///   - level: the root mean square of the sound without its pauses, in decibels relative to full scale.
    ///   - voices: the recordings from which babble is made.
    ///   - generator: the source of randomness.
    func samples(seconds: Int, level: Double, voices: [[Int16]] = [], using generator: inout SplitMix64) -> [Int16] {
        let count = seconds * Int(Self.rate)
        var sound = [Double](repeating: 0, count: count)
        switch self {
        case .silence: return [Int16](repeating: 0, count: count)
        case .direct: return [Int16](repeating: Int16(32767 * pow(10, level / 20)), count: count)
        case .white: for index in 0..<count { sound[index] = Self.white(&generator) }
        case .pink: Self.addPink(to: &sound, &generator)
        case .hum: Self.addHum(to: &sound, &generator)
        case .music: Self.addMusic(to: &sound, &generator)
        case .keyboard: Self.addKeyboard(to: &sound, &generator)
        case .claps: Self.addClaps(to: &sound, &generator)
        case .babble: Self.addBabble(to: &sound, voices, &generator)
        case .engine: Self.addEngine(to: &sound, &generator)
        }
        return Self.scaled(sound, to: level)
    }

    /// Scales the sound to a level, which is that of its loud parts: of the keystrokes, not of the pauses between them.
    private static func scaled(_ sound: [Double], to level: Double) -> [Int16] {
        let energies = stride(from: 0, to: sound.count - 319, by: 320).map { start in
            sound[start..<(start + 320)].reduce(0) { $0 + $1 * $1 } / 320
        }
        let loudest = energies.max() ?? 0
        let loud = energies.filter { $0 > loudest / 1000 }
        let factor = loud.isEmpty ? 0 : pow(10, level / 20) / (loud.reduce(0, +) / Double(loud.count)).squareRoot()
        return sound.map { Int16(max(-1, min(1, $0 * factor)) * 32767) }
    }

    private static func white(_ generator: inout SplitMix64) -> Double { Double.random(in: -1...1, using: &generator) }

    /// Adds pink noise, which falls by 3 dB an octave, made with Paul Kellet's filter.
    private static func addPink(to sound: inout [Double], _ generator: inout SplitMix64) {
        var (low, middle, high) = (0.0, 0.0, 0.0)
        for index in sound.indices {
            let white = white(&generator)
            low = 0.99765 * low + white * 0.0990460
            middle = 0.96300 * middle + white * 0.2965164
            high = 0.57000 * high + white * 1.0526913
            sound[index] += low + middle + high + white * 0.1848
        }
    }

    /// Adds the hum of the mains, with the harmonics of a transformer.
    private static func addHum(to sound: inout [Double], _ generator: inout SplitMix64) {
        let parts = [(50.0, 1.0), (100, 0.6), (150, 0.4), (250, 0.2), (300, 0.1), (350, 0.1)].map {
            (frequency: $0.0, amplitude: $0.1, phase: Double.random(in: 0..<(2 * .pi), using: &generator))
        }
        for index in sound.indices {
            let time = Double(index) / rate
            for part in parts { sound[index] += part.amplitude * sin(2 * .pi * part.frequency * time + part.phase) }
        }
    }

    /// Adds music: plucked strings in chords, a bass and a drum.
    private static func addMusic(to sound: inout [Double], _ generator: inout SplitMix64) {
        let chords = [[0, 4, 7, 12], [-3, 0, 4, 9], [-7, -3, 0, 5], [-5, -1, 2, 7]]
        let beat = Int(rate / 2)
        for start in stride(from: 0, to: sound.count, by: beat) {
            let bar = start / beat
            let chord = chords[bar / 4 % chords.count]
            let notes = [
                chord[0] - 12, chord.randomElement(using: &generator)!, chord.randomElement(using: &generator)! + 12,
            ]
            for (index, note) in notes.enumerated() {
                let frequency = 220 * pow(2, Double(note) / 12)
                pluck(&sound, at: start + index * beat / 3, frequency, seconds: 1.5, &generator)
            }
            if bar % 2 == 1 { burst(&sound, at: start, seconds: 0.08, 0.5, brightness: 0.7, &generator) }
        }
    }

    /// Adds a plucked string, by the algorithm of Karplus and Strong.
    private static func pluck(
        _ sound: inout [Double], at start: Int, _ frequency: Double, seconds: Double, _ generator: inout SplitMix64
    ) {
        var string = (0..<max(2, Int(rate / frequency))).map { _ in white(&generator) }
        let end = min(sound.count, start + Int(seconds * rate))
        guard start < end else { return }
        for index in start..<end {
            let place = (index - start) % string.count
            let next = (place + 1) % string.count
            sound[index] += string[place]
            string[place] = 0.498 * (string[place] + string[next])
        }
    }

    /// Adds decaying noise.
    ///
    /// - Parameter brightness: how much of the high is in it, from 0 to 1.
    private static func burst(
        _ sound: inout [Double], at start: Int, seconds: Double, _ amplitude: Double, brightness: Double,
        _ generator: inout SplitMix64
    ) {
        var filtered = 0.0
        for index in start..<max(start, min(sound.count, start + Int(seconds * 5 * rate))) {
            filtered += (white(&generator) - filtered) * brightness
            sound[index] += amplitude * filtered * exp(-Double(index - start) / rate / seconds)
        }
    }

    /// Adds keys that go down and up, in words with pauses, over the noise of a room.
    private static func addKeyboard(to sound: inout [Double], _ generator: inout SplitMix64) {
        var time = 0.5
        while time < Double(sound.count) / rate {
            for _ in 0..<Int.random(in: 2...12, using: &generator) {
                let loudness = Double.random(in: 0.4...1, using: &generator)
                burst(&sound, at: Int(time * rate), seconds: 0.004, loudness, brightness: 0.9, &generator)
                burst(
                    &sound, at: Int((time + 0.001) * rate), seconds: 0.02, loudness * 0.5, brightness: 0.15, &generator)
                let up = time + .random(in: 0.06...0.11, using: &generator)
                burst(&sound, at: Int(up * rate), seconds: 0.003, loudness * 0.4, brightness: 0.9, &generator)
                time += .random(in: 0.09...0.25, using: &generator)
            }
            time += .random(in: 0.3...3, using: &generator)
        }
        for index in sound.indices { sound[index] += 0.005 * white(&generator) }
    }

    /// Adds clapping, of one person, then of a few at once.
    private static func addClaps(to sound: inout [Double], _ generator: inout SplitMix64) {
        var time = 0.5
        while time < Double(sound.count) / rate {
            let hands = Int.random(in: 1...4, using: &generator)
            for _ in 0..<Int.random(in: 1...10, using: &generator) {
                for _ in 0..<hands {
                    let place = time + .random(in: 0...0.04, using: &generator)
                    burst(
                        &sound, at: Int(place * rate), seconds: .random(in: 0.01...0.04, using: &generator), 1,
                        brightness: .random(in: 0.3...0.7, using: &generator), &generator)
                }
                time += .random(in: 0.25...0.6, using: &generator)
            }
            time += .random(in: 0.5...4, using: &generator)
        }
    }

    /// Adds many voices at once, as through a wall, of which no single one can be understood.
    private static func addBabble(to sound: inout [Double], _ voices: [[Int16]], _ generator: inout SplitMix64) {
        precondition(!voices.isEmpty, "babble has voices")
        for _ in 0..<12 {
            var place = -Int.random(in: 0..<(8 * Int(rate)), using: &generator)
            while place < sound.count {
                let voice = voices.randomElement(using: &generator)!
                for (index, sample) in voice.enumerated() where (0..<sound.count).contains(place + index) {
                    sound[place + index] += Double(sample) / 32768
                }
                place += voice.count
            }
        }
        var (once, twice) = (0.0, 0.0)
        for index in sound.indices {
            once += (sound[index] - once) * 0.35
            twice += (once - twice) * 0.35
            sound[index] = twice
        }
        // The echoes of the room's six walls.
        for delay in [0.031, 0.047, 0.073, 0.101, 0.137, 0.181].map({ Int($0 * rate) }) {
            for index in sound.indices.dropFirst(delay).reversed() { sound[index] += 0.4 * sound[index - delay] }
        }
    }

    /// Adds the strokes of an engine whose speed goes up and down, and wind.
    private static func addEngine(to sound: inout [Double], _ generator: inout SplitMix64) {
        var (phase, brown) = (0.0, 0.0)
        let parts = [1.0, 0.7, 0.9, 0.4, 0.3, 0.5, 0.2, 0.1].enumerated().map { Double($0.offset + 1) * 0.5 }
        for index in sound.indices {
            let time = Double(index) / rate
            phase += (55 + 20 * sin(2 * .pi * time / 17) + 5 * sin(2 * .pi * time / 3)) / rate
            brown = 0.995 * brown + 0.1 * white(&generator)
            for part in parts { sound[index] += sin(2 * .pi * phase * part) / (part + 0.5) }
            sound[index] += 0.7 * brown
        }
    }
}
