/// The names of the transcripts in a folder, without the extension of their format. Each is that of its recording, `talk` of
/// `a/talk.wav`. Where several recordings would have one name, all of these have a longer one: with the extension, `talk.wav`, then
/// with the folders, `a-talk.wav`, and where that is not enough with its number among them. Up to that, no name depends on the order of
/// the recordings, and none on the others. Names that differ in case only are one, as on a memory card or a share of Windows.
enum OutputNames {
    /// The names for the inputs, in their order.
    static func names(for inputs: [String]) -> [String] {
        var lengths = [Int](repeating: 0, count: inputs.count)
        var names = inputs.map { name(for: $0, length: 0) }
        while true {
            let owners = Dictionary(grouping: names.indices) { names[$0].lowercased() }.values.filter { $0.count > 1 }
            if owners.isEmpty { return names }
            for group in owners {
                for (rank, index) in zip(1..., group) {
                    lengths[index] += 1
                    names[index] = name(for: inputs[index], length: lengths[index], numbers: [rank, index + 1])
                }
            }
        }
    }

    private static func name(for input: String, length: Int, numbers: [Int] = []) -> String {
        let parts = input == "-" ? ["stdin"] : input.split(separator: "/").filter { $0 != "." }
        let name = parts.last ?? input[...]
        // A leading dot does not begin an extension: `.wav` keeps its name.
        if length == 0, let dot = name.lastIndex(of: "."), dot != name.startIndex { return String(name[..<dot]) }
        let whole = parts.suffix(max(1, length)).joined(separator: "-")
        if length <= parts.count + 1 { return whole }
        // With the first number it may have the name of another recording.
        return "\(whole)-\(numbers[length == parts.count + 2 ? 0 : 1])"
    }
}
