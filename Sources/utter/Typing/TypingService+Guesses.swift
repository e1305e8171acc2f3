/// Guesses: the newest is typed when nothing else is, and mended until its text is final.
extension TypingService {
    /// Takes a guess in place of the one before.
    func heard(_ guess: HeardGuess, of dictation: String) {
        newestGuess = (dictation, guess)
        mendGuess()
    }

    /// Makes the newest guess of what is in the window, unless something is being typed, or comes before it.
    func mendGuess() {
        guard !isTyping, let (guess, text) = nextGuess, !isBeingTyped({ _, _ in true }) else { return }
        isTyping = true
        self.guess = guess
        // Each guess is tried once. If another window has the focus, the next guess or the final text follows.
        newestGuess = nil
        Task {
            await mend(guess, to: text)
            isTyping = false
            changed()
        }
    }

    private func mend(_ guess: TypedGuess, to text: String) async {
        var guess = guess
        // If its dictation ends meanwhile, the final text may still follow.
        let wasOver = isOver(guess)
        _ = await guess.mend(to: text)
        if wasOver { guess.forget() }
        self.guess = guess.isThere && !wasOver ? guess : nil
    }

    /// What is to be made of the guess in the window: nothing, if no final text follows any more.
    private var nextGuess: (TypedGuess, text: String)? {
        if let guess, isOver(guess) { return (guess, "") }
        guard let (id, newest) = newestGuess, held[id] == nil,
            let dictation = dictations.first(where: { $0.id == id && !$0.isCancelled }),
            newest.textCount == dictation.typedCount
        else { return nil }
        if let guess { return guess.dictation == id ? (guess, newest.text) : nil }
        if newest.text.isEmpty { return nil }
        return (TypedGuess(of: id, in: chosenPlaces[id] ?? dictation.place, queue), newest.text)
    }

    private func isOver(_ guess: TypedGuess) -> Bool {
        !dictations.contains { $0.id == guess.dictation && !$0.isCancelled }
    }

    func typeFinal(_ text: TypedText, in place: WindowPlace) async -> Typist.Outcome {
        if var guess {
            let isItsOwn = guess.dictation == text.dictation && guess.place == place
            let outcome = isItsOwn && !text.takesBack ? await guess.end(with: text.text) : await guess.mend(to: "")
            self.guess = guess.isThere ? guess : nil
            // What stands in another window is in nobody's way.
            if isItsOwn, outcome != .typed || !text.takesBack { return outcome }
        }
        if text.takesBack { return await takeBack(text, in: place) }
        return await Typist(session: place.session).type(text.text, into: place.window)
    }

    /// Forgets the guess of a text that waits.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func forgetGuess(of text: TypedText) -> Bool {
        guard var guess, guess.dictation == text.dictation else { return false }
        guess.forget()
        self.guess = nil
        return true
    }
}
