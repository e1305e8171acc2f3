import Foundation

/// A server's answer. Pure.
struct HTTPAnswer: Hashable {
    /// The status, 200 or above: a status below, such as 100 Continue, only announces an answer.
    let status: Int
    /// The header fields by their names in lower case; of several fields of one name, the last.
    private(set) var fields: [String: String] = [:]

    /// Reads the first answer in what curl writes with `dump-header`.
    ///
    /// Only LF ends a line: a field may repeat words of the request that hold CR, vertical tab or U+2028. Fields after the body
    /// are no part of the answer.
    ///
    /// - Returns: nil unless the head is complete, with its empty line.
    init?(head: [UInt8]) {
        var lines = Self.lines(of: head)[...]
        while true {
            guard let end = lines.firstIndex(where: \.isEmpty), let first = lines.first, let status = Self.status(inLine: first) else {
                return nil
            }
            if status >= 200 {
                self.status = status
                read(lines[..<end].dropFirst())
                return
            }
            lines = lines[(end + 1)...]
        }
    }

    /// The complete lines, without their line ends.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }

    /// The status in a line such as `HTTP/1.1 200 OK` or `HTTP/2 200`; nil when it is no status line.
    private static func status(inLine line: ArraySlice<UInt8>) -> Int? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].starts(with: Array("HTTP/".utf8)), isVersion(words[0].dropFirst(5)), words[1].count == 3,
            let status = number(words[1]), status >= 100
        else { return nil }
        return status
    }

    /// Whether `bytes` are the number of an HTTP version, such as `1.1` or `2`.
    private static func isVersion(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { $0.count == 1 && number($0) != nil }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    private mutating func read(_ lines: ArraySlice<ArraySlice<UInt8>>) {
        for line in lines {
            // A line that begins with a space continues the one before, an obsolete form that is skipped.
            guard line.first != UInt8(ascii: " "), line.first != UInt8(ascii: "\t"), let colon = line.firstIndex(of: UInt8(ascii: ":"))
            else {
                continue
            }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            fields[name] = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingCharacters(in: .whitespaces)
        }
    }

    /// The pause that the field Retry-After asks for, in seconds or as a date; nil when there is none.
    func pause(now: Date) -> Duration? {
        guard let value = fields["retry-after"] else { return nil }
        if let seconds = Int(value) { return .seconds(max(0, min(seconds, 1 << 32))) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = formatter.date(from: value) else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now).rounded(.up), 1e9)))
    }

    /// The outcome of the attempt that got this answer.
    ///
    /// - Parameters:
    ///   - mayHaveArrived: whether an earlier attempt may have reached the web hook.
    ///   - proxy: the proxy that may have answered instead of the web hook.
    func outcome(now: Date, mayHaveArrived: Bool, proxy: HTTPProxy? = nil) -> DeliveryOutcome {
        switch status {
        case 200..<300: return .delivered
        // The web hook knows the Idempotency-Key, so an earlier attempt arrived. Without one it can't know the key.
        case 409 where mayHaveArrived: return .delivered
        case 409:
            return .needsUser(
                reason: "the web hook answered 409, a conflict, to what it can't have got before; look there, then retry or clear it")
        case 300..<400:
            return .needsUser(
                reason: "the web hook answered \(status) and wants to send us elsewhere; set its final address")
        case 407 where proxy != nil: return .proxyWantsPassword(proxy)
        case 408, 425, 429: return .failed(reason: "the web hook answered \(status)", after: pause(now: now))
        case 400..<500:
            if let proxy {
                return .needsUser(
                    reason: "the web hook, or \(proxy.phrase) before it, answered \(status); look at the address, the secret and the proxy")
            }
            return .needsUser(reason: "the web hook answered \(status); look at its address and its secret")
        case 500..<600:
            let answerer = proxy.map { "the web hook, or \($0.phrase) before it," } ?? "the web hook"
            return .failed(reason: "\(answerer) answered \(status)", after: pause(now: now))
        default: return .failed(reason: "the web hook did not answer as a web server does", isNetwork: true)
        }
    }
}

/// A configuration file for curl.
struct CurlConfiguration {
    private var lines: [String] = []

    mutating func set(_ option: String) { lines.append(option) }

    mutating func set(_ option: String, _ value: String) {
        var quoted = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        lines.append("\(option) = \"\(quoted)\"")
    }

    var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }
}
