/// Looks at everything that a memo needs. What mends one thing may need what mends those before it.
struct Doctor {
    private let options: MemoOptions
    private let surroundings: Surroundings

    init(_ options: MemoOptions, _ surroundings: Surroundings) {
        self.options = options
        self.surroundings = surroundings
    }

    func examine() async -> [Finding] {
        let folders = FoldersCheck(surroundings)
        // First of all, for what is made or written closes it.
        let privacy = PrivacyCheck(surroundings).findings(notes: folders.locations(options.notes))
        let recognizer = RecognizerCheck().finding()
        let programs = ProgramsCheck(surroundings)
        var findings = [recognizer, programs.downloads()]
        // A call of what it lacks would end us.
        if recognizer.state != .broken { findings.append(await ModelCheck(options.recognition, surroundings).finding()) }
        findings.append(await MicrophoneCheck(options.capture, surroundings).finding())
        findings.append(PriorityCheck(surroundings).finding())
        findings += folders.notes(options.notes)
        findings.append(folders.journal())
        findings += MemosCheck(surroundings).findings()
        findings += OutboxCheck(notes: options.notes, surroundings).findings() + privacy
        let terminal = TerminalCheck(surroundings)
        return findings + [programs.ffmpeg(), terminal.locale(), terminal.terminal()]
    }
}
