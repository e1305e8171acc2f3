import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of the files that ffmpeg converts, and of those that it opens.
    @Suite("A format")
    struct Format {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")
        private let digits = Recording.named("digits-slt.wav")

        /// The suffixes, with the options with which ffmpeg makes such a file.
        static let endings: [(String, [String])] = [
            ("flac", []), ("mp3", []), ("mp2", []), ("m4a", []), ("m4b", ["-f", "ipod"]), ("mp4", ["-c:a", "aac"]),
            ("mp4", ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]), ("mov", []), ("3gp", ["-c:a", "aac"]),
            ("m4a", ["-c:a", "alac"]),
            ("ogg", []), ("oga", []), ("opus", []), ("spx", []), ("webm", []), ("mkv", []), ("mka", []), ("aiff", []),
            ("caf", []),
            ("w64", []),
            ("wav", ["-rf64", "always"]), ("wav", ["-c:a", "adpcm_ima_wav"]), ("wav", ["-c:a", "adpcm_ms"]), ("au", []),
            ("voc", []), ("wma", []), ("asf", []), ("avi", []),
            ("flv", ["-ar", "22050"]),
            ("ts", []),
            ("mpg", []), ("aac", []), ("ac3", []), ("gsm", ["-ar", "8000"]), ("wv", []), ("tta", []), ("g722", []),
            ("sbc", []),
            ("nut", []),
            ("rm", ["-c:a", "ac3"]),
        ]

        @Test("with sound is transcribed", arguments: Tier.every(7, of: endings))
        func isRead(ending: String, options: [String]) async throws {
            let path = sandbox.file("talk.\(ending)")
            try await sandbox.run(["ffmpeg", "-v", "error", "-i", digits.path] + options + [path])
            let finished = try await sandbox.transcribe(path)
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(finished.output == digits.transcript + "\n")
        }

        @Test("of telephones, AMR, is read, although ffmpeg can't write it here")
        func amr() async throws {
            // Frames of 12.2 kbit/s whose parameters are all 0.
            let frame = [0x3C] + [UInt8](repeating: 0, count: 31)
            let path = sandbox.put(
                Array("#!AMR\n".utf8) + Array(repeatElement(frame, count: 100).joined()), in: "talk.amr")
            let finished = try await sandbox.transcribe("-v", path)
            #expect(finished.end == .exited(0))
            #expect(finished.errors.contains("\(path): 32000 samples"))
        }

        /// Files that refer to `secret.wav` in the same folder.
        static let lists: [(name: String, text: String)] = [
            ("a.mp3", "ffconcat version 1.0\nfile secret.wav\n"),
            ("b.mp3", "ffconcat version 1.0\nfile 'secret.wav'\ninpoint 1\n"),
            ("c.m3u8", "\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nsecret.wav\n#EXT-X-ENDLIST\n"),
            (
                "d.mpd",
                #"<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S"><Period>"#
                    + #"<AdaptationSet mimeType="audio/wav"><Representation id="1" bandwidth="9"><BaseURL>secret.wav</BaseURL>"#
                    + "<SegmentBase/></Representation></AdaptationSet></Period></MPD>"
            ),
            ("e.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n"),
            ("f.mp3", "#!/usr/bin/ffmpeg\nconcat:secret.wav\n"),
            (
                "g.idx",
                "# VobSub index file, v7 (do not modify this line!)\nid: en, index: 0\ntimestamp: 00:00:01:000, filepos: 000000000\n"
            ),
            ("h.srt", "1\n00:00:00,000 --> 00:00:09,000\nsecret.wav\n"),
            ("i.ram", "rtsp://127.0.0.1:9/secret.wav\n"), ("j.pls", "[playlist]\nFile1=secret.wav\n"),
            ("k%d.wav", "no sound"), ("concat:secret.wav", "no sound"),
            ("subfile,,start,0,end,0,,:secret.wav", "no sound"),
        ]

        @Test(
            "that only refers to other files is refused, and ffmpeg opens no other file of the user's",
            arguments: Tier.every(3, of: lists))
        func listIsRefused(name: String, text: String) async throws {
            try await sandbox.run("cp", memo.path, sandbox.file("secret.wav"))
            let path = sandbox.put(text, in: name)
            let finished = try await sandbox.transcribe(path, under: traced)
            #expect(finished.end == .exited(65))
            #expect(finished.output == "")
            #expect(openedFiles == [path])
        }

        @Test("with sound makes ffmpeg open no other file", arguments: ["talk.mov", "talk.mkv", "talk.mp3"])
        func opensOneFile(name: String) async throws {
            try await sandbox.run("cp", memo.path, sandbox.file("secret.wav"))
            let path = sandbox.file(name)
            try await sandbox.run("ffmpeg", "-v", "error", "-i", digits.path, path)
            if name == "talk.mov" {
                // The data reference is changed from "self-contained" to the name of another file.
                var bytes = [UInt8](FileManager.default.contents(atPath: path)!)
                let reference = try #require(
                    bytes.indices.first { Array(bytes[$0...].prefix(4)) == Array("url ".utf8) })
                bytes.replaceSubrange(reference..<reference + 8, with: Array("alis".utf8) + [0, 0, 0, 0])
                sandbox.put(bytes, in: name)
            }
            let finished = try await sandbox.transcribe(path, under: traced)
            #expect(finished.end == .exited(0))
            #expect(openedFiles == [path])
        }

        private var traced: [String] {
            ["strace", "-f", "-qq", "-s", "4096", "-o", sandbox.file("trace"), "-e", "trace=open,openat,openat2"]
        }

        /// The paths in the test's folder that utter or ffmpeg opened, or tried to, without those that the recognizer reads.
        private var openedFiles: [String] {
            let paths = (sandbox.text(of: "trace") ?? "").split(separator: "\n").compactMap { line -> String? in
                let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
                return quoted.count > 2 ? String(quoted[1]) : nil
            }
            let own = ["state", "data", "home", "temporary", "trace"].map(sandbox.file)
            var found: [String] = []
            for path in paths where path.contains("secret") || path.hasPrefix(sandbox.path + "/") {
                if !own.contains(where: path.hasPrefix), !found.contains(path) { found.append(path) }
            }
            return found
        }

        @Test(
            "is read from standard input and from a pipe as well, unless ffmpeg has to go back in it",
            arguments: ["mp3", "flac", "ogg", "webm"])
        func piped(ending: String) async throws {
            let path = sandbox.file("talk.\(ending)")
            try await sandbox.run(["ffmpeg", "-v", "error", "-i", memo.path, path])
            let text = try await sandbox.transcribe(path).output
            #expect(!text.isEmpty)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let fromInput = try await sandbox.transcribe("-", stdin: bytes)
            #expect(fromInput.end == .exited(0) && fromInput.output == text && fromInput.errors == "")
            let pipe = sandbox.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let program = try sandbox.start([pipe])
            let copying = try Program(["cp", path, pipe], environment: ProcessInfo.processInfo.environment)
            let fromPipe = try await program.finish()
            _ = try await copying.finish()
            #expect(fromPipe.end == .exited(0) && fromPipe.output == text && fromPipe.errors == "")
        }

        @Test("whose index is at its end is refused from a pipe, with advice")
        func needsFile() async throws {
            let path = sandbox.file("talk.m4a")
            try await sandbox.run(["ffmpeg", "-v", "error", "-i", memo.path, path])
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let finished = try await sandbox.transcribe("-", stdin: bytes)
            #expect(finished.end == .exited(65) && finished.output == "")
            #expect(
                finished.errors.contains("; if it is whole, give it as a file, not through a pipe; "),
                "\(finished.errors)")
        }
    }
}
