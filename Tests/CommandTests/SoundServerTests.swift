import Audio
import Foundation
import Testing

@testable import utter

@Suite("What a sound server says of its sources")
struct SoundServerTests {
    private let sources = Data(
        #"""
        [{"index":1,"name":"usb","description":"Headset","monitor_source":""},
         {"index":7,"name":"out.monitor","description":"Monitor of Out","monitor_source":"out"},
         {"index":9}]
        """#.utf8)

    private func present(_ outputs: String, sink: String = "out\n") -> SoundServerWatch.Present {
        SoundServerWatch.present(outputs: Data(outputs.utf8), sources: sources, sink: Data(sink.utf8), process: 42)
    }

    private func output(_ source: Int, process: Int = 42) -> String {
        #"{"source":\#(source),"properties":{"application.process.id":"\#(process)"}}"#
    }

    @Test("Each source is a device; the monitor of the standard output has a name of its own")
    func devices() {
        #expect(
            SoundServerSources.devices(sources) == [
                CaptureDeviceInformation(name: "monitor", description: "What this machine plays"),
                CaptureDeviceInformation(name: "pulse:usb", description: "Headset"),
                CaptureDeviceInformation(name: "pulse:out.monitor", description: "Monitor of Out"),
            ])
        let microphone = Data(#"[{"index":1,"name":"usb"}]"#.utf8)
        #expect(SoundServerSources.devices(microphone).map(\.name) == ["pulse:usb"])
        for text in ["", "{}", "[1]", "[{}]", "null"] { #expect(SoundServerSources.devices(Data(text.utf8)).isEmpty) }
    }

    @Test("A source that this process does not hear any more was replaced by another one")
    func moved() {
        let now = present("[\(output(1)), \(output(7, process: 43))]")
        // What is no source of the server, or chosen by it, is as it is.
        #expect(now.unheard(["hw:0", "pulse:out.monitor", "default", "pulse:usb", "pulse:@DEFAULT_SOURCE@"]) == [1])
        // Two that mean the same are heard twice.
        #expect(now.unheard(["pulse:usb", "pulse:usb"]) == [1])
    }

    @Test("The monitor is that of the output that is the standard one now")
    func monitor() {
        let monitor = CaptureOptions.device("monitor")
        #expect(present("[\(output(7))]").unheard([monitor]) == [])
        #expect(present("[\(output(7))]", sink: "headphones").unheard([monitor]) == [0])
        #expect(present("[\(output(7))]", sink: "").unheard([monitor]) == [])
        // Another source hears it already, and does not count.
        #expect(present("[\(output(7)), \(output(1))]").unheard([monitor, "pulse:out.monitor"]) == [0])
    }

    @Test(
        "Where the server knows nothing of this process, nothing was moved", arguments: ["", "[]", "[{}]", "{}", "[7]"])
    func unknown(outputs: String) {
        #expect(present(outputs).unheard(["pulse:usb", CaptureOptions.device("monitor")]) == [])
    }
}
