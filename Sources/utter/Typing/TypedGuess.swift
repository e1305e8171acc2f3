import System

/// The guess of a dictation in its window: it is typed, mended with Backspace, and becomes the final text. As long as some of it may stand
/// there, a mark on the disk says so.
struct TypedGuess: Sendable {
    let dictation: String
    let place: WindowPlace
    private let queue: TypingQueue
    private var window = WindowGuess()
    private var isMarked = false
    /// Why nobody knows what is in the window, a sentence; nil as long as that is known.
    private var doubt: String?

    init(of dictation: String, in place: WindowPlace, _ queue: TypingQueue) {
        (self.dictation, self.place, self.queue) = (dictation, place, queue)
    }

    /// Whether some of it may be in the window.
    var isThere: Bool { doubt != nil || !window.text.isEmpty }

    /// Makes another guess of it, as far as that may stand in a window. Nothing of the guess erases it.
    mutating func mend(to guess: String) async -> Typist.Outcome { await bring(to: WindowGuess.part(of: guess)) }

    /// Makes the final text of it. Behind that, a guess at what follows may stand in the window.
    mutating func end(with final: String) async -> Typist.Outcome {
        if let doubt { return .partly(doubt) }
        var outcome = Typist.Outcome.typed
        if !window.end(with: final) {
            let common = window.common(with: final)
            outcome = await bring(to: common)
            if outcome == .typed {
                outcome = await Typist(session: place.session).type(
                    String(final.dropFirst(common.count)), into: place.window)
            }
            if case .partly(let reason) = outcome { doubt = reason }
            if outcome == .typed { window = WindowGuess() }
        }
        if !isThere { forget() }
        return outcome
    }

    /// Does not say any more that it may be in the window.
    mutating func forget() {
        if isMarked { try? queue.removeGuessMark(of: dictation) }
        isMarked = false
    }

    private mutating func bring(to text: String) async -> Typist.Outcome {
        if let doubt { return .partly(doubt) }
        while let step = window.step(to: text) {
            switch await take(step) {
            case .typed: window.take(step)
            case .nothing(let reason):
                if !isThere { forget() }
                return .nothing(reason)
            case .partly(let reason):
                doubt = reason
                return .partly(reason)
            }
        }
        if !isThere { forget() }
        return .typed
    }

    private mutating func take(_ step: WindowGuess.Step) async -> Typist.Outcome {
        let typist = Typist(session: place.session)
        switch step {
        case .erase(let end): return await typist.erase(end, in: place.window)
        case .type(let end):
            do throws(StorageError) {
                if !isMarked { try queue.markGuess(of: dictation) }
                isMarked = true
            } catch {
                return .nothing(error.description)
            }
            return await typist.typeWithKeys(end, into: place.window)
        }
    }
}
