import CFuzzer

@testable import Outbox

/// Changes an input for libFuzzer. Random changes of bytes seldom leave valid JSON, so most changes of a JSON input are made to its
/// values, which tests the code after the parser.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximumSize: Int, _ seed: UInt32) -> Int {
    if Subject.chosen?.isJSON == true, seed % 4 != 0 {
        var mutator = JSONMutator(seed: seed)
        if let bytes = mutator.mutated(Array(UnsafeBufferPointer(start: data, count: size))), bytes.count <= maximumSize
        {
            _ = UnsafeMutableBufferPointer(start: data, count: maximumSize).update(fromContentsOf: bytes)
            return bytes.count
        }
    }
    return LLVMFuzzerMutate(data, size, maximumSize)
}

/// Changes one value inside another at random.
struct JSONMutator {
    private var state: UInt64

    init(seed: UInt32) { state = UInt64(seed) }

    /// A random number from 0 to `limit` - 1 (SplitMix64).
    private mutating func next(below limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }

    /// The bytes with one value changed.
    ///
    /// - Returns: nil when neither the bytes nor one of their lines is JSON.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8]? {
        if let value = try? JSONParser.parse(bytes) { return Array(mutated(value).text.utf8) }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let place = next(below: lines.count)
        guard let value = try? JSONParser.parse(Array(lines[place])) else { return nil }
        switch next(below: 6) {
        case 0: lines.remove(at: place)
        case 1: lines.insert(lines[place], at: next(below: lines.count))
        default: lines[place] = Array(mutated(value).text.utf8)[...]
        }
        return Array(lines.joined(separator: "\n".utf8))
    }

    private mutating func mutated(_ value: JSONValue) -> JSONValue {
        var place = next(below: Self.count(value))
        return change(value, at: &place)
    }

    private static func count(_ value: JSONValue) -> Int {
        switch value {
        case .array(let values): values.reduce(1) { $0 + count($1) }
        case .object(let object): object.members.reduce(1) { $0 + count($1.value) }
        default: 1
        }
    }

    /// Changes the value with the index `place`, from 0, in the order in which values are written.
    private mutating func change(_ value: JSONValue, at place: inout Int) -> JSONValue {
        if place == 0 {
            place = -1
            return changed(value)
        }
        place -= 1
        switch value {
        case .array(var values):
            for index in values.indices where place >= 0 { values[index] = change(values[index], at: &place) }
            return .array(values)
        case .object(let object):
            var members = object.members
            for index in members.indices where place >= 0 {
                members[index].value = change(members[index].value, at: &place)
            }
            return .object(JSONObject(members))
        default: return value
        }
    }

    private mutating func changed(_ value: JSONValue) -> JSONValue {
        let kind = next(below: 12)
        switch value {
        case .array(var values) where kind < 9 && !values.isEmpty:
            let (one, other) = (next(below: values.count), next(below: values.count))
            switch kind {
            case 0...2: values.insert(values[one], at: other)
            case 3...5: values.remove(at: one)
            default: values.swapAt(one, other)
            }
            return .array(values)
        case .object(let object) where kind < 9 && !object.members.isEmpty:
            var members = object.members
            let (one, other) = (next(below: members.count), next(below: members.count))
            switch kind {
            case 0...1: members.remove(at: one)
            case 2...3: members[one].value = members[other].value
            case 4...5: members.swapAt(one, other)
            case 6: members[one].key = bytesChanged(members[one].key)
            default: members.append(.init(key: bytesChanged(members[one].key), value: members[other].value))
            }
            return .object(JSONObject(members))
        case .string(let text) where kind < 9: return .string(bytesChanged(text))
        case .number(let digits) where kind < 6:
            let changed = bytesChanged(digits)
            // If it is no longer a number, the whole input is no longer JSON.
            if let number = try? JSONParser.parse(Array(changed.utf8)), number.double != nil { return number }
            return .number(Self.numbers[next(below: Self.numbers.count)])
        default: break
        }
        switch next(below: 8) {
        case 0...2: return .number(Self.numbers[next(below: Self.numbers.count)])
        case 3: return .string(Self.strings[next(below: Self.strings.count)])
        case 4: return .array([value])
        case 5: return .array([])
        case 6: return .object(JSONObject())
        default: return [.null, .bool(true), .bool(false)][next(below: 3)]
        }
    }

    /// The text as libFuzzer changes bytes; it knows the values that the code compares.
    private func bytesChanged(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let room = bytes.count + 32
        let changed = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            _ = buffer.update(fromContentsOf: bytes)
            count = LLVMFuzzerMutate(buffer.baseAddress, bytes.count, room)
        }
        return String(decoding: changed, as: UTF8.self)
    }

    private static let numbers = [
        "0", "-0", "1", "-1", "0.5", "1.000001", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "4294967296", "1e308", "-1e308", "1e999", "5e-324", "9007199254740993", "1.7e9", "8999999999", "-62135596800",
        "1E+5",
        "0.1e-7", "123456789012345678901234567890",
    ]
    private static let strings = [
        "", " ", "\u{0}", "\u{1B}[2J", "\u{202E}", "e\u{301}", "é", "\u{FEFF}", "🥛", "null", "true", "-1", "1e999",
        "../..",
        "/etc/passwd", "[unk]", "Europe/Berlin", "GMT+0130", "en-us", "cn", "39.3MiB", "1.8G",
        "00000000-0000-7000-8000-000000000000", "AP8=", "https://a.example/vosk-model-x-1.zip", "http://[::1]/",
    ]
}
