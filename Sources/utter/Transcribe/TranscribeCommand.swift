/// Carries out `utter transcribe`.
func runTranscribe(_ arguments: ParsedArguments) async -> ExitCode {
    do throws(UsageError) {
        _ = try TranscribeOptions(arguments)
    } catch {
        Console.say(error.description, layout: .tabsAndNewlines)
        return error.exitCode
    }
    Console.say("utter: transcribe can't transcribe yet: recognition is not built in.\n", layout: .tabsAndNewlines)
    return .unavailable
}
