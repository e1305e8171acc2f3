extension CommandSpecification {
    static let devices = CommandSpecification(
        name: "devices", runs: DevicesCommand.self,
        abstract: "list the capture devices, and test them",
        discussion: [
            "Lists the devices that ALSA can capture from, each with its description, sample rates, channels and formats. A * marks "
                + "the device that is used when none is named: that of UTTER_DEVICE or the configuration, or default. Devices that can't "
                + "be used come last.",
            "The sources of PulseAudio or PipeWire are listed as well where pactl is installed, each as pulse:NAME. The device monitor is what "
                + "this machine plays, such as the voices of the others in a call.",
            "With --test it listens to a device for a few seconds, shows the level, and says what to do about it.",
        ],
        options: [DevicesCommand.testedDevice, DevicesCommand.duration, Flag.json],
        examples: [
            Example("utter devices", "List the devices."),
            Example("utter devices --test default", "Speak, and see whether it is loud enough."),
        ],
        exitStatuses: [
            ExitStatus(.dataError, "The tested device hears nothing, too little, or clips."),
            ExitStatus(.unavailable, "There is no such device, or no device at all."),
            ExitStatus(.ioError, "The tested device failed during the test."),
            ExitStatus(.tempFail, "Another program uses the tested device."),
            ExitStatus(.noPermission, "This user may not open the tested device."),
        ])
}

extension DevicesCommand {
    static let testedDevice = Option<String>(
        "test", "DEVICE", .device, help: "Listen to DEVICE, and say whether it hears well.")
    static let duration = Option<Double>(
        "for", "SECONDS", 0.5...60, help: "How long to listen with --test; 5 unless given.")
}
