/// Whether the programs that utter runs are there.
struct ProgramsCheck {
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// What `utter models install` needs, and a web hook.
    func downloads() -> Finding {
        let subject = "curl, unzip"
        let missing = ["curl", "unzip"].filter { !surroundings.has($0) }
        if missing.isEmpty { return .fine(subject, "there: models can be installed") }
        return .lacking(
            subject, "no \(missing.joined(separator: ", no ")): models can't be installed",
            [surroundings.install(missing)])
    }

    func ffmpeg() -> Finding {
        let subject = "ffmpeg"
        if surroundings.has("ffmpeg") { return .fine(subject, "there: recordings of all kinds can be transcribed") }
        return .lacking(subject, "not there: only WAV files can be transcribed", [surroundings.install(["ffmpeg"])])
    }
}
