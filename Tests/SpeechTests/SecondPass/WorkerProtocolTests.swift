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

    @Test("refuses invalid messages, each for its fault alone")
    func refusal() throws {
        let piece = DecodedText.Piece(text: "b", time: 3..<4)
        let text = DecodedText(text: "a", language: "en", words: [piece], segments: [piece], isRough: true)
        let valid = String(decoding: WorkerProtocol.bytes(of: WorkerAnswer.result(1, text)).dropFirst(4), as: UTF8.self)
        for (part, other) in [
            ("", ""), ("\"version\":10", "\"version\":9"), ("\"result\"", "\"answer\""), ("\"_0\":1", "\"_0\":-1"),
            ("\"isRough\":true", "\"isRough\":2"), ("\"time\":[3,4]", "\"time\":[5,4]"),
            ("\"time\":[3,4]", "\"time\":[-1,4]"), ("\"time\":[3,4]", "\"time\":[0,1099511627776]"),
            ("\"text\":\"b\"", "\"text\":\"b\",\"confidence\":2"),
            ("\"text\":\"a\"", "\"text\":\"a\",\"confidence\":-0.1"),
        ] {
            #expect(part.isEmpty || valid.contains(part), "\(valid)")
            let content = Array(valid.replacing(part, with: other, maxReplacements: 1).utf8)
            let isValid = part == other
            #expect(
                read([UInt8(content.count & 0xFF), UInt8(content.count >> 8), 0, 0] + content) == isValid, "\(other)")
        }
        #expect(!read([0, 0, 0, 0]) && !read([255, 255, 255, 255]) && !read([1, 0, 0, 0, 0xFF]))
    }

    /// Whether an answer is read of these bytes, which are no beginning of one.
    private func read(_ bytes: [UInt8]) -> Bool {
        var messages = WorkerMessages<WorkerAnswer>()
        messages.append(bytes)
        return (try? messages.next()) != nil
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
                SoundBytes(
                    (0..<Int.random(in: 0...500, using: &generator)).map { _ in
                        .random(in: .min ... .max, using: &generator)
                    }), language: Bool.random(using: &generator) ? .random(&generator) : nil,
                isGuess: .random(using: &generator))
        default: .cancel(.random(in: 0...(.max), using: &generator))
        }
    }
}

extension WorkerAnswer {
    static func random(_ generator: inout SplitMix64) -> WorkerAnswer {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .ready
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
