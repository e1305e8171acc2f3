// Whether the programs that utter runs are installed.
extension Doctor {
    /// The finding about curl and unzip, which `utter models install` needs; a web hook needs curl.
    func downloads() -> Finding {
        let subject = "curl, unzip"
        let missing = ["curl", "unzip"].filter { !surroundings.has($0) }
        if missing.isEmpty { return .fine(subject, "there: models can be installed") }
        return .lacking(
            subject, "no \(missing.joined(separator: ", no ")): models can't be installed",
            [surroundings.install(missing)])
    }

    /// The finding about ffmpeg, which decodes recordings other than WAV.
    func ffmpeg() -> Finding {
        let subject = "ffmpeg"
        if surroundings.has("ffmpeg") { return .fine(subject, "there: recordings of all kinds can be transcribed") }
        return .lacking(subject, "not there: only WAV files can be transcribed", [surroundings.install(["ffmpeg"])])
    }
}
