import CALSA

/// The encoding of a capture device's samples: those of ALSA's formats that sound cards use. Best first: the recognizer takes 16 bits,
/// and wider samples lose nothing on the way to them.
enum CaptureEncoding: CaseIterable, Sendable {
    case signed16
    case signed32
    case float32
    /// 24 bits in three bytes.
    case signed24
    /// 24 bits in the low three of four bytes.
    case signed24In32

    var byteCount: Int {
        switch self {
        case .signed16: 2
        case .signed24: 3
        case .signed32, .float32, .signed24In32: 4
        }
    }

    var alsaFormat: snd_pcm_format_t {
        switch self {
        case .signed16: SND_PCM_FORMAT_S16_LE
        case .signed32: SND_PCM_FORMAT_S32_LE
        case .float32: SND_PCM_FORMAT_FLOAT_LE
        case .signed24: SND_PCM_FORMAT_S24_3LE
        case .signed24In32: SND_PCM_FORMAT_S24_LE
        }
    }

    var audioEncoding: AudioFormat.Encoding {
        switch self {
        case .signed16: .signed16
        case .signed24, .signed24In32: .signed24
        case .signed32: .signed32
        case .float32: .float32
        }
    }

    /// Decodes `count` samples to floats, full scale ±1.0.
    @_noLocks
    func decode(_ bytes: UnsafeRawPointer, _ count: Int, into samples: UnsafeMutablePointer<Float>) {
        switch self {
        case .signed16: SampleDecoder.decodeSigned16(bytes, count, into: samples)
        case .signed32: SampleDecoder.decodeSigned32(bytes, count, into: samples)
        case .float32: _ = SampleDecoder.decodeFloat32(bytes, count, into: samples)
        case .signed24: SampleDecoder.decodeSigned24(bytes, count, into: samples)
        case .signed24In32:
            for index in 0..<count {
                let value = Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self))
                // The fourth byte is undefined.
                samples[index] = Float((value << 8) >> 8) / 8_388_608
            }
        }
    }
}
