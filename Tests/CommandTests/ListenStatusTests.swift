import Testing

@testable import utter

struct ListenStatusTests {
    private let level = LiveLevel(peak: -12, rms: -36)

    @Test("It shows the state, how to end it, remarks, and the level")
    func full() {
        var status = ListenStatus()
        #expect(status.text(width: 80, isUTF8: true) == "")
        status.state = .gettingReady
        status.show(level, of: nil)
        #expect(status.text(width: 80, isUTF8: true) == "getting ready")
        status.state = .listening
        #expect(status.text(width: 80, isUTF8: true) == "listening, Ctrl-C ends ▁▂▃")
        #expect(status.text(width: 80, isUTF8: false) == "listening, Ctrl-C ends ===")
        status.notice = "hears only silence:\u{1B}[1m is it muted?"
        #expect(
            status.text(width: 80, isUTF8: true)
                == "listening, Ctrl-C ends hears only silence:\\x1B[1m is it muted? ▁▂▃")
        status.state = .finishing
        #expect(status.text(width: 80, isUTF8: true) == "finishing")
    }

    @Test("It fits any width")
    func fits() {
        let status = ListenStatus(state: .listening, levels: [(nil, level)], notice: "漢字漢字")
        for width in 0..<50 { #expect(displayWidth(status.text(width: width, isUTF8: true)) <= width) }
    }
}
