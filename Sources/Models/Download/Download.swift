import Glibc
import System

/// Downloads to a `PartialFile`, and continues a part that is already there if that is safe.
struct Download {
    /// The kind of content to expect. Anything else is refused before it is written.
    enum Content: Sendable {
        case archive
        case list
        /// The file of a model for the second pass.
        case file

        /// Whether the content begins as this kind does.
        func admits(_ start: ArraySlice<UInt8>) -> Bool {
            switch self {
            case .archive: start.starts(with: [0x50, 0x4B])  // PK
            case .file: start.starts(with: ModelFile.start)
            case .list: start.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "[")
            }
        }
    }

    let address: HTTPAddress
    let content: Content
    /// The exact size of the content in bytes, if it is known.
    var size: Int?
    /// Whether the caller compares a checksum of the whole content.
    var isChecked = false
    /// The greatest size of the content, in bytes.
    var maximumSize: Int
    let curl: Curl
    let stop: ChildCancellation
    /// Receives the number of bytes that are here, and the total if it is known.
    let report: (_ done: Int, _ total: Int?) -> Void
    /// Receives the number of bytes still to come, before they do; throws if the disk has no room for them.
    let makeRoom: (_ bytes: Int) throws -> Void

    struct Outcome {
        /// Whether a part of the content was there before.
        var hadPart = false
        /// The checksum of the whole content that the server sent.
        var sha256: Checksum?
    }

    private enum Attempt {
        case complete
        case startOver
        case cut(SpeechError)
    }

    func run(into file: PartialFile) throws -> Outcome {
        var request = firstRequest(file)
        var outcome = Outcome(hadPart: request.offset > 0)
        // If the caller has no checksum, ask the server once more, for its own.
        if isChecked, outcome.hadPart, request.offset == request.size { return outcome }
        // Start over once only: a server that interrupts the download and then reports other content could do so for
        // ever.
        var mayStartOver = true
        while true {
            try stop.check()
            let before = request.offset
            switch try attempt(&request, file, &outcome) {
            case .complete: return outcome
            case .startOver where mayStartOver:
                mayStartOver = false
                request.offset = 0
                request.tag = nil
            case .startOver:
                throw SpeechError(.networkUnavailable, "\(address.host) sends answers that contradict each other")
            case .cut(let error):
                // Continue as long as each attempt brings more.
                let here = canGoOn(request) ? file.size : 0
                if here <= before { throw error }
                request.offset = here
            }
        }
    }

    private func firstRequest(_ file: PartialFile) -> DownloadRequest {
        var request = DownloadRequest(size: size, maximumSize: maximumSize)
        guard let note = file.note, note.address == address.text else { return request }
        request.tag = note.tag
        let here = file.size
        if canGoOn(request), here <= size ?? .max { request.offset = here } else { request.tag = nil }
        return request
    }

    /// Whether the download can continue: only with something that proves that both parts belong together.
    private func canGoOn(_ request: DownloadRequest) -> Bool { request.tag != nil || size != nil && isChecked }

    private func attempt(_ request: inout DownloadRequest, _ file: PartialFile, _ outcome: inout Outcome) throws
        -> Attempt
    {
        let child = try curl.start(address, headers: request.headers)
        defer { stop.release() }
        var errorsAreOpen = true
        defer {
            // The rest of curl's output does not matter.
            child.kill()
            close(child.output)
            if errorsAreOpen { close(child.errors) }
        }
        try stop.hold(child)

        var received = Received()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while let bytes = Descriptor.read(child.output, into: &buffer) {
            try stop.check()
            if received.progress != nil {
                try write(bytes, to: file, &received)
            } else if let first = try begin(with: bytes, &received, &request, file, &outcome) {
                try write(first, to: file, &received)
            } else {
                return .startOver
            }
        }
        let talk = String(decoding: Tool.readAll(child.errors), as: UTF8.self)
        errorsAreOpen = false
        let end = child.wait()
        try stop.check()
        return try result(of: received, end, talk: talk)
    }

    private struct Received {
        var reader = HTTPHeadReader()
        /// The place of the next byte in the file, and the size of the whole, if it is known; nil before the end of the head.
        var progress: (offset: Int, total: Int?)?
        /// Whether the next byte is the file's first.
        var isStart = false
    }

    /// Reads the head of the answer, and prepares the file.
    ///
    /// - Returns: the bytes after the head, which may be none; nil when the download must start over.
    private func begin(
        with bytes: ArraySlice<UInt8>, _ received: inout Received, _ request: inout DownloadRequest,
        _ file: PartialFile, _ outcome: inout Outcome
    ) throws -> ArraySlice<UInt8>? {
        switch received.reader.take(bytes) {
        case .needsMore: return []
        case .broken: throw SpeechError(.networkUnavailable, "\(address.host) does not answer in HTTP")
        case .head(let head, let first):
            outcome.sha256 = received.reader.sha256
            switch DownloadStep(head, to: request) {
            case .startOver: return nil
            case .refused(let refusal): throw error(refusal)
            case .write(let offset, let total, let tag):
                if let total { try makeRoom(total - offset) }
                try file.begin(at: offset, PartialFile.Note(address: address.text, tag: tag))
                received.progress = (offset, total)
                received.isStart = offset == 0
                request.tag = tag
                report(offset, total)
                return first[...]
            }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, to file: PartialFile, _ received: inout Received) throws {
        guard case (let offset, let total)? = received.progress, !bytes.isEmpty else { return }
        if received.isStart {
            guard content.admits(bytes) else { throw wrongContent(bytes) }
            received.isStart = false
        }
        let end = offset + bytes.count
        if end > total ?? maximumSize { throw error(total == nil ? .tooLarge : .otherSize(end)) }
        try file.write(bytes, at: offset)
        received.progress = (end, total)
        report(end, total)
    }

    /// The result of an attempt after curl's end.
    private func result(of received: Received, _ end: ChildProcess.End, talk: String) throws -> Attempt {
        let progress = received.progress
        if let progress, progress.total == nil || progress.offset == progress.total, end == .exited(0) {
            return received.isStart ? .cut(brokeOff) : .complete
        }
        let failure = curl.failure(end, address, hasAnswered: progress != nil, talk: talk) ?? brokeOff
        if progress != nil, Curl.isCut(end) || end == .exited(0) { return .cut(failure) }
        throw failure
    }

    private var brokeOff: SpeechError { SpeechError(.networkUnavailable, "\(address.host) broke off the download") }

    private func wrongContent(_ bytes: ArraySlice<UInt8>) -> SpeechError {
        let text = String(decoding: bytes.prefix(1000), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return text.hasPrefix("<")
            ? error(.webPage) : SpeechError(.archiveRefused, "what \(address.host) sent is not a \(contentName)")
    }

    private var contentName: String {
        switch content {
        case .archive: "zip archive"
        case .list: "list of models"
        case .file: "GGUF file"
        }
    }

    /// The advice for a file that the server does not have. The official list can be updated; that of the second pass
    /// comes with utter.
    private var remedy: String {
        content == .file ? "a newer utter may have a newer list" : "fetch the newest list with: utter models update"
    }

    private func error(_ refusal: DownloadStep.Refusal) -> SpeechError {
        let host = address.host
        switch refusal {
        case .webPage:
            return SpeechError(
                .archiveRefused,
                "\(host) sent a web page instead of a \(contentName); a network that wants a login may stand in between"
            )
        case .otherSize(let size):
            return SpeechError(
                .archiveRefused,
                "\(host) has \(size) bytes where the list says \(self.size.map(String.init) ?? "less"); \(remedy)")
        case .tooLarge: return SpeechError(.archiveRefused, "what \(host) sends is too large for a \(contentName)")
        case .status(let status):
            switch status {
            case 404, 410:
                return SpeechError(.downloadRefused, "\(host) does not have it (\(status)); \(remedy)")
            case 401, 403: return SpeechError(.downloadRefused, "\(host) refuses to send it (\(status))")
            case 407: return ProxyRefusal.error(address.isSecure ? nil : address.proxy(), refusing: status, address)
            case 408, 429, 500...599:
                return SpeechError(.networkUnavailable, "\(host) can't serve it now (\(status)); try again later")
            default: return SpeechError(.downloadRefused, "\(host) answered with status \(status)")
            }
        }
    }
}
