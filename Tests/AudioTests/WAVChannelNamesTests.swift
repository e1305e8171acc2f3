import TestSupport
import Testing

@testable import Audio

@Suite("The names of a WAV's channels")
struct WAVChannelNamesTests {
    /// The names that a reader finds in a file of two channels with this chunk.
    private func names(_ xml: [UInt8], size: UInt32? = nil, channelCount: Int = 2) throws -> [String] {
        var file = WAVBuilder()
        file.chunk("iXML", xml, size: size)
        file.chunk("fmt ", formatBody(channelCount: channelCount))
        file.chunk("data", [UInt8](repeating: 1, count: 4 * channelCount))
        let contents = try readWAV(file.bytes)
        #expect(contents.samples.count == 2 * channelCount)
        let piece = xml.count < 10_000 ? 1 : 1000
        #expect(try readWAV(ArrayByteSource(file.bytes, maximumReadSize: piece), bufferByteCount: 512) == contents)
        return contents.channelNames
    }

    private func names(_ xml: String) throws -> [String] { try names(Array(xml.utf8)) }

    private func track(_ index: String, _ name: String) -> String {
        "<TRACK><NAME>\(name)</NAME><INTERLEAVE_INDEX>\(index)</INTERLEAVE_INDEX></TRACK>"
    }

    @Test("are those of a field recorder's file, with other elements, comments and entities, in any order")
    func recorder() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <BWFXML><IXML_VERSION>2.10</IXML_VERSION><PROJECT>A film</PROJECT><NAME>of nothing</NAME>
            <TRACK_LIST>
              <TRACK_COUNT>2</TRACK_COUNT>
              <TRACK>
                <CHANNEL_INDEX>7</CHANNEL_INDEX>
                <INTERLEAVE_INDEX> 2 </INTERLEAVE_INDEX>
                <NAME lang="en">
                  Boom &amp; &#x4C;av&#46; &lt;b> &quot;&apos; &unknown; &#xD800; <!-- <NAME>no</NAME> --><![CDATA[<&amp;]]>
                </NAME>
                <FUNCTION/>
              </TRACK>
              <TRACK><CHANNEL_INDEX>1</CHANNEL_INDEX><INTERLEAVE_INDEX>1</INTERLEAVE_INDEX><NAME>Ünal</NAME></TRACK>
              <TRACK><INTERLEAVE_INDEX>3</INTERLEAVE_INDEX><NAME>of no channel</NAME></TRACK>
            </TRACK_LIST></BWFXML>
            """
        #expect(try names(xml) == ["Ünal", "Boom & Lav. <b> \"' &unknown; &#xD800; <&amp;"])
        #expect(try names(Array(xml.utf8) + [0, 0, 0xFF]) == names(xml))
    }

    @Test("may be there for some channels only; one of which none is understood has no names")
    func partial() throws {
        #expect(try names(track("2", "them")) == ["", "them"])
        for xml in [
            "", "<", "<!--", "&", "names", track("0", "a"), track("3", "a"), track("-9223372036854775808", "a"),
            track("99999999999999999999", "a"), track("one", "a"), track("1", " \n "), "<NAME>a</NAME>",
            "<!-- \(track("1", "a"))", "<TRACK><NAME>a", "<TRACK><INTERLEAVE_INDEX>1</INTERLEAVE_INDEX></TRACK>",
        ] { #expect(try names(xml) == [], "\(xml)") }
        #expect(try names(Array(track("1", "a").utf8) + [0xFF]) == [])
        #expect(try names(Array("\u{FEFF}\(track("1", "a"))".utf16.flatMap(littleEndian))) == [])
    }

    @Test("are bounded: in a chunk that is too long they are left out, and a long name is cut between two characters")
    func bounds() throws {
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: WAVChannelNames.maximumByteCount)
        let track = Array(track("1", "a").utf8)
        #expect(try names(track + padding.dropLast(track.count)) == ["a", ""])
        #expect(try names(track + padding.dropLast(track.count - 2)) == [])
        let long = String(repeating: "雪", count: 100_000 / 3)
        #expect(try names(self.track("1", long)) == [String(repeating: "雪", count: 85), ""])
        // What is looked at again and again would take minutes.
        for piece in ["<!-->", "<![CDATA[", "&", "<", ">", "&#", "<TRACK>", "</NAME>"] {
            #expect(try names(String(repeating: piece, count: 40_000 / piece.utf8.count)) == [])
        }
    }

    @Test("in a chunk that the file's end cuts off are no error of their own")
    func cutOff() throws {
        let error = #expect(throws: WAVError.self) { try names(Array(track("1", "a").utf8), size: 100_000) }
        #expect(error?.code == .truncatedHeader)
        #expect(error?.reason == "the file ends inside the chunk 'iXML' that begins at byte 12")
    }

    @Test("come back as they were written, for the most channels with the longest names, whatever is in them")
    func roundTrip() throws {
        var random = SplitMix64(for: #function)
        let pieces = ["&", "<", ">", "\"", "'", "]]>", "a", "é", "雪", "👩‍👩‍👧", "&amp;", "<!--", "</NAME>", "\u{308}"]
        for channelCount in [1, 2, 64] {
            let written = (0..<channelCount).map { channel in
                "\(channel)"
                    + (0..<Int.random(in: 0...10, using: &random)).map { _ in
                        pieces.randomElement(using: &random)!
                    }.joined()
            }
            #expect(try names(WAVChannelNames.xml(written), channelCount: channelCount) == written)
        }
        let longest = [String](repeating: String(repeating: "&", count: 300), count: 64)
        let xml = WAVChannelNames.xml(longest)
        #expect(xml.count < WAVChannelNames.maximumByteCount && xml.count % 2 == 0)
        #expect(try names(xml, channelCount: 64) == longest.map { String($0.prefix(255)) })
        #expect(try names(WAVChannelNames.xml(["a\nb\u{0}\u{1B}c", "d\u{FFFF}e"])) == ["a b  c", "d e"])
    }
}
