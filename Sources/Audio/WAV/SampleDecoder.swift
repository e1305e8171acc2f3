/// Decodes samples of any encoding to floats, with one tight loop per encoding and without allocation.
struct SampleDecoder {
    let encoding: AudioFormat.Encoding

    /// Decodes the first `target.count` samples of `source`, full scale ±1.0. NaN becomes 0, and an infinity (or a
    /// double too great for a float) becomes ±1; any other value is kept, even beyond full scale.
    ///
    /// - Returns: how many of the samples were NaN or infinite.
    func decode(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<Float>) -> Int {
        precondition(source.count / encoding.byteCount >= target.count)
        guard let bytes = source.baseAddress, let samples = target.baseAddress else { return 0 }
        let count = target.count
        switch encoding {
        case .unsigned8:
            for index in 0..<count {
                samples[index] = Float(Int32(bytes.load(fromByteOffset: index, as: UInt8.self)) &- 128) / 128
            }
        case .signed16: Self.decodeSigned16(bytes, count, into: samples)
        case .signed24: Self.decodeSigned24(bytes, count, into: samples)
        case .signed32: Self.decodeSigned32(bytes, count, into: samples)
        case .float32: return Self.decodeFloat32(bytes, count, into: samples)
        case .float64:
            var replaced = 0
            for index in 0..<count {
                let bits = bytes.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
                replaced &+= Self.store(Float(Double(bitPattern: UInt64(littleEndian: bits))), at: samples + index)
            }
            return replaced
        case .aLaw:
            Self.decode(bytes, count, through: G711.aLaw, into: samples)
        case .muLaw:
            Self.decode(bytes, count, through: G711.muLaw, into: samples)
        }
        return 0
    }

    // The encodings that sound cards use as well, in a form that the compiler can check for a real-time thread.

    @_noLocks
    static func decodeSigned16(_ bytes: UnsafeRawPointer, _ count: Int, into samples: UnsafeMutablePointer<Float>) {
        for index in 0..<count {
            let value = bytes.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
            samples[index] = Float(Int16(littleEndian: value)) / 32768
        }
    }

    @_noLocks
    static func decodeSigned24(_ bytes: UnsafeRawPointer, _ count: Int, into samples: UnsafeMutablePointer<Float>) {
        for index in 0..<count {
            let low = bytes.loadUnaligned(fromByteOffset: index &* 3, as: UInt16.self)
            let high = bytes.load(fromByteOffset: index &* 3 &+ 2, as: Int8.self)
            let value = Int32(high) << 16 | Int32(UInt16(littleEndian: low))
            samples[index] = Float(value) / 8_388_608
        }
    }

    @_noLocks
    static func decodeSigned32(_ bytes: UnsafeRawPointer, _ count: Int, into samples: UnsafeMutablePointer<Float>) {
        for index in 0..<count {
            let value = bytes.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)
            samples[index] = Float(Int32(littleEndian: value)) / 2_147_483_648
        }
    }

    @_noLocks
    static func decodeFloat32(
        _ bytes: UnsafeRawPointer, _ count: Int, into samples: UnsafeMutablePointer<Float>
    ) -> Int {
        var replaced = 0
        for index in 0..<count {
            let bits = bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
            replaced &+= store(Float(bitPattern: UInt32(littleEndian: bits)), at: samples + index)
        }
        return replaced
    }

    /// Returns the number of bytes before the first sample that is NaN or infinite. There must be one.
    func firstNonFinite(in source: UnsafeRawBufferPointer) -> Int {
        let size = encoding.byteCount
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: 1) { sample in
            var offset = 0
            while decode(UnsafeRawBufferPointer(rebasing: source[offset..<offset + size]), into: sample) == 0 {
                offset += size
            }
            return offset
        }
    }

    /// Stores `value`, or a finite replacement; returns 1 if it was replaced, otherwise 0.
    @inline(__always)
    private static func store(_ value: Float, at target: UnsafeMutablePointer<Float>) -> Int {
        if value.magnitude < .infinity {
            target.pointee = value
            return 0
        }
        target.pointee = value.isNaN ? 0 : value > 0 ? 1 : -1
        return 1
    }

    private static func decode(
        _ bytes: UnsafeRawPointer, _ count: Int, through table: [Float], into samples: UnsafeMutablePointer<Float>
    ) {
        table.withUnsafeBufferPointer { table in
            for index in 0..<count {
                samples[index] = table[Int(bytes.load(fromByteOffset: index, as: UInt8.self))]
            }
        }
    }
}
