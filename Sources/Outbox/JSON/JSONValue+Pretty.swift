extension JSONValue {
    /// The value as JSON text for people: one member or nested element a line, indented by `indentation` for each level. An array
    /// without arrays or objects stays in one line.
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
            return
                "[\n\(values.map { inner + $0.pretty(indentation, margin: inner) }.joined(separator: ",\n"))\n\(margin)]"
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
