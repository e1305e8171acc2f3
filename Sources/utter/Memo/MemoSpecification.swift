extension CommandSpecification {
    static let memo = CommandSpecification(
        name: "memo", runs: MemoCommand.self,
        abstract: "speak or type a note, and keep it",
        discussion: [
            "Listens from the first moment and shows the words where the cursor is: final ones in the normal colour, the guess dimmed. "
                + "Typing works at the same time. Final words are never taken back; the guess changes while you speak.",
            "Words become final at a pause of 2 s (--endpoint-silence), or after 28 s without one. A shorter pause cuts no sentence. What you "
                + "type stands behind what you have said, also behind the guess. Wherever the cursor goes meanwhile, the words stay in their "
                + "place. Enter waits until all words are final, however long that takes, and says how many utterances are open; you can type meanwhile. Enter again, a second later, keeps the guess that is "
                + "shown.",
            "Enter keeps the memo in the day's note and ends; so do Ctrl-C, a closed terminal and SIGTERM. White space at its end is not kept.",
            "Every word is on the disk as soon as it is final. What a memo that was cut off has left is offered by the next, "
                + "and goes where that one was meant to go, or is thrown away with one key.",
            "A microphone that goes is tried again every three seconds. One that gives nothing but zeros is said to be silent.",
            "The end never waits for a recognizer that does not return: Enter or Ctrl-C again keeps at once what is there. A "
                + "model that crashes or hangs is loaded again, and hears again what was not final. One that fails again and again is given "
                + "up; typing goes on.",
            "The memo goes into the day's note and to every destination of the outbox, or only to those of --to; for others than notes it is "
                + "queued and brought there in the background. See utter outbox --help.",
            "The note is YYYY-MM-DD.md in the folder of --notes or UTTER_NOTES, or else in utter/notes in the XDG data folder, "
                + "and the memo a line in it: - 14:22 text. When standard output is not a terminal the memo is written there instead.",
        ],
        keys: MemoKeys.all,
        options: DeliveryOptions.all(of: "the memo") + [MemoOptions.savedAudio] + CaptureOptions.all
            + RecognitionOptions.live
            + WritingOptions.all(standard: MemoOptions.standardRules),
        examples: [
            Example("utter memo", "Speak, and press Enter: it is in today's note."),
            Example(
                "utter memo --second-pass none",
                "libvosk alone: less of the processor, without capitals and punctuation of a model."),
            Example("utter memo --phrase Ada", "Lean towards a name, as Whisper's models can."),
            Example("utter memo --guess pauses", "Guess at pauses only, for a slow machine or a battery."),
            Example("utter memo --notes ~/vault/daily", "Keep it among the notes of an Obsidian vault."),
            Example("utter memo --save-audio ~/memos", "Keep its sound too, for a better model to hear it again."),
            Example("utter memo | xclip", "Speak into the clipboard."),
        ],
        exitStatuses: RecognitionOptions.wordFileStatuses + [
            ExitStatus(
                .unavailable,
                "There is no terminal, or no such model. Or there is no such microphone, and nothing was typed."),
            ExitStatus(.software, "Not all sound could be recognized; the memo is kept with the rest."),
            ExitStatus(.osError, "The system is out of memory or open files."),
            ExitStatus(.cannotCreate, "Neither the note nor the outbox can be made; the next memo offers this one."),
            ExitStatus(
                .ioError,
                "Writing to the note and the outbox, or to standard output, failed; the next memo offers this one. Or sound was lost, "
                    + "the microphone was gone for a time, or sound could not be saved; the memo is kept."),
            ExitStatus(.tempFail, "Another program uses the microphone, and nothing was typed."),
            ExitStatus(
                .noPermission,
                "Writing to the note and the outbox is not allowed; the next memo offers this one. Or this user may not open the "
                    + "microphone, and nothing was typed."),
            ExitStatus(
                .configuration,
                "There is no such destination, or the model can't listen for the given words. Or the destinations can't be read; the "
                    + "memo is in the notes."),
            ExitStatus(.hungUp, "Ended by SIGHUP; the memo is kept."),
            ExitStatus(.terminated, "Ended by SIGTERM; the memo is kept."),
        ])
}
