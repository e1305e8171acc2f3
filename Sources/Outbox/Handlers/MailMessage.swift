import Foundation
import System

/// A mail (RFC 5322) with a text in UTF-8. Pure.
struct MailMessage: Hashable {
    /// The address of the recipient: `me@example.org`.
    var recipient: String
    /// The address of the sender; nil leaves it to sendmail.
    var sender: String?
    var text: String
    var date: Date
    var timeZone: TimeZone
    /// The left half of the Message-ID.
    var identifier: String

    /// The message as sendmail reads it, with LF at the ends of lines.
    var bytes: [UInt8] {
        let text = PlainText.of(text)
        var fields: [(String, String)] = []
        if let sender { fields.append(("From", sender)) }
        fields.append(("To", recipient))
        fields.append(("Subject", Self.encodedWords(Self.subject(of: text))))
        fields.append(("Date", dateField))
        let domain = (sender ?? recipient).split(separator: "@").last.map { String($0).filter { $0 != ">" } }
        fields.append(("Message-ID", "<utter-\(identifier)@\(domain ?? "localhost")>"))
        fields.append(("MIME-Version", "1.0"))
        fields.append(("Content-Type", "text/plain; charset=utf-8"))
        fields.append(("Content-Transfer-Encoding", "quoted-printable"))
        let head = fields.map { "\($0): \($1)\n" }.joined()
        return Array((head + "\n" + Self.quotedPrintable(text)).utf8)
    }

    /// Why an address can't be used in a header; nil when it can.
    static func complaint(aboutAddress address: String) -> String? {
        let isPlain = address.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F && $0 != "," }
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        if isPlain, parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty { return nil }
        return "'\(address)' is not one mail address, as in me@example.org"
    }

    /// The subject for a text: its first words, up to 60 characters.
    static func subject(of text: String) -> String {
        var subject = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if subject.count + word.count >= 60 {
                return subject.isEmpty ? word.prefix(60) + "…" : subject + "…"
            }
            subject += (subject.isEmpty ? "" : " ") + word
        }
        return subject.isEmpty ? "(empty)" : subject
    }

    /// The value of the header Date: `Sat, 08 Mar 2025 14:22:00 +0100`.
    private var dateField: String {
        let moment = Calendar(identifier: .gregorian).dateComponents(in: timeZone, from: date)
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(moment.weekday ?? 1) - 1]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = months[(moment.month ?? 1) - 1]
        let offset = timeZone.secondsFromGMT(for: date) / 60
        let zone = "\(offset < 0 ? "-" : "+")\(digits(abs(offset) / 60))\(digits(abs(offset) % 60))"
        let time = "\(digits(moment.hour)):\(digits(moment.minute)):\(digits(moment.second))"
        return "\(weekday), \(digits(moment.day)) \(month) \(digits(moment.year, 4)) \(time) \(zone)"
    }

    /// The value of a header: the text itself when it is ASCII, otherwise encoded words (RFC 2047), one a line, that divide no
    /// character.
    static func encodedWords(_ text: String) -> String {
        // A text that holds "=?" would be taken for an encoded word.
        if text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7F }), !text.contains("=?") { return text }
        var words: [String] = []
        var chunk: [UInt8] = []
        func end() {
            if !chunk.isEmpty { words.append("=?UTF-8?B?\(Data(chunk).base64EncodedString())?=") }
            chunk = []
        }
        for scalar in text.unicodeScalars {
            let bytes = UTF8.encode(scalar).map { Array($0) } ?? []
            // 39 bytes are 52 characters in Base64; a line has at most 76 characters, with the name of the header.
            if chunk.count + bytes.count > 39 { end() }
            chunk += bytes
        }
        end()
        return words.joined(separator: "\n ")
    }

    /// The text in quoted-printable (RFC 2045): lines of at most 76 characters, all ASCII.
    static func quotedPrintable(_ text: String) -> String {
        var result = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var length = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isSpaceAtEnd = index == bytes.count - 1 && (byte == 0x20 || byte == 0x09)
                let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=") || byte == 0x09
                let form =
                    isPlain && !isSpaceAtEnd
                    ? String(Unicode.Scalar(byte)) : "=" + byte.digits(2, radix: 16, uppercase: true)
                if length + form.utf8.count > 75 {
                    result += "=\n"
                    length = 0
                }
                result += form
                length += form.utf8.count
            }
            result += "\n"
        }
        return result
    }
}
