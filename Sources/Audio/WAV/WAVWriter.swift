import Glibc
import System

#if !_endian(little)
    #error("samples are written as they stand in memory, and WAV is little-endian")
#endif

/// Writes 16-bit PCM to a WAV file that can be read at any time, even if the program is killed or the power fails.
///
///     let writer = try WAVWriter(path: "memo.wav", sampleRate: 16_000, channelCount: 1)
///     try writer.append(samples)
///     try writer.finish()
///
/// While the file grows, the sizes in its header are those after each `append`, for other programs. A mark beside them tells
/// `WAVReader` to read to the end of the file. So in whatever order the blocks reach the disk, the header never promises it samples
/// that are missing or hides samples that are there. Before the first, and beyond 4 GiB, both sizes are 0xFFFFFFFF, as
/// in a stream written into a pipe.
///
/// When `init` returns, the header and the file's name in its folder are on the disk. `synchronize()` flushes the
/// samples. `finish()` flushes the samples, writes the real sizes in one small write, and flushes again. A file beyond
/// 4 GiB becomes RF64, for which the header has room.
public final class WAVWriter {
    /// The format of the file.
    public let format: AudioFormat
    /// The number of frames in the file. After an error it counts those of earlier `append`s, and the same samples can
    /// be appended again.
    public private(set) var frameCount: Int64 = 0

    private let path: String
    private let descriptor: Int32
    private let header: WAVHeaderBytes
    private let maximumRIFFSize: Int64
    private let calls: WAVFileCalls
    private var isFinished = false
    /// The header while the file grows.
    private var growingHeader: [UInt8] {
        header.growing(dataByteCount: dataByteCount, maximumRIFFSize: maximumRIFFSize)
    }

    /// Creates the file at `path` with mode 0600 and without samples. An existing file is never overwritten.
    ///
    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - sampleRate: the number of frames per second, 1000 to 768,000 Hz.
    ///   - channelCount: the number of samples in one frame, 1 to 64.
    ///   - channelNames: the name of each channel, in their order, or none at all. They are in the file from its beginning, as an iXML
    ///     chunk before the samples, which field recorders and their programs know. Of a longer name 255 bytes are kept.
    /// - Throws: `FileError`, with EEXIST if the file exists. A file whose header could not be written is removed.
    public convenience init(
        path: String, sampleRate: Int, channelCount: Int, channelNames: [String] = []
    ) throws(FileError) {
        try self.init(
            path: path, sampleRate: sampleRate, channelCount: channelCount, channelNames: channelNames,
            maximumRIFFSize: WAVHeaderBytes.maximumRIFFSize, calls: WAVFileCalls())
    }

    /// Creates a writer that uses RF64 beyond `maximumRIFFSize` bytes, which a test without 4 GiB of room lowers.
    init(
        path: String, sampleRate: Int, channelCount: Int, channelNames: [String] = [], maximumRIFFSize: Int64,
        calls: WAVFileCalls
    ) throws(FileError) {
        precondition(WAVFormatChunk.channelCounts.contains(channelCount), "1 to 64 channels")
        precondition(WAVFormatChunk.sampleRates.contains(UInt32(sampleRate)), "1000 to 768,000 Hz")
        precondition(channelNames.isEmpty || channelNames.count == channelCount, "a name for each channel, or none")
        self.path = path
        self.maximumRIFFSize = maximumRIFFSize
        self.calls = calls
        format = AudioFormat(sampleRate: sampleRate, channelCount: channelCount, encoding: .signed16)
        header = WAVHeaderBytes(format: format, channelNames: channelNames)

        descriptor = Descriptor.retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw FileError(.create, path: path, errno: errno) }
        do {
            // Sizes of no sound would hide what comes if they could not be written again.
            try write(header: header.streaming())
            try flush()
            try Self.flushFolder(of: path)
        } catch {
            // The file is still empty. Report the first error, not one of unlink(2).
            unlink(path)
            throw error
        }
    }

    /// Goes on, after the last whole frame, with a file that a writer with this rate, so many channels and these names has made, be it
    /// finished or left by a process that was killed.
    ///
    /// Throws `FileError`; with EBADMSG where the file is none of those. A symbolic link is not followed.
    public init(
        continuing path: String, sampleRate: Int, channelCount: Int, channelNames: [String] = []
    ) throws(FileError) {
        self.path = path
        maximumRIFFSize = WAVHeaderBytes.maximumRIFFSize
        calls = WAVFileCalls()
        format = AudioFormat(sampleRate: sampleRate, channelCount: channelCount, encoding: .signed16)
        header = WAVHeaderBytes(format: format, channelNames: channelNames)

        descriptor = Descriptor.retrying { open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw FileError(.open, path: path, errno: errno) }
        guard let status = stat(descriptor) else { throw FileError(.read, path: path, errno: errno) }
        let byteCount = Int64(status.st_size) - Int64(header.count)
        var bytes = [UInt8](repeating: 0, count: header.count)
        guard status.isFile, byteCount >= 0,
            pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
            header.isGrowing(bytes) || bytes == header.complete(dataByteCount: byteCount)
        else { throw FileError(.read, path: path, errno: EBADMSG) }
        frameCount = byteCount / Int64(format.bytesPerFrame)
        // Whatever ends it now, its header hides nothing of what comes.
        try write(header: growingHeader)
    }

    deinit {
        // finish() has reported any error; without finish() the file stays as it is, readable.
        close(descriptor)
    }

    /// Appends whole interleaved frames to the file. Not allowed after `finish()`.
    ///
    /// - Throws: `FileError`, with ENOSPC if the disk is full. None of `samples` count as written then, and the next
    ///   `append` overwrites those that did reach the file. pwrite(2)
    public func append(_ samples: UnsafeBufferPointer<Int16>) throws(FileError) {
        precondition(!isFinished, "the file is finished")
        precondition(samples.count % format.channelCount == 0, "a frame has a sample for each channel")
        try write(UnsafeRawBufferPointer(samples), at: Int64(header.count) + dataByteCount)
        if samples.isEmpty { return }
        frameCount += Int64(samples.count / format.channelCount)
        // The samples are there, and `WAVReader` finds them without the sizes.
        try? write(header: growingHeader)
    }

    /// Appends whole interleaved frames to the file. Not allowed after `finish()`.
    ///
    /// - Throws: `FileError`, with ENOSPC if the disk is full. None of `samples` count as written then.
    public func append(_ samples: [Int16]) throws(FileError) {
        try samples.withUnsafeBufferPointer { buffer throws(FileError) in try append(buffer) }
    }

    /// Flushes every appended sample to the disk, which may take long. fdatasync(2)
    ///
    /// - Throws: `FileError` if the flush fails.
    public func synchronize() throws(FileError) { try flush() }

    /// Writes the real sizes to the header and flushes everything to the disk. A second call does nothing; after an
    /// error, another call tries again.
    ///
    /// - Throws: `FileError` if a write or a flush fails; the samples stay in the file.
    public func finish() throws(FileError) {
        guard !isFinished else { return }
        // A failed append may have left a part of a frame.
        let byteCount = Int64(header.count) + dataByteCount
        if Descriptor.retrying({ calls.truncate(descriptor, off_t(byteCount)) }) != 0 {
            throw FileError(.write, path: path, errno: errno)
        }
        // Flush the samples first: the sizes must not reach the disk before the samples that they promise.
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

    /// Writes all of `bytes` at `offset`. pwrite(2)
    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        let code = Descriptor.writeAll(bytes) { calls.write(descriptor, $0, $1, off_t(offset) + off_t($2)) }
        if code != 0 { throw FileError(.write, path: path, errno: code) }
    }

    /// fdatasync(2)
    private func flush() throws(FileError) {
        if Descriptor.retrying({ calls.flush(descriptor) }) != 0 {
            throw FileError(.flush, path: path, errno: errno)
        }
    }

    /// Flushes the folder, and with it the new name in it, to the disk. fsync(2)
    private static func flushFolder(of path: String) throws(FileError) {
        let folder = FolderTools.parent(of: path)
        do throws(FileError) { try FileCalls.system.flushFolder(at: folder) } catch {
            throw FileError(error.operation == .open ? .open : .flush, path: folder, errno: error.errno)
        }
    }
}
