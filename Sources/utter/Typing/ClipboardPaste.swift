import Glibc
import System

/// Pastes text into the window that has the focus: puts it into both selections, presses Shift-Insert, which terminals and text fields
/// take, waits until the window has asked for the text, and puts back what was there.
struct ClipboardPaste {
    let session: WindowSession
    /// What presses keys where xdotool can't; nil for xdotool.
    let keys: UinputKeys?

    /// So long may a window take to ask for the text.
    private static let patience = Duration.seconds(5)

    /// Pastes a text.
    ///
    /// - Parameter window: the window that must have the focus; nil for any.
    func paste(_ text: String, into window: String?) async -> Typist.Outcome {
        var earlier: [SelectionContent] = []
        for name in ClipboardProgram.selections { earlier.append(await SelectionContent(of: name, session)) }
        let offer: any TextOffer
        do throws(FileError) {
            offer = session.isWayland ? WaylandOffer(text, session) : try X11Offer(text, session)
        } catch {
            return .nothing("xclip can't be started: \(error.errno.systemErrorText)")
        }
        let outcome = await paste(offer, window)
        // What somebody has copied meanwhile stays.
        for content in earlier where !offer.isTaken(content.selection) {
            // A window that asks later must get the text, not what was there before; so it stays in the clipboard.
            if case .partly = outcome {
                await SelectionContent(text, of: content.selection)?.putBack(session)
            } else {
                await content.putBack(session)
            }
        }
        return outcome
    }

    private func paste(_ offer: any TextOffer, _ window: String?) async -> Typist.Outcome {
        if let reason = await offer.settle() { return .nothing(reason) }
        if let window, await session.focusedWindow() != window { return .nothing(Typist.otherWindow) }
        let pressed = await press()
        if pressed != .typed { return pressed }
        if await offer.isAskedFor(within: Self.patience) { return .typed }
        return .partly(
            offer.isTaken(ClipboardProgram.selections[0])
                ? "another program has taken the clipboard"
                : "the window has taken nothing from the clipboard, where the text is now")
    }

    /// Presses Shift-Insert.
    private func press() async -> Typist.Outcome {
        if let keys { return await keys.press(.shiftInsert) }
        let pressed = await session.run("xdotool", Typist.withoutModifiers + ["key", "shift+Insert"])
        if pressed.end == .exited(0) { return .typed }
        await session.releaseKeys()
        return .partly("xdotool could not press Shift-Insert")
    }
}
