import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests of `utter doctor` on machines with one fault each. The command lines that it prints are run.
    @Suite struct DoctorOnOneFault {
        private let sandbox = Sandbox()
        private let machine: Sandbox.HealthyMachine

        init() throws { machine = try sandbox.makeHealthy() }

        // MARK: The model

        @Test(
            "The built-in model is enough for a memo, but not for dictation: a model for the user's language is offered"
        )
        func builtInModel() async throws {
            for language in ["C.UTF-8", "en_US.UTF-8"] {
                #expect(try await machine.doctor(set: ["UTTER_MODEL": nil, "LANG": language]).isGreen)
            }
            unlink(sandbox.file("data/utter/models/" + Sandbox.dictationModel))
            let words = "vosk-model-tiny-en loads in … s; it knows 133 words and can't take dictation"
            for (variables, name) in [
                (["LANG": "de_DE.UTF-8"], "de-DE"), (["LC_ALL": "fr_CA.UTF-8", "LANG": "de_DE.UTF-8"], "fr-CA"),
            ] as [([String: String], String)] {
                let diagnosis = try await machine.doctor(
                    set: variables.mapValues { $0 }.merging(["UTTER_MODEL": nil]) { one, _ in one })
                #expect(diagnosis.exitCode == 0)
                #expect(
                    diagnosis["model"]?.withoutTime
                        == Diagnosis.Finding(
                            state: "lacking", words: words, lines: ["utter models install \(name)"]))
            }
            // A user who chose the built-in model gets no advice.
            #expect(try await machine.doctor(set: ["UTTER_MODEL": "vosk-model-tiny-en"]).isGreen)
        }

        @Test("Without any model or list of models, the first step is to get the list")
        func noModels() async throws {
            unlink(sandbox.file("data/utter/models/" + Sandbox.dictationModel))
            // The program looks for models in the folders above its own, so it lies as deep as in a checkout, with none above it.
            let folder = sandbox.file("1/2/3/4/5/6")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bare = folder + "/utter"
            try await sandbox.install(Sandbox.utter, as: bare)
            let finished = try await Program(
                [bare, "doctor"],
                environment: sandbox.environment(machine.environment.filter { $0.key != "UTTER_MODEL" })
            ).finish()
            #expect(finished.end == .exited(69))
            let lines = finished.outputLines
            let place = try #require(lines.firstIndex { $0.hasPrefix("BROKEN   model ") })
            #expect(
                lines[place...].prefix(3).map { String($0.dropFirst(29)) } == [
                    "no model named vosk-model-tiny-en is installed; see what there is with: utter models list",
                    "run: utter models update",
                    "run: utter models install en-us",
                ])
            let list = try await Program([bare, "models", "list"], environment: sandbox.environment()).finish()
            #expect(
                list.end == .exited(0)
                    && list.output == "\nThe list of models is missing; fetch it with: utter models update\n")
        }

        @Test(
            "A broken model is installed again by the line that is printed", arguments: ["lacks a part", "is damaged"])
        func brokenModel(fault: String) async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            _ = try await sandbox.models("install", "eo")
            let own = sandbox.file("data/utter/models/" + ModelArchive.name)
            if fault == "is damaged" {
                sandbox.put("garbage", in: "data/utter/models/\(ModelArchive.name)/am/final.mdl")
            } else {
                unlink(own + "/am/final.mdl")
            }
            let diagnosis = try await machine.doctor(set: ["UTTER_MODEL": ModelArchive.name])
            #expect(diagnosis.exitCode == 69 && diagnosis["model"]?.state == "broken")
            let words = try #require(diagnosis["model"]?.words)
            if fault == "is damaged" {
                #expect(words.hasPrefix("libvosk can't load the model \(own): "))
            } else {
                #expect(words == "the model \(own) lacks am/final.mdl; install it again or unpack its archive again")
            }
            #expect(
                diagnosis.lines == [
                    "utter models remove \(ModelArchive.name)", "utter models install \(ModelArchive.name)",
                ])
            let mended = try await machine.doctor(after: diagnosis.lines, set: ["UTTER_MODEL": ModelArchive.name])
            #expect(mended.isGreen && archive.isInstalled, "\(mended.complaints) \(mended.errors)")
        }

        @Test("A broken model that can't be downloaded, or that another program installed, is not removed without need")
        func brokenForeignModel() async throws {
            for folder in ["data/utter/models/vosk-model-mine", "elsewhere"] {
                try FileManager.default.createDirectory(
                    atPath: sandbox.file(folder) + "/am", withIntermediateDirectories: true)
            }
            let own = try await machine.doctor(set: ["UTTER_MODEL": "vosk-model-mine"])
            #expect(own["model"]?.state == "broken" && own.lines == ["utter models remove vosk-model-mine"])
            #expect(
                own["model"]?.deeds == [
                    "install it again from its archive: utter models install vosk-model-mine --from FILE"
                ])
            let foreign = try await machine.doctor(set: ["UTTER_MODEL": sandbox.file("elsewhere")])
            #expect(
                foreign["model"]?.words.hasPrefix(
                    "the model \(sandbox.file("elsewhere")) lacks am/final.mdl, conf/mfcc.conf, ") == true)
            #expect(foreign.lines == ["export UTTER_MODEL=\(Sandbox.dictationModel)"])
            #expect(
                try await machine.doctor(after: foreign.lines, set: ["UTTER_MODEL": sandbox.file("elsewhere")]).isGreen)
        }

        // MARK: The microphone

        @Test("Instead of a device that does not exist, one that does is suggested")
        func missingDevice() async throws {
            let microphone = try await VirtualMicrophone()
            // Noise without a pause.
            var generator = SplitMix64(seed: 5)
            let noise = (0..<48_000 * 2).map { _ in Int16.random(in: -3000...3000, using: &generator) }
            let playback = try microphone.playing(noise, times: 60)
            let variables: [String: String?] = [
                "UTTER_DEVICE": "nosuch", "PULSE_SERVER": microphone.environment["PULSE_SERVER"],
            ]
            let diagnosis = try await machine.doctor(set: variables)
            diagnosis.expectFault(
                on: "microphone", "broken",
                "there is no capture device nosuch: connect a microphone, or choose another device (ALSA says: Unknown PCM nosuch)",
                lines: ["export UTTER_DEVICE=microphone"], deeds: ["to keep that, put the line into ~/.profile"])
            let mended = try await machine.doctor(after: diagnosis.lines, set: variables)
            try await playback.stop()
            #expect(
                mended.isGreen && mended["microphone"] == .fine("microphone delivers sound at 48000 Hz, 1 ch"),
                "\(mended.complaints)")
        }

        @Test(
            "On a machine without a device, the advice is to get one, or ALSA's plug-in for the sound server if only that is missing"
        )
        func noDevice() async throws {
            let plain = "pcm.null { type null hint { show on description None } }\n"
            let bare = sandbox.put(plain, in: "bare.conf")
            var variables: [String: String?] = [
                "UTTER_DEVICE": nil, "ALSA_CONFIG_PATH": bare, "XDG_RUNTIME_DIR": sandbox.file("empty"),
            ]
            let none = try await machine.doctor(set: variables.merging(["PULSE_SERVER": nil]) { $1 })
            #expect(
                none["microphone"]?.words
                    == "there is no capture device default: connect a microphone, or choose another device (ALSA says: Unknown PCM default)"
            )
            #expect(
                none["microphone"]?.lines == []
                    && none["microphone"]?.deeds == ["connect a microphone; utter devices lists what there is"])
            let outOfReach = try await machine.doctor(set: variables)
            #expect(outOfReach.exitCode == 69)
            #expect(
                outOfReach["microphone"]?.lines
                    == [
                        (geteuid() == 0 ? "" : "sudo ") + "apt-get install -y libasound2-plugins",
                        "export UTTER_DEVICE=pulse",
                    ])
            let plugin = sandbox.put(
                plain + "pcm.pulse { type pulse hint { show on description Server } }\n",
                in: "plugin.conf")
            variables["ALSA_CONFIG_PATH"] = plugin
            let notStarted = try await machine.doctor(
                set: variables.merging(["PATH": sandbox.programs(in: "bin", ["pulseaudio"])]) { $1 })
            #expect(notStarted["microphone"]?.lines == ["pulseaudio --start", "export UTTER_DEVICE=pulse"])
        }

        @Test("A sound server that does not run is started by the line that is printed")
        func noServer() async throws {
            let diagnosis = try await machine.doctor(set: ["UTTER_DEVICE": "default"])
            #expect(diagnosis.exitCode == 69)
            #expect(
                diagnosis["microphone"]?.words
                    == "the capture device default does not answer: start the sound server (PulseAudio or PipeWire), or choose another "
                    + "device (ALSA says: PulseAudio: Unable to connect: Connection refused)")
            let programs = sandbox.programs(in: "bin", ["sh", "curl", "unzip", "ffmpeg"])
            let root = geteuid() == 0 ? "" : "sudo "
            for (added, lines) in [
                ([], ["\(root)apt-get install -y pulseaudio", "pulseaudio --start"]),
                (["pulseaudio"], ["pulseaudio --start"]),
                (["pipewire-pulse"], ["systemctl --user start pipewire pipewire-pulse wireplumber"]),
            ] as [([String], [String])] {
                for name in added { symlink("/bin/true", programs + "/" + name) }
                #expect(try await machine.doctor(set: ["UTTER_DEVICE": "default", "PATH": programs]).lines == lines)
            }
        }

        @Test("A device that delivers only silence is reported")
        func silentDevice() async throws {
            let microphone = try await VirtualMicrophone()
            let diagnosis = try await machine.doctor(set: [
                "UTTER_DEVICE": "default", "PULSE_SERVER": microphone.environment["PULSE_SERVER"],
            ])
            diagnosis.expectFault(
                on: "microphone", "lacking", "default delivers sound at 48000 Hz, 1 ch, all of it digital silence",
                deeds: ["unmute it (pavucontrol, Input Devices), and see: utter devices --test default"])
        }

        @Test("A device that delivers nothing is given up after a while", .long)
        func undelivering() async throws {
            let microphone = try await VirtualMicrophone()
            try await microphone.suspend()
            let diagnosis = try await machine.doctor(set: [
                "UTTER_DEVICE": "default", "PULSE_SERVER": microphone.environment["PULSE_SERVER"],
            ])
            #expect(diagnosis.exitCode == 69)
            #expect(
                diagnosis["microphone"]?.words
                    == "the capture device default runs, but no sound has come for ten seconds: choose another device")
            #expect(diagnosis["microphone"]?.lines == ["export UTTER_DEVICE=microphone"])
        }

        @Test("For a device that is busy, or that this user may not open, the answer says what to do")
        func refusedDevice() async throws {
            let system = OpenSoundSystem(sandbox)
            let variables: [String: String?] = [
                "UTTER_DEVICE": "oss", "ALSA_CONFIG_PATH": system.environment["ALSA_CONFIG_PATH"],
            ]
            let busy = try await machine.doctor(under: system.failing(with: "EBUSY"), set: variables)
            #expect(busy.exitCode == 69)
            #expect(
                busy["microphone"]?.words.hasPrefix(
                    "the capture device oss is busy: end the program that records from it") == true)
            #expect(
                busy["microphone"]?.deeds == ["end the program that records from it; fuser -v /dev/snd/* names it"]
                    && busy.lines == [])
            let refused = try await machine.doctor(under: system.failing(with: "EACCES"), set: variables)
            #expect(refused.exitCode == 69)
            #expect(
                refused["microphone"]?.words.hasPrefix(
                    "the capture device oss may not be opened by this user: join the group audio")
                    == true)
            #expect(refused.lines == [(geteuid() == 0 ? "" : "sudo ") + "usermod -aG audio \"$(id -un)\""])
            #expect(refused["microphone"]?.deeds == ["log out, and in again"])
        }

        @Test("Whether real-time priority is granted is tried, not inferred from the user")
        func priority() async throws {
            let diagnosis = try await machine.doctor(under: Sandbox.powerless)
            let finding = try #require(diagnosis["real-time priority"])
            #expect(
                finding.state == "lacking"
                    && finding.words == "not granted; on a busy machine a hardware device may lose sound")
            if geteuid() == 0 {
                #expect(
                    finding.deeds == ["give the container that this is the capability SYS_NICE"] && finding.lines == [])
            } else {
                #expect(
                    finding.lines == [
                        "echo '@audio - rtprio 20' | sudo tee /etc/security/limits.d/audio.conf",
                        "sudo usermod -aG audio \"$(id -un)\"",
                    ])
            }
            #expect(diagnosis.isGreen)
        }

        // MARK: Folders

        @Test("A folder of notes that may not be written to is made usable by the line that is printed")
        func notes() async throws {
            let folder = sandbox.file("it's mine")
            mkdir(folder, 0o500)
            let diagnosis = try await machine.doctor("--notes", folder, under: Sandbox.powerless)
            diagnosis.expectFault(
                on: "notes", "broken",
                "can't write to \(folder): Permission denied; choose a place that you may write to",
                lines: ["chmod u+rwx '\(folder.replacing("'", with: "'\\''"))'"],
                deeds: [
                    "or choose another folder: --notes, UTTER_NOTES, or notes in \(sandbox.file("config/utter/config.json"))"
                ])
            let mended = try await machine.doctor("--notes", folder, after: diagnosis.lines, under: Sandbox.powerless)
            #expect(mended.isGreen && mended["notes"] == .fine(folder), "\(mended.complaints)")
        }

        @Test("A symbolic link in place of a folder of utter's own is not used, wherever it leads")
        func links() async throws {
            let name = sandbox.file("state/utter/memos")
            try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: sandbox.file("empty"))
            let diagnosis = try await machine.doctor()
            // Without its journal a memo still works, but less safely.
            diagnosis.expectFault(
                on: "journal", "lacking",
                "a symbolic link stands in place of the folder \(name); give the folder it leads to, or remove it; "
                    + "until then nothing is safe before Enter", lines: ["mv \(name) \(name).old"])
            #expect(sandbox.names(in: "empty") == [])
            #expect(try await machine.doctor(after: diagnosis.lines).isGreen)
            // That of the notes is the user's, who wants them where it leads.
            let notes = sandbox.file("data/utter/notes")
            #expect(rmdir(notes) == 0)
            try FileManager.default.createSymbolicLink(atPath: notes, withDestinationPath: sandbox.file("empty"))
            let linked = try await machine.doctor()
            linked.expectFault(
                on: "notes", "broken",
                "a symbolic link stands in place of the folder \(notes); give the folder it leads to, or remove it",
                lines: ["utter config set notes \(sandbox.file("empty"))"])
            let mended = try await machine.doctor(after: linked.lines)
            #expect(mended.isGreen && mended["notes"] == .fine(sandbox.file("empty")), "\(mended.complaints)")
        }

        // MARK: Programs, locale, terminal

        @Test("Programs that are missing are named with the packages they are in")
        func programs() async throws {
            let root = geteuid() == 0 ? "" : "sudo "
            let nothing = try await machine.doctor(set: ["PATH": sandbox.file("empty")])
            nothing.expectFault(
                on: "curl, unzip", "lacking", "no curl, no unzip: models can't be installed",
                lines: ["\(root)apt-get install -y curl unzip"])
            nothing.expectFault(
                on: "ffmpeg", "lacking", "not there: only WAV files can be transcribed",
                lines: ["\(root)apt-get install -y ffmpeg"])
            let some = try await machine.doctor(set: ["PATH": sandbox.programs(in: "bin", ["curl", "ffmpeg"])])
            #expect(
                some["curl, unzip"]?.words == "no unzip: models can't be installed" && some["ffmpeg"]?.state == "ok")
            #expect(some["curl, unzip"]?.lines == ["\(root)apt-get install -y unzip"])
        }

        @Test(
            "A locale that is not UTF-8 is corrected where it is set",
            arguments: [(["LANG": "C.UTF-8", "LC_CTYPE": "de_DE@euro"], "LC_CTYPE"), (["LC_ALL": ""], "LANG")])
        func locale(variables: [String: String], variable: String) async throws {
            let changes: [String: String?] = ["LANG": "C"].merging(variables) { $1 }
            let diagnosis = try await machine.doctor(set: changes)
            diagnosis.expectFault(
                on: "locale", "lacking", "not UTF-8: the level meter is plain, and other scripts may not show",
                lines: ["export \(variable)=C.UTF-8"], deeds: ["to keep that, put the line into ~/.profile"])
            #expect(try await machine.doctor(after: diagnosis.lines, set: changes).isGreen)
        }

        @Test("A terminal that can't draw is reported; without a terminal there is no memo")
        func terminal() async throws {
            for name in ["dumb", nil] {
                let dumb = try await machine.doctor(set: ["TERM": name])
                #expect(dumb.exitCode == 0)
                #expect(dumb["terminal"]?.words == "TERM says that it can't move its cursor: a memo comes as lines")
                #expect(
                    dumb.lines == ["export TERM=xterm-256color"]
                        && dumb["terminal"]?.deeds == ["or what the terminal really is"])
                #expect(try await machine.doctor(after: dumb.lines, set: ["TERM": name]).isGreen)
            }
            let none = try await machine.doctor(under: ["setsid", "-w"])
            none.expectFault(
                on: "terminal", "lacking", "there is none here: a memo needs one, listen and transcribe do not",
                deeds: ["run memos in a terminal"])
        }

        // MARK: The configuration, libvosk

        @Test("An invalid configuration does not keep the doctor from checking the rest")
        func configuration() async throws {
            let path = sandbox.file("config/utter/config.json")
            try FileManager.default.createDirectory(
                atPath: sandbox.file("config/utter"), withIntermediateDirectories: true)
            let good = sandbox.put(#"{"endpoint-silence": 0.7}"#, in: "good.json")
            for (text, state, words) in [
                (
                    "{", "broken",
                    "the configuration \(path) is not a JSON object, such as {\"device\": \"hw:1\"}: in line 1, column 2 it ends too early: a quote or a bracket is not closed"
                ),
                (
                    #"{"modle": "x"}"#, "lacking",
                    "the configuration \(path) sets modle, which is not known here; did you mean model?"
                ),
            ] {
                sandbox.put(text, in: "config/utter/config.json")
                let diagnosis = try await machine.doctor()
                #expect(diagnosis.errors == "")
                diagnosis.expectFault(on: "configuration", state, words, lines: ["${EDITOR:-nano} \(path)"])
                #expect(diagnosis.complaints.count == 1)
                let mended = try await machine.doctor(after: diagnosis.lines, set: ["EDITOR": "cp \(good)"])
                #expect(mended.isGreen && mended["configuration"] == .fine(path))
            }
        }

        @Test("The settings and the options determine what is checked")
        func settings() async throws {
            try FileManager.default.createDirectory(
                atPath: sandbox.file("config/utter"), withIntermediateDirectories: true)
            sandbox.put(
                #"{"device": "fromfile", "notes": "\#(sandbox.file("empty"))"}"#,
                in: "config/utter/config.json")
            let file = try await machine.doctor(set: ["UTTER_DEVICE": nil])
            #expect(file["microphone"]?.words.hasPrefix("there is no capture device fromfile: ") == true)
            #expect(file["notes"] == .fine(sandbox.file("empty")))
            let option = try await machine.doctor("--device", "fromoption", "--device-rate", "8000")
            #expect(option["microphone"]?.words.hasPrefix("there is no capture device fromoption: ") == true)
        }

        @Test("A libvosk that is too old is reported before it is used")
        func oldLibrary() async throws {
            let names = RecognizerCheck.neededFunctions.filter { $0 != "vosk_recognizer_set_partial_words" }
            let source = sandbox.put(names.map { "void \($0)(void) {}\n" }.joined(), in: "vosk.c")
            try FileManager.default.createDirectory(atPath: sandbox.file("old"), withIntermediateDirectories: false)
            try await sandbox.run(
                "cc", "-shared", "-fPIC", "-Wl,-soname,libvosk.so", "-o", sandbox.file("old/libvosk.so"), source)
            let diagnosis = try await machine.doctor(set: ["LD_LIBRARY_PATH": sandbox.file("old")])
            diagnosis.expectFault(
                on: "libvosk", "broken",
                "too old, \(sandbox.file("old/libvosk.so")): it lacks vosk_recognizer_set_partial_words",
                deeds: ["remove it, and run Scripts/setup in the folder of utter's sources"])
            #expect(diagnosis["model"] == nil && diagnosis.complaints.count == 1)

            let all = names + ["vosk_recognizer_set_partial_words", "vosk_recognizer_set_endpointer_delays"]
            let newer = all.map { "void *\($0)(void) { return 0; }\n" }.joined()
            try await sandbox.run(
                "cc", "-shared", "-fPIC", "-Wl,-soname,libvosk.so", "-o", sandbox.file("old/libvosk.so"),
                sandbox.put(newer, in: "vosk.c"))
            let other = try await machine.doctor(set: ["LD_LIBRARY_PATH": sandbox.file("old")])
            #expect(other["libvosk"] == .fine("0.3.50 or newer, \(sandbox.file("old/libvosk.so"))"))
            // It loads no model.
            #expect(other.exitCode == 69 && other["model"]?.words.hasPrefix("libvosk can't load the model ") == true)
        }
    }
}
