import Glibc

#if !_endian(little)
    #error("samples are written as they stand in memory, and WAV is little-endian")
#endif

/// Writes 16-bit PCM to a WAV file that can be read at every moment, also if the program is killed or the power goes.
///
///     let writer = try WAVWriter(path: "memo.wav", sampleRate: 16_000, channelCount: 1)
///     try writer.append(samples)
///     try writer.finish()
///
/// While it grows, the file's header says 0xFFFFFFFF for both sizes, as a stream into a pipe does; `WAVReader`, libsndfile,
/// sox and ffmpeg then read to the end of the file. So no header ever promises what isn't there or hides what is, in
/// whatever order the disk gets the pieces. The header, and the file's name in its folder, are on the disk before `init`
/// returns. `synchronize()` brings the samples there. `finish()` flushes the samples, writes the true sizes in one small
/// write, and flushes again; a file beyond 4 GiB becomes RF64, for which room is kept.
public final class WAVWriter {
    /// The format of the file.
    public let format: AudioFormat
    /// Frames that are in the file. After an error those of earlier `append`s: the same samples can be appended again.
    public private(set) var frameCount: Int64 = 0

    private let path: String
    private let descriptor: Int32
    private let header: WAVHeaderBytes
    private let maximumRIFFSize: Int64
    private let calls: WAVFileCalls
    private var isFinished = false

    /// Creates the file at `path`, mode 0600, with no samples yet. A file that exists is never overwritten.
    ///
    /// - Parameters:
    ///   - sampleRate: in Hz, 1000 to 768,000.
    ///   - channelCount: 1 to 64.
    ///
    /// Throws `FileError`; with EEXIST if there is such a file. A file that could not be begun is removed.
    public convenience init(path: String, sampleRate: Int, channelCount: Int) throws(FileError) {
        try self.init(
            path: path, sampleRate: sampleRate, channelCount: channelCount,
            maximumRIFFSize: WAVHeaderBytes.maximumRIFFSize, calls: WAVFileCalls())
    }

    /// `maximumRIFFSize` is where RF64 begins; tests that don't have 4 GiB lower it.
    init(
        path: String, sampleRate: Int, channelCount: Int, maximumRIFFSize: Int64, calls: WAVFileCalls
    ) throws(FileError) {
        precondition(WAVFormatChunk.channelCounts.contains(channelCount), "1 to 64 channels")
        precondition(WAVFormatChunk.sampleRates.contains(UInt32(sampleRate)), "1000 to 768,000 Hz")
        self.path = path
        self.maximumRIFFSize = maximumRIFFSize
        self.calls = calls
        format = AudioFormat(sampleRate: sampleRate, channelCount: channelCount, encoding: .signed16)
        header = WAVHeaderBytes(format: format)

        var result: Int32
        repeat {
            result = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        } while result < 0 && errno == EINTR
        guard result >= 0 else { throw FileError(.create, path: path, errno: errno) }
        descriptor = result
        do {
            try write(header: header.streaming())
            try flush()
            try Self.flushFolder(of: path)
        } catch {
            // Nothing is in it yet. The error to report is the first one.
            unlink(path)
            throw error
        }
    }

    deinit {
        // finish() has reported what could go wrong; without it the file stays as it is, readable.
        close(descriptor)
    }

    /// Writes whole frames at the end of the file, channels interleaved.
    ///
    /// Throws `FileError`, for a full disk with ENOSPC. Then none of `samples` count as written, and what of them did reach
    /// the disk is overwritten by the next `append`. After `finish()` nothing may be appended.
    public func append(_ samples: UnsafeBufferPointer<Int16>) throws(FileError) {
        precondition(!isFinished, "the file is finished")
        precondition(samples.count % format.channelCount == 0, "a frame has a sample for each channel")
        try write(UnsafeRawBufferPointer(samples), at: Int64(WAVHeaderBytes.count) + dataByteCount)
        frameCount += Int64(samples.count / format.channelCount)
    }

    /// Writes whole frames at the end of the file, channels interleaved. See `append(_:)` for a buffer.
    public func append(_ samples: [Int16]) throws(FileError) {
        try samples.withUnsafeBufferPointer { buffer throws(FileError) in try append(buffer) }
    }

    /// Returns once everything that was appended is on the disk. May take as long as the disk takes. fdatasync(2)
    public func synchronize() throws(FileError) {
        try flush()
    }

    /// Fills in the sizes and brings everything to the disk. Does nothing the second time; after an error it may be tried
    /// again.
    ///
    /// Throws `FileError`; the samples are in the file all the same.
    public func finish() throws(FileError) {
        guard !isFinished else { return }
        // An append that failed may have left a piece of a frame.
        let byteCount = Int64(WAVHeaderBytes.count) + dataByteCount
        while calls.truncate(descriptor, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw FileError(.write, path: path, errno: errno) }
        }
        // The samples first: the sizes must not be on the disk before what they promise.
        try flush()
        try write(header: header.complete(dataByteCount: dataByteCount, maximumRIFFSize: maximumRIFFSize))
        try flush()
        isFinished = true
    }

    private var dataByteCount: Int64 { frameCount * Int64(format.bytesPerFrame) }

    private func write(header bytes: [UInt8]) throws(FileError) {
        try bytes.withUnsafeBufferPointer { buffer throws(FileError) in
            try write(UnsafeRawBufferPointer(buffer), at: 0)
        }
    }

    /// Writes all of `bytes` at `offset`, wherever an earlier write ended. pwrite(2)
    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = calls.write(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                throw FileError(.write, path: path, errno: count == 0 ? ENOSPC : errno)
            }
        }
    }

    /// fdatasync(2)
    private func flush() throws(FileError) {
        while calls.flush(descriptor) != 0 {
            guard errno == EINTR else { throw FileError(.flush, path: path, errno: errno) }
        }
    }

    /// Brings the new name in the folder to the disk. fsync(2)
    private static func flushFolder(of path: String) throws(FileError) {
        let folder =
            switch path.lastIndex(of: "/") {
            case nil: "."
            case path.startIndex: "/"
            case let slash?: String(path[..<slash])
            }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written but not listed: the name gets to the disk a little later.
        guard descriptor >= 0 || errno == EACCES else { throw FileError(.open, path: folder, errno: errno) }
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Some file systems don't flush folders, and say EINVAL.
        while fsync(descriptor) != 0 && errno != EINVAL {
            guard errno == EINTR else { throw FileError(.flush, path: folder, errno: errno) }
        }
    }
}
