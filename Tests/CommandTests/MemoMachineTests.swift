import Foundation
import TestSupport
import Testing

@testable import utter

@Suite("What a memo does about what happens")
struct MemoMachineTests {
    private typealias Event = MemoMachine.Event
    private typealias Action = MemoMachine.Action

    private static func key(_ key: Key, at time: Double = 0) -> Event { .key(key, columns: 80, time: time) }

    private static let enter = key(.enter)
    /// Enter again, long after the first.
    private static let again = key(.enter, at: 10)
    private static let microphone = key(.control("P"))

    /// All events, with one of each kind of key.
    private static let everyEvent: [Event] =
        [
            .time(100), .volatile("gue"), .final("guess"), .final(""), .modelReady, .undecided(2), .loud,
            .recognitionFailed("no ears"),
            .captureStarted, .captureEnded, .captureFailed("no air"), .recorded(failure: nil),
            .recorded(failure: "no room"),
            .warning("mind"), .loss("too little"), .soundLost(["lost"]), .foundAbandoned(time: "14:22"),
            .restored("old"), .mustEnd, .mustHurry, .speechEnded,
            .waits("it waits"),
            .microphoneTrouble(CaptureWatch.silence),
            .microphoneTrouble(nil),
        ]
        + ([
            .enter, .escape, .newLine, .text("x"), .paste("y\nz"), .left, .backspace, .control("C"), .control("D"),
            .control("L"),
            .control("P"), .control("R"), .control("T"), .control("X"), .control("Z"), .help, .undo, .redo, .yank,
            .deleteWordBackward,
        ] as [Key]).map { key($0) }

    @Test("It knows whether something was said: not what was typed, and not for sure where not all was heard")
    func speech() {
        for (events, speech) in [
            ([Self.key(.text("x")), .volatile(""), .final("")], .none), ([.volatile("gue"), .final("")], .words),
            ([.final("guess")], .words), ([.restored("old")], .words),
            ([.recognitionFailed("no ears"), .restored("old")], .unknown),
            ([.final("guess"), Self.enter, .speechEnded], .words),
            ([.volatile("gue"), Self.enter, Self.again], .unawaited),
            ([.recognitionFailed("no ears"), Self.enter, Self.again], .unknown),
        ] as [([Event], MemoMachine.SaidSpeech)] {
            var machine = MemoMachine()
            for event in events { _ = machine.handle(event) }
            #expect(machine.speech == speech, "\(events)")
        }
    }

    /// A way to every state, and what happens there: events that do something, what is to be done, what is shown then. All others
    /// do nothing and change no state.
    private struct Place {
        var name: String
        var way: [Event]
        var state: LiveState
        var does: [(Event, Action?, LiveState)]
    }

    private static let ends: [(Event, Action?, LiveState)] = [
        (enter, .finish, .finishing), (key(.control("C")), .finish, .finishing),
        (key(.control("D")), .finish, .finishing),
        (.mustEnd, .finish, .finishing), (.mustHurry, .finish, .finishing),
    ]
    private static let always: [(Event, Action?, LiveState)] =
        ends + [
            (key(.control("L")), .redraw, .paused), (key(.control("Z")), .suspend, .paused),
            (.captureEnded, .finalize, .paused),
        ]

    /// What happens in every state but the last two, where it is shown as `state`.
    private static func always(_ state: LiveState) -> [(Event, Action?, LiveState)] {
        always.map { ($0.0, $0.1, $0.2 == .finishing ? .finishing : state) }
    }

    private static let places: [Place] = [
        Place(
            name: "at first", way: [], state: .gettingReady,
            does: always(.gettingReady) + [
                (.recognitionFailed("no ears"), nil, .paused), (.captureFailed("no air"), .finalize, .paused),
                (microphone, nil, .paused),
            ]),
        Place(
            name: "the model is ready before the microphone", way: [.modelReady], state: .gettingReady,
            does: always(.gettingReady) + [
                (.recognitionFailed("no ears"), nil, .paused), (.captureFailed("no air"), .finalize, .paused),
                (.captureStarted, nil, .listening), (microphone, nil, .paused),
            ]),
        Place(
            name: "the microphone is on before the model is ready", way: [.captureStarted], state: .gettingReady,
            does: always(.gettingReady) + [
                (.recognitionFailed("no ears"), .pause, .paused), (.captureFailed("no air"), .finalize, .paused),
                (.modelReady, nil, .listening), (microphone, .pause, .paused),
            ]),
        Place(
            name: "listening", way: [.captureStarted, .modelReady], state: .listening,
            does: always(.listening) + [
                (.recognitionFailed("no ears"), .pause, .paused), (.captureFailed("no air"), .finalize, .paused),
                (microphone, .pause, .paused),
            ]),
        Place(
            name: "paused", way: [.captureStarted, .modelReady, microphone], state: .paused,
            does: always(.paused) + [
                (.captureFailed("no air"), .finalize, .paused), (microphone, .resume, .gettingReady),
                (.captureStarted, .pause, .paused),
            ]),
        Place(
            name: "paused before the microphone was on", way: [microphone], state: .paused,
            does: always(.paused) + [
                (.captureFailed("no air"), .finalize, .paused), (microphone, nil, .gettingReady),
                (.captureStarted, .pause, .paused),
            ]),
        Place(
            name: "the microphone failed before the model was ready", way: [.captureFailed("no air")], state: .paused,
            does: always(.paused) + [
                (.captureFailed("no air"), .finalize, .paused), (microphone, .resume, .gettingReady),
                (.captureStarted, .pause, .paused),
            ]),
        Place(
            name: "on again after a pause", way: [.captureStarted, .modelReady, microphone, microphone],
            state: .gettingReady,
            does: always(.gettingReady) + [
                (.recognitionFailed("no ears"), nil, .paused), (.captureFailed("no air"), .finalize, .paused),
                (.captureStarted, nil, .listening), (microphone, nil, .paused),
            ]),
        Place(
            name: "nothing can be recognized", way: [.captureStarted, .recognitionFailed("no ears")], state: .paused,
            does: always(.paused) + [
                (.captureFailed("no air"), .finalize, .paused), (.captureStarted, .pause, .paused),
            ]),
        Place(
            name: "nothing can be recognized, and that is the end of it",
            way: [.captureStarted, .recognitionFailed("no ears"), .speechEnded], state: .paused,
            does: always(.paused).map { ($0.0, $0.1 == .finish ? .keep : $0.1, $0.2) } + [
                (.captureFailed("no air"), .finalize, .paused), (.captureStarted, .pause, .paused),
            ]),
        Place(
            name: "finishing", way: [.captureStarted, .modelReady, enter], state: .finishing,
            does: [
                (.mustEnd, nil, .finishing), (.mustHurry, .hurry, .finishing), (.speechEnded, .keep, .finishing),
            ]),
        Place(
            name: "finishing before anything was ready", way: [.mustEnd], state: .finishing,
            does: [
                (enter, .hurry, .finishing), (key(.control("C")), .hurry, .finishing),
                (key(.control("D")), .hurry, .finishing), (.mustHurry, .hurry, .finishing),
                (.speechEnded, .keep, .finishing),
            ]),
        Place(name: "kept", way: [enter, .speechEnded], state: .finishing, does: []),
        Place(name: "kept in a hurry", way: [enter, again], state: .finishing, does: []),
        Place(name: "discarded", way: [key(.escape), key(.escape)], state: .gettingReady, does: []),
    ]

    @Test("Every event in every state does what it should and no more", arguments: places.indices)
    func everyEventInEveryState(_ index: Int) {
        let place = Self.places[index]
        for event in Self.everyEvent {
            var machine = MemoMachine()
            for event in place.way { _ = machine.handle(event) }
            #expect(machine.state == place.state, "\(place.name)")
            let expected = place.does.first { $0.0 == event }
            let action = machine.handle(event)
            #expect(action == (expected?.1 ?? nil), "\(place.name): \(event)")
            #expect(machine.state == expected?.2 ?? place.state, "\(place.name): \(event)")
        }
        // What stands there and is never tried shows nothing.
        for (event, _, _) in place.does { #expect(Self.everyEvent.contains(event), "\(event)") }
    }

    @Test("Only two Escs within a second, with no key between, discard")
    func escapes() {
        func actions(_ events: [Event]) -> [Action] {
            var machine = MemoMachine()
            return events.compactMap { machine.handle($0) }
        }
        #expect(actions([Self.key(.escape, at: 1), Self.key(.escape, at: 2)]) == [.discard])
        #expect(
            actions([Self.key(.escape, at: 1), .final("word"), .time(1.5), Self.key(.escape, at: 1.9)]) == [.discard])
        #expect(actions([Self.key(.escape, at: 1), Self.key(.escape, at: 2.01)]) == [])
        #expect(actions([Self.key(.escape, at: 1), Self.key(.text("a"), at: 1.1), Self.key(.escape, at: 1.2)]) == [])
        #expect(
            actions([Self.key(.escape, at: 1), Self.key(.escape, at: 5), Self.key(.escape, at: 5.5)]) == [.discard])
        #expect(actions([Self.key(.escape, at: 1), Self.enter, Self.key(.escape, at: 1.2)]) == [.finish])
    }

    @Test("A memo that finishes can be discarded still, but not one that must end")
    func discardAtTheEnd() {
        var machine = MemoMachine()
        machine.pass(.time(100), .volatile("one two"), Self.key(.enter, at: 100), Self.key(.escape, at: 101))
        #expect(machine.notice == "Esc again discards the memo")
        #expect(machine.handle(Self.key(.escape, at: 101.5)) == .discard)
        var forced = MemoMachine()
        forced.pass(.volatile("one two"), .mustEnd, Self.key(.escape, at: 101))
        #expect(forced.handle(Self.key(.escape, at: 101.5)) == nil && forced.handle(.speechEnded) == .keep)
    }

    @Test("F1 shows the keys; F1, Enter, Esc and a character only hide them, every other key does what it does as well")
    func keys() {
        for key in [Key.enter, .escape, .help, .text("a"), .text(" "), .text("한")] {
            var machine = MemoMachine()
            #expect(machine.handle(Self.key(.help)) == nil && machine.showsKeys)
            #expect(
                machine.handle(Self.key(key)) == nil && !machine.showsKeys && machine.notice == nil
                    && machine.state == .gettingReady && machine.text.text == "")
        }
        var machine = MemoMachine()
        #expect(machine.showsHint)
        _ = machine.handle(Self.key(.help))
        #expect(!machine.showsHint)
        // What was pasted or typed ahead is no key that hides.
        _ = machine.handle(Self.key(.text("ab")))
        #expect(!machine.showsKeys && machine.text.text == "ab" && !machine.showsHint)
        machine.pass(Self.key(.help), Self.key(.paste("c")))
        #expect(!machine.showsKeys && machine.text.text == "abc")
        machine.pass(Self.key(.help), Self.key(.deleteToLineStart))
        #expect(!machine.showsKeys && machine.text.text == "")
        #expect(machine.showsHint)
        _ = machine.handle(.volatile("gue"))
        #expect(!machine.showsHint)
        _ = machine.handle(Self.key(.help))
        #expect(machine.handle(Self.key(.control("C"))) == .finish && !machine.showsKeys)
        #expect(machine.handle(Self.key(.help)) == nil && !machine.showsKeys)
    }

    @Test("Ctrl-X Ctrl-U and Ctrl-X u undo, and either key alone does what it does")
    func controlX() {
        for undo in [Key.deleteToLineStart, .text("u")] {
            var machine = MemoMachine()
            for key in [Key.text("one"), .deleteWordBackward, .control("X"), undo] { _ = machine.handle(Self.key(key)) }
            #expect(machine.text.text == "one")
            for key in [Key.control("X"), .left, undo] { _ = machine.handle(Self.key(key)) }
            #expect(machine.text.text == (undo == .text("u") ? "onue" : "e"))
        }
    }

    @Test("What one Esc says is gone when it is no longer so, and hides nothing for good")
    func escapeNotice() {
        var machine = MemoMachine()
        _ = machine.handle(.captureFailed("no air"))
        let notice = machine.notice
        #expect(notice == "can't hear, typing works, Ctrl-P tries at once: no air")
        _ = machine.handle(Self.key(.escape, at: 1))
        #expect(machine.notice == "Esc again discards the memo")
        _ = machine.handle(.time(1.9))
        #expect(machine.notice == "Esc again discards the memo")
        _ = machine.handle(.time(2.1))
        #expect(machine.notice == notice)
        machine.pass(Self.key(.escape, at: 3), Self.key(.text("a"), at: 3.1))
        #expect(machine.notice == notice)
    }

    @Test("Troubles are told together, the offer of the earlier memo first, and each goes when it has passed")
    func notices() {
        var machine = MemoMachine()
        #expect(machine.notice == nil)
        machine.pass(.captureFailed("no air"), .foundAbandoned(time: "14:22"), .recorded(failure: "no room"))
        _ = machine.handle(.warning("mind the step"))
        let offer = "a memo of 14:22 was cut off: Ctrl-R brings it back, Ctrl-T throws it away"
        let deaf = "can't hear, typing works, Ctrl-P tries at once: no air"
        #expect(machine.notice == "\(offer); nothing is safe before Enter: no room; mind the step; \(deaf)")
        _ = machine.handle(.recorded(failure: nil))
        #expect(machine.notice == "\(offer); mind the step; \(deaf)")
        _ = machine.handle(Self.microphone)
        #expect(machine.notice == offer)
        _ = machine.handle(.volatile("hel"))
        #expect(machine.notice == nil)
        _ = machine.handle(.final(""))
        #expect(machine.notice == offer)
        _ = machine.handle(Self.enter)
        #expect(machine.notice == nil)
    }

    @Test("A microphone that comes later takes its trouble away, but not the recognizer's")
    func hearingAgain() {
        var machine = MemoMachine()
        machine.pass(.captureFailed("no air"), Self.microphone, .captureStarted)
        #expect(machine.notice == nil)
        machine.pass(.recognitionFailed("no ears"), .captureFailed("no air"), Self.microphone, .captureStarted)
        #expect(machine.notice == "can't hear, typing works: no ears")
    }

    @Test("The offer of an earlier memo is declined with one key, as long as it is made")
    func declining() {
        var machine = MemoMachine()
        let decline = Self.key(.control("T"))
        #expect(machine.handle(decline) == nil)
        machine.pass(.foundAbandoned(time: "14:22"), Self.key(.text("a")))
        #expect(machine.handle(decline) == nil)
        _ = machine.handle(Self.key(.backspace))
        #expect(machine.handle(decline) == .dropEarlier && machine.notice == nil)
        #expect(machine.handle(decline) == nil && machine.handle(Self.key(.control("R"))) == nil)
        _ = machine.handle(.foundAbandoned(time: "14:30"))
        #expect(machine.notice?.contains("14:30") == true)
    }

    @Test(
        "A microphone that has gone is tried again by itself, and is used when it is there; one that was turned off is not"
    )
    func tryingAgain() {
        var machine = MemoMachine()
        for event in [Event.captureStarted, .modelReady, .time(1), .captureFailed("no air"), .time(10)] {
            #expect(machine.handle(event) != .resume)
        }
        #expect(
            machine.handle(.time(12.9)) == nil && machine.handle(.time(13.1)) == .resume && machine.state == .paused)
        #expect(machine.handle(.time(20)) == nil)
        // In vain: nothing is to be made final, and the next time counts from then.
        #expect(machine.handle(.captureFailed("no air yet")) == nil && machine.notice?.hasSuffix("no air yet") == true)
        #expect(machine.handle(.time(21)) == nil && machine.handle(.time(24.1)) == .resume)
        // Who presses the key meanwhile waits for that try.
        #expect(machine.handle(Self.microphone) == nil && machine.state == .gettingReady)
        _ = machine.handle(.captureFailed("no air"))
        #expect(machine.state == .paused && machine.handle(.time(30)) == nil && machine.handle(.time(33)) == .resume)
        #expect(machine.handle(.captureStarted) == nil && machine.state == .listening && machine.notice == nil)
        #expect(machine.handle(.time(40)) == nil && machine.handle(Self.microphone) == .pause)
        _ = machine.handle(.time(50))
        #expect(machine.handle(.time(60)) == nil)
        // Nor where nothing could be recognized, or the memo ends.
        for end in [Event.recognitionFailed("no ears"), Self.enter] {
            machine = MemoMachine()
            machine.pass(.captureFailed("no air"), .time(1), end)
            #expect(machine.handle(.time(10)) == nil)
        }
    }

    @Test("A microphone that is turned off while it is tried again stays off, whether it comes or not")
    func offWhileTrying() {
        for comes in [true, false] {
            var machine = MemoMachine()
            machine.pass(.captureStarted, .modelReady, .captureFailed("no air"), .time(1))
            #expect(machine.handle(.time(5)) == .resume)
            // On, which waits for that try, and off.
            #expect(machine.handle(Self.microphone) == nil && machine.state == .gettingReady)
            #expect(machine.handle(Self.microphone) == nil && machine.state == .paused)
            #expect(machine.handle(comes ? .captureStarted : .captureFailed("no air")) == (comes ? .pause : .finalize))
            #expect(machine.state == .paused && !machine.usesMicrophone)
            for time in stride(from: 6.0, to: 30, by: 1) { #expect(machine.handle(.time(time)) == nil) }
            #expect(machine.handle(Self.microphone) == .resume)
        }
    }

    // MARK: An Enter that fails

    @Test(
        "After an Enter that failed the memo hears again, and the next keeps what was typed and said before and after it"
    )
    func hearingAfterFailure() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .final("One."), Self.enter)
        #expect(machine.handle(.speechEnded) == .keep)
        #expect(machine.handle(.keepFailed("no room")) == .hearAgain(isOn: true))
        #expect(machine.state == .failed && machine.status == "failed" && machine.usesMicrophone)
        machine.pass(.captureStarted, .modelReady)
        #expect(machine.status == "failed, listening")
        #expect(machine.notice?.hasPrefix("Enter tries again") == true && machine.notice?.hasSuffix("no room") == true)
        machine.pass(Self.key(.text(" two")), .volatile("thr"))
        #expect(machine.status == "failed, hearing you")
        #expect(machine.handle(Self.enter) == .finish && machine.state == .finishing)
        _ = machine.handle(.final("Three."))
        #expect(machine.handle(.speechEnded) == .keep && machine.text.text == "One. two Three.")
        // In a file of its own, too, it has its last words.
        #expect(machine.handle(.keepFailed("no room")) == .hearAgain(isOn: true))
        machine.pass(.captureStarted, .modelReady, .volatile("four"))
        #expect(machine.handle(Self.key(.control("O"))) == .finish)
        #expect(machine.handle(.speechEnded) == .keep && machine.keepsElsewhere)
        #expect(machine.text.text == "One. two Three. four")
        #expect(machine.handle(.keepFailed("no room")) == .hearAgain(isOn: true) && !machine.keepsElsewhere)
        // What is left on the screen has the guess as well.
        machine.pass(.captureStarted, .microphoneTrouble(CaptureWatch.silence), .volatile("five"))
        #expect(machine.notice?.hasSuffix("no room; \(CaptureWatch.silence)") == true)
        #expect(machine.handle(Self.key(.control("C"))) == .leave && machine.text.text == "One. two Three. four five")
    }

    @Test("A microphone that was off before an Enter that failed stays off, until it is turned on")
    func offAfterFailure() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, Self.key(.text("one")), Self.microphone, .captureEnded, Self.enter)
        #expect(machine.handle(.speechEnded) == .keep)
        #expect(machine.handle(.keepFailed("no room")) == .hearAgain(isOn: false))
        machine.pass(.modelReady, .time(1), .time(10))
        #expect(!machine.usesMicrophone && machine.status == "failed")
        #expect(machine.handle(Self.microphone) == .resume)
        // Where nothing can be recognized, there is nothing to turn on.
        machine = MemoMachine()
        machine.pass(.captureStarted, .recognitionFailed("no ears"), .speechEnded, Self.key(.text("one")))
        #expect(machine.handle(Self.enter) == .keep && machine.handle(.keepFailed("no room")) == nil)
        #expect(machine.handle(Self.enter) == .keep)
    }

    @Test("A final that comes after the guess was kept in a hurry, in vain, does not double its words")
    func lateFinal() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .time(1), .volatile("one two"), Self.key(.enter, at: 2))
        #expect(machine.handle(Self.again) == .hurry && machine.text.text == "one two")
        var deaf = MemoMachine()
        deaf.pass(.final("One."), .recognitionFailed("no ears"), .speechEnded, .final("One."))
        #expect(deaf.text.text == "One.")
    }

    // MARK: Warnings and losses

    @Test(
        "Three warnings are shown; another waits until the oldest was there for a while, and none is told twice at once"
    )
    func warnings() {
        var machine = MemoMachine()
        machine.pass(.warning("one"), .warning("two"), .warning("one"), .warning("three"), .time(100))
        #expect(machine.notice == "one; two; three")
        for time in [101.0, 150, 200] { _ = machine.handle(.time(time)) }
        #expect(machine.notice == "one; two; three")
        machine.pass(.warning("four"), .warning("five"), .time(201), .time(210))
        #expect(machine.notice == "one; two; three")
        _ = machine.handle(.time(211))
        #expect(machine.notice == "two; three; four")
        machine.pass(.time(220))
        #expect(machine.notice == "two; three; four")
        machine.pass(.time(221), .time(300))
        #expect(machine.notice == "three; four; five")
        // A key that dismisses them dismisses what is shown.
        _ = machine.handle(.warning("six"))
        machine.pass(Self.key(.escape, at: 301), Self.key(.left, at: 301.1))
        #expect(machine.notice == "six")
    }

    @Test("Each loss is told while the memo is open, and noted once for the last line")
    func losses() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .loss("only the notes"), .warning("mind"), .loss("only the notes"))
        machine.pass(.soundLost(["0.1 s lost"]), .soundLost(["0.2 s lost"]))
        #expect(machine.notice == "only the notes; mind; 0.2 s lost")
        #expect(machine.losses == ["only the notes"])
        // One that was there and went is a loss, one that never came or is turned off is none.
        machine.pass(.captureFailed("no air"), .time(1), .time(5), .captureStarted, .captureFailed("no air"))
        #expect(machine.losses == ["only the notes", "the microphone was gone for a time"])
        for events in [
            [.captureFailed("no air")], [.captureStarted, Self.microphone, .captureFailed("no air")],
            [.captureStarted, Self.enter, .captureFailed("no air")],
        ] as [[Event]] {
            machine = MemoMachine()
            for event in events { _ = machine.handle(event) }
            #expect(machine.losses == [])
        }
    }

    @Test("It knows why no sound was heard at all, and is silent about it where a word is known of")
    func unheard() {
        let failure = Event.captureFailed("no air", .tempFail)
        for (events, isUnheard) in [
            ([failure], true), ([failure, .time(1), .time(5), failure, Self.enter], true),
            ([failure, Self.enter, Self.again], true), ([], false), ([.captureStarted, failure], false),
            ([failure, .time(1), .time(5), .captureStarted], false), ([failure, .restored("old")], false),
            ([failure, .recognitionFailed("no ears")], false),
        ] as [([Event], Bool)] {
            var machine = MemoMachine()
            for event in events { _ = machine.handle(event) }
            #expect((machine.unheard?.message == "no air") == isUnheard, "\(events)")
            #expect((machine.unheard?.exitCode == .tempFail) == isUnheard, "\(events)")
        }
    }

    @Test("A microphone that comes back when nothing can be recognized any more is turned off again")
    func backInVain() {
        var machine = MemoMachine()
        machine.pass(.modelReady, .captureStarted, .captureFailed("no air"), .time(20))
        #expect(machine.handle(.time(24)) == .resume)
        #expect(machine.handle(.recognitionFailed("no ears")) == nil && machine.state == .paused)
        #expect(machine.handle(.captureStarted) == .pause && machine.state == .paused)
    }

    @Test("Silence and what waits are told; the one as long as it lasts and is listened to")
    func silence() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .microphoneTrouble(CaptureWatch.silence))
        #expect(machine.notice == "hears only silence: is it muted?")
        _ = machine.handle(.waits("2 memos wait for you: utter outbox"))
        #expect(machine.notice == "2 memos wait for you: utter outbox; hears only silence: is it muted?")
        _ = machine.handle(Self.microphone)
        #expect(machine.notice == "2 memos wait for you: utter outbox")
        machine.pass(Self.microphone, .captureStarted, .microphoneTrouble(nil))
        #expect(machine.notice == "2 memos wait for you: utter outbox")
    }

    @Test("Who erases behind the guess hears that it is not final yet, up to the next key or until it is")
    func erasing() {
        let hint = "what is dim can be erased once it is final"
        for next in [Self.key(.text("a")), .final("one")] {
            var machine = MemoMachine()
            machine.pass(.volatile("one"), Self.key(.text("b")))
            #expect(machine.notice == nil)
            machine.pass(Self.key(.backspace), Self.key(.backspace))
            #expect(machine.notice == hint && machine.text.text == "")
            machine.pass(next)
            #expect(machine.notice == nil)
        }
    }

    @Test("The earlier memo comes back into an empty one only")
    func restoring() {
        var machine = MemoMachine()
        #expect(machine.handle(Self.key(.control("R"))) == nil)
        machine.pass(.foundAbandoned(time: "14:22"), Self.key(.text("a")))
        #expect(machine.handle(Self.key(.control("R"))) == nil)
        #expect(machine.notice == "the memo that was cut off waits: keep this one first")
        machine.pass(Self.key(.backspace), .volatile("hel"))
        #expect(machine.handle(Self.key(.control("R"))) == nil)
        _ = machine.handle(.final(""))
        #expect(machine.handle(Self.key(.control("R"))) == .restore)
        var other = machine
        _ = other.handle(.restored("what was typed", mayHaveGuess: false))
        #expect(other.text.text == "what was typed" && other.notice == nil)
        _ = machine.handle(.restored("what was said", mayHaveGuess: true))
        #expect(machine.text.text == "what was said" && machine.notice == "what was said last may be a guess")
        #expect(machine.handle(Self.key(.control("R"))) == nil)
        _ = machine.handle(.final("and more"))
        #expect(machine.text.text == "what was said and more")
    }

    @Test("Finals replace the guess one after another, also after Enter; a second Enter keeps the guess that is shown")
    func finals() {
        for (ends, text) in [
            ([Self.enter, .final("One."), .final("Two."), .speechEnded], "zero One. Two."),
            ([Self.enter, .final("One."), .volatile("two"), Self.again], "zero One. two"),
            ([.final("One."), .volatile("two"), Self.enter, .undecided(1), Self.again], "zero One. two"),
            ([Self.enter, Self.again], "zero one two"),
            ([Self.key(.text("!")), .final("One."), .volatile("two"), Self.enter, .speechEnded], "zero One two!"),
            ([Self.enter, .final(""), .speechEnded], "zero"),
        ] {
            var machine = MemoMachine()
            machine.pass(.final("zero"), .volatile("one two"))
            let last = ends.map { machine.handle($0) }.last ?? nil
            #expect(last == .keep || last == .hurry)
            // It was on its way.
            _ = machine.handle(.final("Two."))
            #expect(machine.text.text == text && machine.text.guess.isEmpty)
        }
    }

    @Test("Results that follow at once go on where the guess was; after a pause, before Enter, speech is at the cursor")
    func speechPause() {
        for (events, text) in [
            ([.volatile("two")], "| zero One. two"), ([.final("Two.")], "| zero One. Two."),
            ([.time(1), .time(1.4), .volatile("two")], "| zero One. two"),
            ([.time(1), .time(1.4), .volatile(""), .time(1.5), .time(1.9), .volatile("two")], "| zero One. two"),
            ([.time(1), .time(1.5), .volatile("two")], "| two zero One."),
            ([.volatile("two"), .time(1), .time(5), .final("Two.")], "| zero One. Two."),
            ([Self.key(.right), .volatile("two")], "| two zero One."),
            ([Self.enter, .time(1), .time(5), .final("Two.")], "| zero One. Two."),
        ] as [([Event], String)] {
            var machine = MemoMachine()
            machine.pass(.final("| zero"), .volatile("one two"), Self.key(.lineStart), Self.key(.right))
            for event in [.final("One.")] + events { _ = machine.handle(event) }
            #expect(machine.text.textWithGuess == text, "\(events)")
        }
    }

    @Test("The memo says that it hears while there is a guess, or the level is like that of speech")
    func hearing() {
        var machine = MemoMachine()
        _ = machine.handle(.loud)
        #expect(machine.status == "getting ready")
        machine.pass(.captureStarted, .modelReady, .time(10))
        #expect(machine.status == "listening")
        _ = machine.handle(.loud)
        #expect(machine.status == "hearing you" && machine.state == .listening)
        _ = machine.handle(.time(10.9))
        #expect(machine.status == "hearing you")
        _ = machine.handle(.time(11.1))
        #expect(machine.status == "listening")
        _ = machine.handle(.volatile("gue"))
        #expect(machine.status == "hearing you")
        _ = machine.handle(.time(60))
        #expect(machine.status == "hearing you")
        // The guess waits for its final.
        _ = machine.handle(.microphoneTrouble(CaptureWatch.silence))
        #expect(machine.status == "listening" && machine.notice == CaptureWatch.silence)
        _ = machine.handle(.microphoneTrouble(nil))
        #expect(machine.status == "hearing you")
        machine.pass(.undecided(2), .final("guess"))
        #expect(machine.status == "listening, text to come")
        _ = machine.handle(.undecided(0))
        #expect(machine.status == "listening")
        machine.pass(.loud, Self.microphone)
        #expect(machine.status == "paused")
        machine.pass(Self.microphone, .captureFailed("no air"))
        #expect(machine.status == "no microphone" && machine.state == .paused)
        #expect([-62, -47, -45, -20].map { LiveLevel(peak: 0, rms: $0).isLikeSpeech } == [false, false, true, true])
        #expect(!LiveLevel(peak: -.infinity, rms: -.infinity).isLikeSpeech)
    }

    @Test("What is typed while speech is not decided stands behind it, also before there is a guess")
    func typedBeforeGuess() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .undecided(1), Self.key(.text("x"), at: 1), .final("One."))
        #expect(machine.text.text == "One. x")
        machine.pass(.undecided(0), Self.key(.text("y"), at: 2), .undecided(1), .final("Two."))
        #expect(machine.text.text == "One. xy Two.")
    }

    @Test("A finishing memo shows at once how many utterances are not decided, and later how not to wait for them")
    func counting() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .time(1), .volatile("one two"), Self.key(.enter, at: 2))
        #expect(machine.status == "finishing" && machine.notice == nil)
        _ = machine.handle(.undecided(2))
        #expect(machine.status == "finishing: 2 utterances" && machine.notice == nil)
        for time in [2, 3.9] { _ = machine.handle(.time(time)) }
        #expect(machine.notice == nil)
        machine.pass(.final("One."), .volatile("two"), .undecided(1), .time(4.1))
        #expect(machine.status == "finishing: 1 utterance" && machine.notice == "Enter again keeps what is here")
        var hurried = machine
        #expect(hurried.handle(Self.again) == .hurry && hurried.text.text == "One. two")
        _ = machine.handle(.undecided(0))
        #expect(machine.status == "finishing")
        #expect(machine.notice == "the recognizer takes long: Enter again keeps what is here")
    }

    @Test("A finishing memo without text says that Enter keeps none, and whether the sound stays")
    func nothingToKeep() {
        for (savesSound, kept) in [(false, "nothing"), (true, "the sound alone")] {
            var machine = MemoMachine()
            machine.savesSound = savesSound
            machine.pass(.captureStarted, .modelReady, .time(1), .undecided(1), Self.key(.enter, at: 2), .time(4.1))
            #expect(machine.notice == "Enter again keeps \(kept): there is no text yet")
            _ = machine.handle(.undecided(0))
            #expect(machine.notice == "the recognizer takes long: Enter again keeps \(kept): there is no text yet")
            _ = machine.handle(.volatile("one"))
            #expect(machine.notice == "the recognizer takes long: Enter again keeps what is here")
        }
    }

    @Test("What is typed while a memo finishes is in it, beside what was said before")
    func typingAtTheEnd() {
        var machine = MemoMachine()
        machine.pass(.captureStarted, .modelReady, .time(1), .final("One."), .volatile("two"), Self.key(.enter, at: 2))
        machine.pass(Self.key(.text("!"), at: 2.1), .final("Two."), Self.key(.text("?"), at: 2.2))
        machine.pass(Self.key(.backspace, at: 2.3), Self.key(.escape, at: 2.4), Self.key(.escape, at: 3.5))
        #expect(machine.state == .finishing && machine.handle(.speechEnded) == .keep)
        #expect(machine.text.text == "One. Two!")
        _ = machine.handle(Self.key(.text("late"), at: 4))
        #expect(machine.text.text == "One. Two!", "it is kept already")
    }

    @Test(
        "A word that is typed behind the key of the end begins a line, unless another key has gone to its place before")
    func wordBehindTheEnd() {
        func kept(_ keys: Key...) -> String {
            var machine = MemoMachine()
            machine.pass(.captureStarted, .modelReady, .time(1), Self.key(.text("call Ada"), at: 1))
            machine.pass(Self.key(.enter, at: 2))
            for key in keys { machine.pass(Self.key(key, at: 2.1)) }
            return machine.text.text
        }
        #expect(kept(.text("buy"), .text(" milk")) == "call Ada\nbuy milk")
        #expect(kept(.text(" now")) == "call Ada now" && kept(.text("!")) == "call Ada!")
        #expect(kept(.backspace, .text("am")) == "call Adam")
        #expect(kept(.enter) == "call Ada")
    }

    @Test("A double press of the key that ends a memo ends it once, and waits for what was said")
    func doublePress() {
        for key in [Key.enter, .control("C"), .control("D")] {
            var machine = MemoMachine()
            machine.pass(.time(100), .volatile("one two"), Self.key(key, at: 100))
            #expect(machine.handle(Self.key(key, at: 100.2)) == nil && machine.handle(Self.key(key, at: 100.9)) == nil)
            var hurried = machine
            #expect(hurried.handle(Self.key(key, at: 101)) == .hurry && hurried.speech == .unawaited)
            _ = machine.handle(.final("One, two."))
            #expect(machine.handle(.speechEnded) == .keep && machine.text.text == "One, two.")
        }
    }

    // MARK: Whatever happens

    /// A microphone that does as it is told, one thing after another, some time later.
    private struct Orders {
        var waiting: [Action] = []
        var isOn = false

        /// Carries out the next; what comes of it.
        mutating func next(using random: inout SplitMix64) -> Event? {
            guard !waiting.isEmpty else { return nil }
            switch waiting.removeFirst() {
            case .resume:
                #expect(!isOn)
                isOn = Int.random(in: 0..<4, using: &random) > 0
                return isOn ? .captureStarted : .captureFailed("no air")
            case .pause, .finish:
                defer { isOn = false }
                return isOn ? .captureEnded : nil
            default: return nil
            }
        }
    }

    @Test("In 10,000 random sessions a memo ends once and as it should, loses nothing, and shows whether it hears")
    func anything() {
        var random = SplitMix64(for: "random memos")
        var discarded = 0
        var kept = 0
        var sought = 0
        for _ in 0..<10_000 {
            var machine = MemoMachine()
            // As the command begins.
            var orders = Orders(waiting: [.resume])
            var (time, tokenCount, lastEscape) = (0.0, 0 as UInt32, nil as Double?)
            var (hasEnded, isForced, hasSpeechEnded, canRecognize) = (false, false, false, true)
            var tokens: [String] = []
            // What was said and has no final, and what of it is the guess.
            var (said, guess): ([String], [String]) = ([], [])
            var outcome: [Action] = []
            func token() -> String {
                tokenCount += 1
                // One character each, that no cursor can stand in.
                return String(Unicode.Scalar(0xAC00 + tokenCount)!)
            }
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                time += [0, 0.1, 0.3, 0.6, 2].randomElement(using: &random)!
                var event: Event
                switch Int.random(in: 0..<26, using: &random) {
                case 0:
                    event = Self.key([.enter, .control("C"), .control("D")].randomElement(using: &random)!, at: time)
                case 1: event = .mustEnd
                case 2...4: event = Self.key(.escape, at: time)
                case 5...7: event = Self.key(.text(token()), at: time)
                case 8: event = Self.key(.newLine, at: time)
                case 9:
                    event = Self.key(
                        [.left, .lineStart, .wordLeft, .lineEnd, .up].randomElement(using: &random)!, at: time)
                case 10...12: event = Self.key(.control("P"), at: time)
                case 13...14 where !hasSpeechEnded:
                    // Recognized again, speech keeps its words.
                    if said.isEmpty || Bool.random(using: &random) { said.append(token()) }
                    event = .volatile(said.joined(separator: " "))
                case 15 where !hasSpeechEnded, 24...25 where !hasSpeechEnded:
                    event = .final(said.isEmpty ? token() : said.removeFirst())
                case 16 where !hasSpeechEnded:
                    said = []
                    event = .final("")
                case 17: event = .modelReady
                case 18: event = .time(time)
                case 19 where hasEnded || !canRecognize: event = .speechEnded
                case 20 where Int.random(in: 0..<8, using: &random) == 0: event = .recognitionFailed("no ears")
                case 21 where orders.isOn && orders.waiting.isEmpty && Int.random(in: 0..<4, using: &random) == 0:
                    // Torn out.
                    orders.isOn = false
                    event = .captureFailed("no air")
                default:
                    guard let next = orders.next(using: &random) else { continue }
                    event = next
                }
                let isOver = !outcome.isEmpty
                let wasFinishing = machine.state == .finishing
                let action = machine.handle(event)
                if isOver {
                    #expect(action == nil)
                    continue
                }
                switch event {
                case .key(.escape, _, _) where !isForced:
                    let isSecond = lastEscape.map { time - $0 <= 1 } == true
                    #expect((action == .discard) == isSecond)
                    lastEscape = isSecond ? nil : time
                case .key(let key, _, _):
                    lastEscape = nil
                    if case .text(let typed) = key, !wasFinishing { tokens.append(typed) }
                    if [.enter, .control("C"), .control("D")].contains(key) { hasEnded = true }
                case .time(let now): if lastEscape.map({ now - $0 > 1 }) == true { lastEscape = nil }
                case .volatile: guess = said
                case .final(let words):
                    if !words.isEmpty { tokens.append(words) }
                    guess = []
                case .mustEnd: (hasEnded, isForced) = (true, true)
                case .recognitionFailed: canRecognize = false
                case .speechEnded:
                    hasSpeechEnded = true
                    tokens += guess
                    (said, guess) = ([], [])
                default: break
                }
                switch action {
                case .keep, .discard: outcome.append(action!)
                case .hurry:
                    hasSpeechEnded = true
                    tokens += guess
                    (said, guess) = ([], [])
                    outcome.append(.keep)
                case .pause, .resume, .finish: orders.waiting.append(action!)
                default: break
                }
                #expect(action != .discard || !isForced)
                #expect((outcome == [.keep]) == (hasEnded && hasSpeechEnded && outcome != [.discard]))
            }
            for token in tokens where outcome != [.discard] {
                sought += 1
                #expect(
                    machine.text.text.components(separatedBy: token).count == 2, "\(token) in \(machine.text.text)")
            }
            // Once the microphone has done all it was told, it is on exactly when the memo shows that it is.
            while !orders.waiting.isEmpty {
                guard let event = orders.next(using: &random), let action = machine.handle(event) else { continue }
                if [.pause, .resume, .finish].contains(action) { orders.waiting.append(action) }
            }
            if machine.state != .finishing, outcome.isEmpty { #expect(orders.isOn == (machine.state != .paused)) }
            if hasEnded, outcome.isEmpty { outcome = [machine.handle(.speechEnded)].compactMap { $0 } }
            if hasEnded { #expect(outcome.count == 1) }
            kept += outcome == [.keep] ? 1 : 0
            discarded += outcome == [.discard] ? 1 : 0
        }
        #expect(kept > 1000 && discarded > 500 && sought > 1000)
    }
}

extension MemoMachine {
    /// Handles events whose actions do not matter.
    fileprivate mutating func pass(_ events: Event...) { for event in events { _ = handle(event) } }
}
