@testable import Speech

/// The messages from and to a worker of the second pass: each is refused, or read as it would be written, however it is divided.
enum WorkerSubject {
    static func check(_ bytes: [UInt8]) {
        let requests = check(bytes, as: WorkerRequest.self)
        for case .decode(_, let samples, _) in requests {
            require(samples.count * 2 < bytes.count, "no more samples than have come")
        }
        for case .result(_, let text) in check(bytes, as: WorkerAnswer.self) {
            check(confidence: text.confidence)
            for word in text.words {
                check(confidence: word.confidence)
                // Bounded, so that adding the time of a stream can't overflow.
                require(word.time.lowerBound >= 0 && word.time.upperBound < 1 << 40, "the word lies in a stream")
            }
            let verdict = SecondPassVerdict.decide(first: "yes", second: .text(text), seconds: 1)
            if case .second(let spoken) = verdict { require(!spoken.isEmpty, "a final text has words") }
        }
    }

    private static func check<Message: WorkerMessage & Equatable>(_ bytes: [UInt8], as type: Message.Type) -> [Message]
    {
        let whole = messages(bytes, pieceLength: bytes.count, as: type)
        require(messages(bytes, pieceLength: 3, as: type) == whole, "the same in small pieces")
        for message in whole {
            let written = WorkerProtocol.bytes(of: message)
            require(messages(written, pieceLength: written.count, as: type) == [message], "read as it is written")
        }
        return whole
    }

    private static func messages<Message: WorkerMessage>(_ bytes: [UInt8], pieceLength: Int, as type: Message.Type)
        -> [Message]
    {
        var stream = WorkerMessages<Message>()
        var messages: [Message] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            stream.append(rest.prefix(pieceLength))
            rest = rest.dropFirst(pieceLength)
            do throws(MalformedMessage) {
                while let message = try stream.next() { messages.append(message) }
            } catch {
                break
            }
        }
        return messages
    }

    private static func check(confidence: Double?) {
        if let confidence { require((0...1).contains(confidence), "a confidence from 0 to 1, not \(confidence)") }
    }
}
