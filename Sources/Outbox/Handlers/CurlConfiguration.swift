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
