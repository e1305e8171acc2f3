@testable import Speech

/// The messages from and to a worker of the second pass: each is refused, or read as it would be written, however it is divided.
enum WorkerSubject {
    static func check(_ bytes: [UInt8]) {
        let requests = check(bytes, as: WorkerRequest.self)
        for case .decode(_, let sound, _, _) in requests {
            require(sound.samples.count * 2 < bytes.count, "no more samples than have come")
        }
        for case .result(_, let text) in check(bytes, as: WorkerAnswer.self) {
            check(confidence: text.confidence)
            for piece in text.words + text.segments {
                check(confidence: piece.confidence)
                // Bounded, so that adding the time of a stream can't overflow.
                require(piece.time.lowerBound >= 0 && piece.time.upperBound < 1 << 40, "the piece lies in a stream")
            }
            guard case .speech(let spoken) = Plausibility.judge(text, seconds: 3) else { continue }
            require(!spoken.text.isEmpty, "speech has words")
            // Three seconds of sound in the middle of a stream, with a pause.
            let speech = [Int64(160_000)..<176_000, 184_000..<208_000]
            let sound: [Range<Int64>] = [158_400..<179_000, 181_000..<211_200]
            let placed = PlacedText(spoken, of: sound, speech: speech, sampleRate: 16_000)
            var end: Int64 = 160_000
            for word in placed.words {
                require(word.range.lowerBound >= end && word.range.upperBound <= 208_000, "the words follow each other")
                end = word.range.upperBound
            }
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
