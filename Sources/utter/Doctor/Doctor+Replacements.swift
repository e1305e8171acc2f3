extension Doctor {
    /// Whether the user's own words can be read, every line of them.
    func replacements() -> Finding {
        let (subject, environment) = ("replacements", surroundings.environment)
        // Where the settings can't be read, the configuration's own check says so.
        let chosen = (try? Settings.load(environment))?.values["replacements"]
        if chosen?.text == "none" { return .fine(subject, "none, as it is set") }
        let path = chosen?.text ?? Writing.replacementsPath(environment)
        do throws(CommandError) {
            let count = try Writing.replacements(chosen?.text, environment).count
            return .fine(
                subject, count == 0 ? "none: words of your own may stand in \(path)" : "\(count) in \(path)")
        } catch {
            // Without the file that is taken by itself a memo goes on.
            let state = chosen == nil ? Finding.State.lacking : .broken
            return Finding(
                subject: subject, state: state, words: error.message,
                mend: mend(path, chosen?.source, error.exitCode))
        }
    }

    private func mend(_ path: String, _ source: Settings.Source?, _ code: ExitCode) -> [Finding.Step] {
        if code == .dataError { return [Surroundings.edit(path)] }
        switch source {
        case .file: return [.act("make the file readable, or use none:"), .run("utter config unset replacements")]
        case .variable(let name): return [.act("make the file readable, or use none:"), .run("unset \(name)")]
        case nil: return [.act("make it a file that you may read, or take it away")]
        }
    }
}
