/// Breaks paragraphs into lines that fit a width.
enum TextWrapper {
    /// The words of `text` in lines of at most `width` columns. A wider word has a line of its own.
    static func lines(of text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var lineWidth = 0
        for word in text.split(whereSeparator: \.isWhitespace) {
            let wordWidth = displayWidth(word)
            if lineWidth > 0, lineWidth + 1 + wordWidth > width {
                lines.append(line)
                line = ""
                lineWidth = 0
            }
            if lineWidth > 0 {
                line += " "
                lineWidth += 1
            }
            line += word
            lineWidth += wordWidth
        }
        if lineWidth > 0 { lines.append(line) }
        return lines
    }

    /// A text as wrapped lines, each indented by `indent` columns and ended with a newline.
    static func paragraph(_ text: String, indent: Int = 0, width: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return lines(of: text, width: max(width - indent, 16)).map { "\(margin)\($0)\n" }.joined()
    }
}
