import Glibc
import System

/// Pastes text into the window that has the focus on X11: puts it into the clipboard and the primary selection, presses Shift-Insert, which
/// terminals and text fields take, waits until the window has asked for the text, and puts back what was there. xclip(1), xdotool(1)
struct ClipboardPaste {
    let session: WindowSession

    /// So long may a window take to ask for the text.
    private static let patience = Duration.seconds(5)
    /// After so long without another request the window has the text: first it asks for the forms that there are.
    private static let quiet = Duration.milliseconds(200)

    /// Pastes a text.
    ///
    /// - Parameter window: the window that must have the focus; nil for any.
    func paste(_ text: String, into window: String?) async -> Typist.Outcome {
        var earlier: [SelectionContent] = []
        for name in SelectionOffer.names { earlier.append(await SelectionContent(of: name, session)) }
        let outcome = await offer(text, window)
        // A window that asks later must get the text, not what was there before; so it stays in the clipboard.
        if case .partly = outcome {
            for name in SelectionOffer.names { await SelectionContent(text, of: name)?.putBack(session) }
        } else {
            for content in earlier { await content.putBack(session) }
        }
        return outcome
    }

    private func offer(_ text: String, _ window: String?) async -> Typist.Outcome {
        let offer: SelectionOffer
        do throws(FileError) {
            offer = try SelectionOffer(text, session)
        } catch {
            return .nothing("xclip can't be started: \(error.errno.systemErrorText)")
        }
        // A program that keeps the clipboard's history asks at once, and is not the window.
        await offer.wait(forRequestAfter: nil, quiet: Self.quiet, atMost: .seconds(1))
        if offer.isTaken { return .nothing("another program has taken the clipboard") }
        if let window, await session.focusedWindow() != window { return .nothing(Typist.otherWindow) }
        let count = offer.requestCount
        let pressed = await session.run("xdotool", Typist.withoutModifiers + ["key", "shift+Insert"])
        guard pressed.end == .exited(0) else { return .partly("xdotool could not press Shift-Insert") }
        await offer.wait(forRequestAfter: count, quiet: Self.quiet, atMost: Self.patience)
        if offer.requestCount > count, !offer.isTaken { return .typed }
        return .partly("the window has taken nothing from the clipboard, where the text is now")
    }
}
