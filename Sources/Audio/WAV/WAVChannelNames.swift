/// The names of a file's channels as field recorders keep them: XML in an iXML chunk, with a TRACK for each channel.
///
/// The reader knows just so much of XML as tells names from the rest. Since files are untrusted, it reads each byte once, keeps nothing
/// that is longer than a name, and expands no entities but the five of XML and characters by number.
enum WAVChannelNames {
    /// The length of the longest chunk that is read, in bytes: 64 channels with the longest names have less.
    static let maximumByteCount = 1 << 17
    /// The length of the longest name, in bytes.
    static let maximumNameByteCount = 255

    /// The content of a chunk with these names, of an even length.
    static func xml(_ names: [String]) -> [UInt8] {
        let tracks = names.enumerated().map { index, name in
            let number = index + 1
            return "<TRACK><CHANNEL_INDEX>\(number)</CHANNEL_INDEX><INTERLEAVE_INDEX>\(number)</INTERLEAVE_INDEX>"
                + "<NAME>\(escaped(name))</NAME></TRACK>\n"
        }
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BWFXML>\n<IXML_VERSION>1.5</IXML_VERSION>\n<TRACK_LIST>\n"
            + "<TRACK_COUNT>\(names.count)</TRACK_COUNT>\n\(tracks.joined())</TRACK_LIST>\n</BWFXML>\n"
        // Some programs forget the pad byte after an odd length.
        return Array((text.utf8.count % 2 == 0 ? text : text + "\n").utf8)
    }

    /// The name of each channel, empty for one without; no names at all where no channel has one.
    static func names(in xml: [UInt8], channelCount: Int) -> [String] {
        // Some recorders fill the chunk up with zeros.
        let bytes = xml.prefix { $0 != 0 }
        guard String(validating: bytes, as: UTF8.self) != nil else { return [] }
        var reader = TrackReader(channelCount: channelCount)
        reader.read(bytes)
        return reader.names.allSatisfy(\.isEmpty) ? [] : reader.names
    }

    private static func escaped(_ name: String) -> String {
        var result = ""
        for scalar in beginning(of: name).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // XML has no way to write most of these.
            case "\0"..." ", "\u{FFFE}", "\u{FFFF}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// As many whole characters of a name as are kept.
    fileprivate static func beginning(of name: String) -> String {
        var byteCount = 0
        return String(
            name.prefix { character in
                byteCount += character.utf8.count
                return byteCount <= maximumNameByteCount
            })
    }
}

/// Reads the tracks of an iXML text.
private struct TrackReader {
    /// The name of each channel, empty where none was found.
    private(set) var names: [String]
    /// The text since the last tag.
    private var content = ""
    private var index: Int?
    private var name: String?

    /// What is no text, by how it begins and ends.
    private static let markup: [(begin: String, end: String)] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<", ">")]

    init(channelCount: Int) {
        names = [String](repeating: "", count: channelCount)
    }

    mutating func read(_ xml: ArraySlice<UInt8>) {
        var rest = xml
        while !rest.isEmpty {
            guard let (begin, end) = Self.markup.first(where: { rest.starts(with: $0.begin.utf8) }) else {
                let text = rest.prefix { $0 != UInt8(ascii: "<") }
                rest = rest[text.endIndex...]
                content += Self.unescaped(String(decoding: text, as: UTF8.self))
                continue
            }
            // What never ends is no XML, and is not looked through again.
            let body = rest.dropFirst(begin.utf8.count)
            guard let close = body.indices.first(where: { body[$0...].starts(with: end.utf8) }) else { return }
            rest = body[close...].dropFirst(end.utf8.count)
            let inner = String(decoding: body[..<close], as: UTF8.self)
            switch begin {
            case "<": take(tag: inner)
            case "<!--": break
            default: content += inner
            }
        }
    }

    private mutating func take(tag: String) {
        var text = content.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        content = ""
        switch tag.prefix(while: { !$0.isWhitespace }) {
        case "/INTERLEAVE_INDEX": index = Int(text)
        case "/NAME": name = WAVChannelNames.beginning(of: String(text))
        case "TRACK", "/TRACK":
            if let index, let name, (1...names.count).contains(index) { names[index - 1] = name }
            (index, name) = (nil, nil)
        default: break
        }
    }

    private static func unescaped(_ text: String) -> String {
        var parts = text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)[...]
        var result = String(parts.removeFirst())
        for part in parts {
            if let end = part.firstIndex(of: ";"), let scalar = character(String(part[..<end])) {
                result.unicodeScalars.append(scalar)
                result += String(part[end...].dropFirst())
            } else {
                result += "&" + String(part)
            }
        }
        return result
    }

    /// The character of an entity: one of the five of XML, or one by its number.
    private static func character(_ entity: String) -> Unicode.Scalar? {
        switch entity {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case _ where entity.hasPrefix("#x"): UInt32(entity.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where entity.hasPrefix("#"): UInt32(entity.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }
}
