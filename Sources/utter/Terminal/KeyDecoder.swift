/// Decodes the bytes from a terminal into keys. Pure; the result does not depend on how the bytes are divided into reads.
///
/// ```swift
/// var decoder = KeyDecoder()
/// keys += decoder.decode(bytes)
/// // when nothing more has come for a short time:
/// if decoder.isWaiting { keys += decoder.timeOut() }
/// ```
///
/// Esc is a key, and also begins the sequences of other keys; only a pause distinguishes them. Esc Esc waits as well, since some
/// terminals send it before an arrow for Alt-arrow; alone it is `.escape` twice. Bytes that aren't UTF-8 become U+FFFD. Unknown
/// sequences, such as answers of the terminal, and Alt with an unknown letter are skipped. A control character ends a broken sequence
/// and is a key itself, so that nothing can hide Control-C.
///
/// Nothing in a bracketed paste is a key, and only its end mark ends it: a pause in a long paste must not turn a newline into Enter. If the
/// end mark never comes, Control-C ends the paste; it is the key where nothing follows it, for text that is pasted has it in the middle.
struct KeyDecoder: Sendable {
    /// What the terminal sends for Enter.
    enum Mode: Sendable {
        /// A carriage return; a newline is Control-J.
        case raw
        /// A newline, since the kernel edits the lines: for terminals that can't draw.
        case lines
    }

    private enum State: Equatable {
        case ground
        /// After one or two Esc.
        case escape(Int)
        case controlSequence(isAfterEscape: Bool)
        case singleShift(isAfterEscape: Bool)
        /// After `ESC [ [`, with which the Linux console begins its function keys.
        case consoleKey
        /// In a string with which the terminal answers, and which BEL or `ESC \` ends.
        ///
        /// - Parameter mayBeKey: whether only `ESC _` has come so far, which is also Alt-_.
        case string(mayBeKey: Bool)
        /// In a character that was typed with Alt, with this number of bytes left.
        case altCharacter(Int)
        case paste
    }

    private let mode: Mode
    private var state = State.ground
    /// The parameters of the sequence so far.
    private var parameters: [UInt8] = []
    private var text = UTF8Pieces()
    /// The number of bytes of a paste's end mark that have come.
    private var endMarkCount = 0
    private var lastOfPasteWasReturn = false
    /// Whether the last byte of the paste so far is that of Control-C.
    private var lastOfPasteWasInterrupt = false
    private var keys: [Key] = []

    init(mode: Mode = .raw) { self.mode = mode }

    /// Whether the last bytes may begin a sequence, or be keys if nothing follows.
    var isWaiting: Bool { state == .paste ? lastOfPasteWasInterrupt : state != .ground }

    /// The keys that `bytes` complete.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        for byte in bytes { take(byte) }
        return takeKeys()
    }

    /// The keys that the pending bytes are if nothing follows. Call this when nothing has come for a short time (50 ms).
    mutating func timeOut() -> [Key] {
        guard isWaiting else { return [] }
        if case .escape(let count) = state { keys += Array(repeating: .escape, count: count) }
        if state == .string(mayBeKey: true) { keys.append(.redo) }
        if state == .paste { keys.append(.control("C")) }
        state = .ground
        return takeKeys()
    }

    private mutating func takeKeys() -> [Key] {
        flushText()
        defer { keys = [] }
        return keys
    }

    // Text that was typed before a key comes before it.
    private mutating func emit(_ key: Key?) {
        guard let key else { return }
        flushText()
        keys.append(key)
    }

    private mutating func flushText() {
        let string = text.takeString()
        if !string.isEmpty { keys.append(state == .paste ? .paste(string) : .text(string)) }
    }

    private static let escape: UInt8 = 0x1B
    private static let longestParameters = 64

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: ground(byte)
        case .paste: paste(byte)
        case .escape(let count): afterEscape(byte, count: count)
        case .altCharacter(let left):
            guard byte & 0xC0 == 0x80 else { return restart(byte) }
            state = left > 1 ? .altCharacter(left - 1) : .ground
        case .consoleKey:
            if byte == UInt8(ascii: "A") { return finish(.help) }
            state = .ground
            if !(0x20...0x7E).contains(byte) { ground(byte) }
        case .string(mayBeKey: true) where byte != UInt8(ascii: "G"):
            // Only kitty answers with such a string, and then G is next.
            emit(.redo)
            restart(byte)
        case .string:
            state = .string(mayBeKey: false)
            if byte == 0x07 { state = .ground } else if byte < 0x20 { restart(byte) }
        case .controlSequence(let isAfterEscape): controlSequence(byte, isAfterEscape)
        case .singleShift(let isAfterEscape):
            switch byte {
            case 0x30...0x3F: keep(byte)
            case 0x40...0x7E:
                state = .ground
                emit(KeySequence.singleShift(parameters, final: byte, isAfterEscape: isAfterEscape))
            default: restart(byte)
            }
        }
    }

    private mutating func restart(_ byte: UInt8) {
        state = .ground
        ground(byte)
    }

    private mutating func keep(_ byte: UInt8) {
        // A longer sequence is not a key; only its end matters.
        if parameters.count < Self.longestParameters { parameters.append(byte) }
    }

    private mutating func ground(_ byte: UInt8) {
        switch byte {
        case Self.escape:
            text.end()
            flushText()
            state = .escape(1)
        case 0x00...0x1F, 0x7F:
            text.end()
            emit(byte == 0x0A && mode == .lines ? .enter : Key(controlCharacter: byte))
        default: text.append(byte)
        }
    }

    private mutating func afterEscape(_ byte: UInt8, count: Int) {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            parameters = []
            state =
                byte == UInt8(ascii: "[")
                ? .controlSequence(isAfterEscape: count == 2) : .singleShift(isAfterEscape: count == 2)
        case Self.escape:
            // The first of three can't begin a sequence.
            if count == 2 { emit(.escape) }
            state = .escape(2)
        case _ where count == 2:
            emit(.escape)
            emit(.escape)
            restart(byte)
        case 0x0D, 0x0A: finish(.newLine)
        case 0x08, 0x7F: finish(.deleteWordBackward)
        case 0x1F: finish(.redo)
        case 0x00...0x1F:
            emit(.escape)
            restart(byte)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(mayBeKey: byte == UInt8(ascii: "_"))
        case 0xC2...0xDF: state = .altCharacter(1)
        case 0xE0...0xEF: state = .altCharacter(2)
        case 0xF0...0xF4: state = .altCharacter(3)
        default: finish(Key(scalar: UInt32(byte), modifiers: .alt))
        }
    }

    private mutating func finish(_ key: Key?) {
        state = .ground
        emit(key)
    }

    private mutating func controlSequence(_ byte: UInt8, _ isAfterEscape: Bool) {
        switch byte {
        case UInt8(ascii: "[") where parameters.isEmpty: state = .consoleKey
        // In rxvt, $ ends a key; elsewhere it is an intermediate byte of an answer.
        case UInt8(ascii: "$") where !parameters.isEmpty && parameters.allSatisfy({ (0x30...0x39).contains($0) }):
            finish(KeySequence.controlSequence(parameters, final: byte, isAfterEscape: isAfterEscape))
        case 0x20...0x3F: keep(byte)
        case UInt8(ascii: "~") where parameters == Array("200".utf8):
            state = .paste
            lastOfPasteWasReturn = false
            lastOfPasteWasInterrupt = false
            endMarkCount = 0
        case 0x40...0x7E: finish(KeySequence.controlSequence(parameters, final: byte, isAfterEscape: isAfterEscape))
        default: restart(byte)
        }
    }

    private static let endMark = Array("\u{1B}[201~".utf8)

    private mutating func paste(_ byte: UInt8) {
        lastOfPasteWasInterrupt = byte == 0x03
        if byte == Self.endMark[endMarkCount] {
            endMarkCount += 1
            if endMarkCount == Self.endMark.count {
                text.end()
                flushText()
                state = .ground
            }
            return
        }
        // Of an incomplete mark, the Esc is dropped like any control character, and the rest is text.
        let begun = Self.endMark[..<endMarkCount].dropFirst()
        endMarkCount = 0
        if byte == Self.escape { endMarkCount = 1 }
        for byte in begun { pasteText(byte) }
        if byte != Self.escape { pasteText(byte) }
    }

    private mutating func pasteText(_ byte: UInt8) {
        defer { lastOfPasteWasReturn = byte == 0x0D }
        switch byte {
        case 0x0A where lastOfPasteWasReturn: break
        case 0x0A, 0x0D:
            text.end()
            text.append(0x0A)
        case 0x00...0x08, 0x0B...0x1F, 0x7F: text.end()
        default: text.append(byte)
        }
    }
}
