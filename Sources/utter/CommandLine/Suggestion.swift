/// Finds the word that a person meant.
enum Suggestion {
    /// Words that other programs use, each with the words of this one for the same, the likeliest first.
    private static let synonyms: [String: [String]] = [
        "add": ["install"], "check": ["doctor", "verify"], "choose": ["use"], "del": ["remove"],
        "delete": ["remove", "clear"],
        "dictate": ["memo"], "download": ["install"], "fetch": ["install"], "get": ["install", "show"],
        "input": ["device"],
        "lang": ["locale"], "language": ["locale"], "ls": ["list", "show"], "mic": ["device"], "microphone": ["device"],
        "markdown": ["md"], "microphones": ["devices"], "mics": ["devices"], "note": ["memo"], "out": ["output"],
        "queue": ["outbox"],
        "record": ["listen"],
        "rm": ["remove", "clear", "unset"], "select": ["use"], "send": ["drain"], "settings": ["config"],
        "subtitles": ["srt"],
        "threads": ["jobs"], "txt": ["text"], "uninstall": ["remove"], "webvtt": ["vtt"],
    ]

    /// The word that was probably meant: one that begins with `typed`, or else one with the same meaning, or else one with a similar
    /// spelling.
    static func meant(by typed: String, among words: [String]) -> String? {
        let near = nearest(to: typed, among: words)
        if let near, near.hasPrefix(typed) { return near }
        return same(as: typed, among: words) ?? near
    }

    /// The word that is `typed`, or has the same meaning.
    static func same(as typed: String, among words: [String]) -> String? {
        ([typed] + (synonyms[typed.lowercased()] ?? [])).first { words.contains($0) }
    }

    /// The word that is most similar to `typed`: it begins with `typed`, or differs from it by at most about a third of the letters.
    /// Nil when no word does, or when several are equally similar.
    static func nearest(to typed: String, among words: [String]) -> String? {
        guard !typed.isEmpty, typed.count <= 64 else { return nil }
        let longer = words.filter { $0.hasPrefix(typed) }
        if longer.count == 1 { return longer[0] }
        let allowed = max(1, typed.count / 3)
        let near = words.map { (word: $0, edits: edits(from: typed, to: $0)) }.filter { $0.edits <= allowed }
        guard let best = near.map(\.edits).min() else { return nil }
        let nearest = near.filter { $0.edits == best }
        return nearest.count == 1 ? nearest[0].word : nil
    }

    /// The restricted Damerau–Levenshtein distance: how many letters must be inserted, removed, changed or swapped with their
    /// neighbour.
    static func edits(from: String, to: String) -> Int {
        let a = Array(from)
        let b = Array(to)
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                let change = last[j] + (a[i] == b[j] ? 0 : 1)
                var least = min(change, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, beforeLast[j - 1] + 1)
                }
                row.append(least)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
