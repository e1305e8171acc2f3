import Foundation

/// What a server has answered. Pure.
struct HTTPAnswer: Hashable {
    /// 0 when there was none.
    var status = 0
    /// By their names in lower case.
    var fields: [String: String] = [:]

    /// - Parameter head: status lines and headers as curl writes them; of several, as after 100 Continue, the last counts.
    init(head: [UInt8]) {
        for line in String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("HTTP/") {
                let parts = line.split(separator: " ")
                status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
                fields = [:]
            } else if let colon = line.firstIndex(of: ":") {
                let name = line[..<colon].lowercased()
                fields[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// How long not to ask again: seconds, or a date.
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

    /// What it means for the operation.
    func outcome(now: Date) -> DeliveryOutcome {
        switch status {
        case 200..<300: return .delivered
        // The key is known: it has arrived before.
        case 409: return .delivered
        case 300..<400:
            return .needsUser(
                reason: "the web hook answered \(status) and wants to send us elsewhere; set its final address")
        case 408, 425, 429: return .failed(reason: "the web hook answered \(status)", after: pause(now: now))
        case 400..<500: return .needsUser(reason: "the web hook answered \(status); look at its address and its secret")
        case 500..<600: return .failed(reason: "the web hook answered \(status)", after: pause(now: now))
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
