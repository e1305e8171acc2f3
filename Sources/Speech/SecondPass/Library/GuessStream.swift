import CTranscribe

/// The stream of a model that decodes while one speaks. Its text is committed, which only grows, and tentative. A guess that
/// continues the last one costs only the new samples; another begins the stream anew. For one thread.
///
/// C: `transcribe_stream_begin`, `transcribe_stream_feed`, `transcribe_stream_get_text`
final class GuessStream {
    private let calls: TranscribeCalls
    private let session: OpaquePointer
    /// The samples that the stream has heard, and how; empty if there is no stream.
    private var heard: [Int16] = []
    private var gain: Float = 0
    private var language: String?

    /// Creates no stream yet, on a session of the model.
    init(_ calls: TranscribeCalls, _ session: OpaquePointer) { (self.calls, self.session) = (calls, session) }

    /// Decodes the samples that are new.
    ///
    /// - Parameters:
    ///   - samples: the sound since the beginning of the guess, at 16 kHz.
    ///   - gain: the factor from samples to -1...1.
    /// - Returns: a status of libtranscribe. After a failure there is no stream.
    func hear(
        _ samples: [Int16], gain: Float, in language: String?,
        _ withRun: ((inout CTranscribe.transcribe_run) -> Int32) -> Int32
    ) -> Int32 {
        let continues = !heard.isEmpty && gain == self.gain && language == self.language && samples.starts(with: heard)
        var status = Int32(TRANSCRIBE_OK)
        if !continues {
            end()
            (self.gain, self.language) = (gain, language)
            status = withRun { run in
                var stream = CTranscribe.transcribe_stream()
                calls.streamInitialize(&stream)
                run.times = Int32(TRANSCRIBE_TIMES_NONE)
                return calls.streamBegin(session, &run, &stream)
            }
        }
        let new = samples[heard.count...].map { Float($0) * gain }
        if Int(status) == TRANSCRIBE_OK, !new.isEmpty {
            var update = transcribe_stream_update()
            calls.streamUpdateInitialize(&update)
            status = calls.streamFeed(session, new, Int32(new.count), &update)
            heard = samples
        }
        if Int(status) != TRANSCRIBE_OK { end() }
        return status
    }

    /// The text of all that was heard, without superfluous spaces; nil if the stream gives none.
    var text: String? {
        var text = transcribe_stream_text()
        calls.streamTextInitialize(&text)
        guard Int(calls.streamText(session, &text)) == TRANSCRIBE_OK else { return nil }
        let parts = [text.committed, text.tentative].compactMap { $0 }.map { String(cString: $0) }
        return parts.joined().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Ends the stream, for a model runs or streams, not both.
    func end() {
        calls.streamReset(session)
        heard = []
    }
}
