import Testing

@testable import utter

/// Tests of what ffmpeg's messages mean. The lines are those of ffmpeg 5.1, and of 6.1 and later.
@Suite("A message of ffmpeg")
struct FFmpegMessagesTests {
    private func messages(_ lines: String...) -> FFmpegMessages {
        var messages = FFmpegMessages()
        for line in lines { messages.add((line + "\n").utf8) }
        return messages
    }

    @Test("tells how many sound tracks there are in the input, whatever its title says")
    func tracks() {
        let all = messages(
            "[info] Input #0, matroska,webm, from 'file:/dev/fd/0':", "[info]   Metadata:",
            "[info]     title           : evil",
            "                    :   Stream #0:7: Audio: x", "[info]   Stream #0:0: Video: h264",
            "[info]   Stream #0:1(eng): Audio: vorbis, 44100 Hz, mono, fltp (default)",
            "[info]   Stream #0:2[0x2]: Audio: aac, 16000 Hz, mono", "[info] Stream mapping:",
            "[info]   Stream #0:1 -> #0:0 (vorbis (native) -> pcm_s16le (native))",
            "[info] Output #0, wav, to 'pipe:1':",
            "[info]   Stream #0:0: Audio: pcm_s16le")
        #expect(all.trackCount == 2 && all.lastError == nil && all.loss == nil)
    }

    @Test(
        "means that sound is missing",
        arguments: [
            ("[error] file:/dev/fd/0: Input/output error", "Input/output error"),
            (
                "[error] Error while decoding stream #0:0: Invalid data found when processing input",
                "Error while decoding stream #0:0: Invalid data found when processing input"
            ),
            (
                "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x55e2] [error] stream 0, offset 0x582ba: partial file",
                "stream 0, offset 0x582ba: partial file"
            ),
            ("[matroska,webm @ 0x5570] [error] File ended prematurely", "File ended prematurely"),
            ("[ogg @ 0x5628] [error] CRC mismatch!", "CRC mismatch!"),
            ("[flac @ 0x5574] [error] CRC error at PTS 187776", "CRC error at PTS 187776"),
            (
                "[mp3 @ 0x55be] [warning] filesize and duration do not match (growing file?)",
                "filesize and duration do not match (growing file?)"
            ),
            (
                "[NULL @ 0x5559] [warning] crc check failed from offset 0 (frame 691) to 3666 (frame 695)",
                "crc check failed from offset 0 (frame 691) to 3666 (frame 695)"
            ),
            ("[warning] file:/dev/fd/0: corrupt input packet in stream 0", "corrupt input packet in stream 0"),
            (
                "[avi @ 0x558f] [warning] Packet corrupt (stream = 0, dts = 194).",
                "Packet corrupt (stream = 0, dts = 194)."
            ),
            ("[warning] file:/dev/fd/0: corrupt decoded frame in stream 0", "corrupt decoded frame in stream 0"),
            (
                "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x5587] [warning] Found duplicated MOOV Atom. Skipped it",
                "another recording follows behind it, and was not heard"
            ),
            (
                "[caf @ 0x561d] [warning] skipping CAF chunk: 63616666 (caff), size 281476661080931",
                "another recording follows behind it, and was not heard"
            ),
            // From 6.1 on.
            ("[in#0/wav @ 0x55e0] [error] Error during demuxing: Input/output error", nil),
            ("[in#0/matroska,webm @ 0x55e0] [error] A packet is missing", nil),
            ("[aist#0:0/pcm_s16le @ 0x5f] [dec:pcm_s16le @ 0x60] [error] Error submitting packet to decoder: x", nil),
            ("[aist#0:0/opus @ 0x5f] [dec:opus @ 0x60] [error] Decoding error: Invalid data found", nil),
            ("[in#0/mp3 @ 0x5f] [warning] corrupt input packet in stream 0", nil),
        ] as [(String, String?)])
    func loss(line: String, reason: String?) {
        let reason = reason ?? line.split(separator: "] ").last.map(String.init)
        #expect(messages(line).loss == reason)
        // The first counts, however much follows.
        #expect(messages("[warning] Guessed Channel Layout for Input Stream #0.0 : mono", line, "x").loss == reason)
    }

    @Test(
        "means no loss: whole files have it too, or it is about pictures",
        arguments: [
            "[warning] Guessed Channel Layout for Input Stream #0.0 : mono",
            "[aac @ 0x55bb] [warning] Estimating duration from bitrate, this may be inaccurate",
            "[adpcm_ms @ 0x5592] [warning] Multiple frames in a packet.",
            "[h264 @ 0x55e5] [error] non-existing PPS 0 referenced",
            "[mpegts @ 0x55e5] [warning] Packet corrupt (stream = 0, dts = 194).",
            "[caf @ 0x561d] [warning] skipping CAF chunk: 66726565 (free), size 16",
            "[vist#0:1/h264 @ 0x55e5] [error] non-existing PPS 0 referenced",
            "[in#0/mp3 @ 0x55e5] [warning] Estimating duration from bitrate, this may be inaccurate",
        ])
    func harmless(line: String) { #expect(messages(line).loss == nil) }

    @Test("about a packet means a loss if the packet is of the first sound track, or the file ends with it")
    func packets() {
        let tracks = ["[info]   Stream #0:0[0x100]: Video: h264", "[info]   Stream #0:1[0x101]: Audio: mp2"]
        let (pictures, sound) = (0, 1)
        for (speaker, track, isLoss) in [
            ("mpegts", pictures, false), ("mpegts", sound, true), ("avi", pictures, true),
            ("in#0/mpegts", pictures, false),
        ] {
            let line = "[\(speaker) @ 0x55e5] [warning] Packet corrupt (stream = \(track), dts = NOPTS)."
            #expect((messages(tracks[0], tracks[1], line).loss != nil) == isLoss)
        }
    }

    @Test("about a gap between the times means a loss in a FLAC file, and none where sound may begin late")
    func gaps() {
        let (gap, input) = ("[warning] 12672.000000", "[info] Input #0, flac, from 'file:/dev/fd/0':")
        #expect(messages(input, gap).loss == "a part in its middle is not there")
        #expect(messages(input.replacing("flac", with: "matroska,webm"), gap).loss == nil)
    }

    @Test("tells when the sound begins, and again where its format changes, which ffmpeg can't follow in Ogg")
    func starts() {
        let (start, change) = ("[Parsed_asetpts_0 @ 0x55] [warning] -3.500000", "[warning] -12.000000")
        let flac = messages("[info] Input #0, flac, from 'file:/dev/fd/0':", start, change)
        #expect(flac.start == 2.5 && flac.loss == nil && flac.lastError == nil)
        let ogg = "[info] Input #0, ogg, from 'file:/dev/fd/0':"
        #expect(messages(ogg, "[warning] -1.000000").loss == nil && messages(ogg, start).start == 2.5)
        #expect(messages(ogg, start, change).loss?.hasPrefix("the sample rate or the channels change") == true)
    }

    @Test("about the last packet means nothing where the header of a WAV file says that its length is unknown")
    func stream() {
        let corrupt = "[warning] file:/dev/fd/0: corrupt input packet in stream 0"
        let unknown = "[wav @ 0x561d] [warning] Ignoring maximum wav data size, file may be invalid"
        #expect(
            messages(unknown, corrupt, "[wav @ 0x561d] [warning] Packet corrupt (stream = 0, dts = 9).").loss == nil)
        #expect(messages(corrupt).loss != nil)
    }

    @Test("may come in pieces, without an end, and without limit; the last error is the reason of a failure")
    func pieces() {
        var messages = FFmpegMessages()
        for byte in "[mov @ 0x1] [error] moov atom not found\n[warning] more".utf8 { messages.add([byte]) }
        messages.end()
        #expect(messages.lastError == "moov atom not found" && messages.loss == "moov atom not found")
        messages.add([UInt8](repeating: 0x78, count: 100_000))
        messages.end()
        #expect(messages.lastError?.utf8.count ?? 0 < 2000)
        #expect(!messages.findsNoSound)
        messages.add("Stream map '0:a:0' matches no streams.\nTo ignore this, add a trailing '?' to the map.\n".utf8)
        #expect(messages.findsNoSound && messages.lastError == "Stream map '0:a:0' matches no streams.")
    }
}
