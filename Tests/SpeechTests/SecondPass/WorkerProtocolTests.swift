import Foundation
import TestSupport
import Testing

@testable import Speech

@Suite("The protocol between a session and its worker")
struct WorkerProtocolTests {
    @Test("transfers random messages whole and in order, in whatever pieces they come")
    func roundTrip() throws {
        var generator = SplitMix64(for: "worker-messages")
        for _ in 0..<Tier.count(200, long: 5_000) {
            let requests = (0..<Int.random(in: 1...4, using: &generator)).map { _ in WorkerRequest.random(&generator) }
            let answers = (0..<Int.random(in: 1...4, using: &generator)).map { _ in WorkerAnswer.random(&generator) }
            #expect(try received(requests, &generator) == requests)
            #expect(try received(answers, &generator) == answers)
        }
    }

    @Test("reads nothing beyond a randomly changed message, and reads what it accepts as it would write it")
    func damage() {
        var generator = SplitMix64(for: "worker-damage")
        for _ in 0..<Tier.count(2_000, long: 200_000) {
            var bytes = WorkerProtocol.bytes(of: WorkerAnswer.random(&generator))
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { bytes.removeLast(.random(in: 0..<bytes.count, using: &generator)) }
            var messages = WorkerMessages<WorkerAnswer>()
            messages.append(bytes)
            while let answer = try? messages.next() {
                var again = WorkerMessages<WorkerAnswer>()
                again.append(WorkerProtocol.bytes(of: answer))
                #expect(throws: Never.self) { try #require(try again.next() == answer) }
            }
        }
    }

    @Test("refuses invalid messages", arguments: Nonsense.all)
    func refusal(_ nonsense: Nonsense) {
        var messages = WorkerMessages<WorkerAnswer>()
        messages.append(nonsense.bytes)
        #expect(throws: MalformedMessage.self) { try messages.next() }
    }

    @Test("refuses each of them for its fault alone: without it, they are valid")
    func validResult() {
        let piece = DecodedText.Piece(text: "b", time: 3..<4)
        let text = DecodedText(text: "a", words: [piece], segments: [piece], isRough: true)
        #expect(Nonsense.result() == WorkerProtocol.bytes(of: WorkerAnswer.result(1, text)))
    }

    @Test("refuses another version, from either side")
    func version() throws {
        var load = WorkerProtocol.bytes(of: WorkerRequest.load(WorkerSetup(library: "", model: "")))
        load[5] &+= 1
        var requests = WorkerMessages<WorkerRequest>()
        requests.append(load)
        #expect(throws: MalformedMessage.self) { try requests.next() }
        let model = WorkerModel(family: "", languages: [], hasWordTimes: false, longestAudio: 0, takesVocabulary: false)
        var ready = WorkerProtocol.bytes(of: WorkerAnswer.ready(model))
        ready[5] &+= 1
        var answers = WorkerMessages<WorkerAnswer>()
        answers.append(ready)
        #expect(throws: MalformedMessage.self) { try answers.next() }
    }

    @Test("reads what the fuzzing begins with")
    func corpus() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        func isRead<Message: WorkerMessage>(_ name: String, as type: Message.Type) throws -> Bool {
            var messages = WorkerMessages<Message>()
            messages.append(try Data(contentsOf: root.appending(path: "Fuzzing/Corpus/worker/\(name)")))
            while try messages.next() != nil {}
            return messages.isEmpty
        }
        for name in ["load", "decode"] { #expect(try isRead(name, as: WorkerRequest.self)) }
        for name in ["ready", "result", "segments", "segments-at-once", "words-out-of-order", "failure", "two"] {
            #expect(try isRead(name, as: WorkerAnswer.self))
        }
    }

    private func received<Message: WorkerMessage>(_ sent: [Message], _ generator: inout SplitMix64) throws -> [Message]
    {
        var bytes = sent.flatMap { WorkerProtocol.bytes(of: $0) }[...]
        var messages = WorkerMessages<Message>()
        var received: [Message] = []
        while !bytes.isEmpty {
            let piece = bytes.prefix(.random(in: 1...max(1, bytes.count), using: &generator))
            messages.append(piece)
            bytes = bytes.dropFirst(piece.count)
            while let message = try messages.next() { received.append(message) }
        }
        #expect(messages.isEmpty)
        return received
    }
}

/// Invalid bytes, which no worker sends.
struct Nonsense: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var bytes: [UInt8]

    private init(_ description: String, _ bytes: [UInt8]) { (testDescription, self.bytes) = (description, bytes) }

    private static func frame(_ content: [UInt8]) -> [UInt8] { [UInt8(content.count), 0, 0, 0] + content }
    private static let identifier: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    private static let nan: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF8, 0x7F]
    private static let two: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0x40]

    /// A result whose parts may be invalid.
    static func result(
        language: [UInt8] = [0], confidence: [UInt8] = [0], wordCount: UInt32 = 1, word: (Int64, Int64) = (3, 4),
        segment: (Int64, Int64) = (3, 4), isRough: [UInt8] = [1], _ more: [UInt8] = []
    ) -> [UInt8] {
        var content = MessageWriter()
        func write(_ bytes: [UInt8]) { for byte in bytes { content.write(byte) } }
        func write(_ count: UInt32, _ time: (Int64, Int64), _ confidence: [UInt8]) {
            content.write(count)
            content.write("b")
            content.write(time.0)
            content.write(time.1)
            write(confidence)
        }
        write([2] + identifier)
        content.write("a")
        write(language)
        write(confidence)
        write(wordCount, word, confidence)
        write(1, segment, [0])
        write(isRough + more)
        return frame(content.bytes)
    }

    static let all = [
        Nonsense("an empty message", [0, 0, 0, 0]),
        Nonsense("a message of 4 GB", [255, 255, 255, 255]),
        Nonsense("a message of an unknown kind", frame([9])),
        Nonsense("text that is not UTF-8", frame([3] + identifier + [4, 1, 0, 0, 0, 0xFF])),
        Nonsense("an unknown kind of failure", frame([3] + identifier + [99, 0, 0, 0, 0])),
        Nonsense("more than the message", result([7])),
        Nonsense("less than the message", result(isRough: [])),
        Nonsense("a million words of which one is there", result(wordCount: 1_000_000)),
        Nonsense("a flag of 2", result(isRough: [2])),
        Nonsense("a flag of 2 for a language", result(language: [2])),
        Nonsense("a word that ends before it begins", result(word: (5, 4))),
        Nonsense("a word before the stream", result(word: (-1, 4))),
        Nonsense("a segment beyond any stream", result(segment: (0, 1 << 40))),
        Nonsense("a confidence that is not a number", result(confidence: [1] + nan)),
        Nonsense("a confidence of 2", result(confidence: [1] + two)),
    ]
}

extension WorkerRequest {
    static func random(_ generator: inout SplitMix64) -> WorkerRequest {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            .load(
                WorkerSetup(
                    library: .random(&generator), model: .random(&generator),
                    languages: (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(&generator) },
                    vocabulary: (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(&generator) },
                    marks: (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(&generator) },
                    punctuates: .random(using: &generator), threads: .random(in: 0...255, using: &generator),
                    guesses: .random(using: &generator)))
        case 1:
            .decode(
                .random(in: 0...(.max), using: &generator),
                (0..<Int.random(in: 0...500, using: &generator)).map { _ in
                    .random(in: .min ... .max, using: &generator)
                }, language: Bool.random(using: &generator) ? .random(&generator) : nil,
                isGuess: .random(using: &generator))
        default: .cancel(.random(in: 0...(.max), using: &generator))
        }
    }
}

extension WorkerAnswer {
    static func random(_ generator: inout SplitMix64) -> WorkerAnswer {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            .ready(
                WorkerModel(
                    family: .random(&generator),
                    languages: (0..<Int.random(in: 0...3, using: &generator)).map { _ in .random(&generator) },
                    detectsLanguage: .random(using: &generator), hasWordTimes: .random(using: &generator),
                    hasSegmentTimes: .random(using: &generator),
                    longestAudio: .random(in: 0...(.max), using: &generator),
                    takesVocabulary: .random(using: &generator), streams: .random(using: &generator)))
        case 1: .result(.random(in: 0...(.max), using: &generator), .random(&generator))
        default:
            .failure(
                .random(in: 0...(.max), using: &generator),
                WorkerFailure(
                    kind: WorkerFailure.Kind.allCases.randomElement(using: &generator)!, sentence: .random(&generator)))
        }
    }
}

extension DecodedText {
    static func random(_ generator: inout SplitMix64) -> DecodedText {
        DecodedText(
            text: .random(&generator), language: Bool.random(using: &generator) ? .random(&generator) : nil,
            confidence: .randomConfidence(&generator), words: pieces(&generator),
            segments: pieces(&generator), isRough: .random(using: &generator))
    }

    private static func pieces(_ generator: inout SplitMix64) -> [Piece] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let start = Int64.random(in: 0..<(1 << 39), using: &generator)
            return Piece(
                text: .random(&generator), time: start..<(start + .random(in: 0...10_000, using: &generator)),
                confidence: .randomConfidence(&generator))
        }
    }
}

extension Double? {
    fileprivate static func randomConfidence(_ generator: inout SplitMix64) -> Double? {
        Bool.random(using: &generator) ? .random(in: 0...1, using: &generator) : nil
    }
}

extension String {
    fileprivate static func random(_ generator: inout SplitMix64) -> String {
        String(
            (0..<Int.random(in: 0...12, using: &generator)).map { _ in "aé 日👍🏽\0\n".randomElement(using: &generator)! })
    }
}
