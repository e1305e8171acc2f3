/// Finds the model that a user means among names: by the whole name, or by an end or another part that only one of them
/// has.
enum ModelName {
    /// What a reference means.
    enum Match<Model> {
        case none
        case one(Model)
        /// Several; never empty, the one to suggest first.
        case several([Model])
    }

    /// The length of the shortest part that can mean a name; two letters are a language.
    private static let shortestPart = 3

    /// Returns the name that is `reference`: exactly, ignoring letter case, or without Vosk's prefix.
    static func whole(_ reference: String, among names: [String]) -> String? {
        if names.contains(reference) { return reference }
        let lowered = reference.lowercased()
        return names.first { $0 == lowered } ?? names.first { $0 == CatalogModel.prefix + lowered }
            ?? names.first { [lowered, CatalogModel.prefix + lowered].contains($0.lowercased()) }
    }

    /// Returns the names that end with `reference`, or else contain it, in both cases from the beginning of a word.
    static func part(_ reference: String, among names: [String]) -> Match<String> {
        let lowered = reference.lowercased()
        guard lowered.count >= shortestPart, CatalogModel.isName(lowered) else { return .none }
        let places = names.compactMap { name in place(of: lowered, in: name).map { (name: name, isEnd: $0) } }
        let ends = places.filter(\.isEnd).map(\.name)
        let found = ends.isEmpty ? places.map(\.name) : ends
        return found.isEmpty ? .none : found.count == 1 ? .one(found[0]) : .several(found)
    }

    /// Returns whether `part` is the end of `name`; nil if `name` does not contain it.
    private static func place(of part: String, in name: String) -> Bool? {
        let (part, name) = (Array(part.utf8), Array(name.lowercased().utf8))
        guard part.count <= name.count else { return nil }
        var isThere = false
        for start in 0...(name.count - part.count) where start == 0 || !isLetterOrDigit(name[start - 1]) {
            guard name[start..<start + part.count].elementsEqual(part) else { continue }
            if start + part.count == name.count { return true }
            isThere = true
        }
        return isThere ? false : nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
