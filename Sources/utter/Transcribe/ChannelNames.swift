/// The names of a recording's channels.
enum ChannelNames {
    /// The names that a file gives its channels, each in one line; nil for a channel without one, or with that of another channel, which
    /// does not tell them apart.
    static func ofFile(_ names: [String]) -> [String?] {
        let names = names.map(\.singleLine)
        return names.map { name in name.isEmpty || names.count { $0 == name } > 1 ? nil : name }
    }

    /// Why the names that were given are not those of a recording.
    static func mismatch(channelCount: Int, nameCount: Int) -> String {
        "it has \(channelCount == 1 ? "1 channel" : "\(channelCount) channels"), and --names has "
            + (nameCount == 1 ? "1 name" : "\(nameCount) names")
    }
}
