extension JSONValue {
    /// As JSON text that people edit: a member a line, as deep as `indentation` for each level; what holds nothing but plain values, and
    /// fits a line, stays in one.
    package func pretty(indentation: String = "  ") -> String { pretty(indentation, margin: "") }

    private func pretty(_ indentation: String, margin: String) -> String {
        let inner = margin + indentation
        switch self {
        case .object(let object) where !object.members.isEmpty:
            let lines = object.members.map { member in
                "\(inner)\(JSONValue.string(member.key).text): \(member.value.pretty(indentation, margin: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
        case .array(let values) where values.contains(where: { $0.isNested }):
            return "[\n\(values.map { inner + $0.pretty(indentation, margin: inner) }.joined(separator: ",\n"))\n\(margin)]"
        case .array(let values): return "[\(values.map(\.text).joined(separator: ", "))]"
        default: return text
        }
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
