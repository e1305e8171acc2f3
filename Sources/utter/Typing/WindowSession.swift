import Foundation
import Outbox
import System

/// The graphical session whose windows are typed into.
struct WindowSession: Equatable, Sendable {
    /// The variables that say where the session is. The process that serves may have been started outside of it.
    let environment: [String: String]

    /// The names of the variables that programs of the session need.
    static let names = [
        "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "SWAYSOCK", "XDG_CURRENT_DESKTOP",
        "YDOTOOL_SOCKET",
    ]

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment.filter { Self.names.contains($0.key) && !$0.value.isEmpty }
    }

    var isWayland: Bool { environment["WAYLAND_DISPLAY"] != nil }
    var isX11: Bool { !isWayland && environment["DISPLAY"] != nil }

    /// Whether it says which window has the focus.
    var tellsWindows: Bool { isX11 || environment["SWAYSOCK"] != nil }

    /// The window that has the keyboard's focus, with its display, for windows of two displays may have one number; nil where the
    /// session does not say. xdotool(1), swaymsg(1)
    func focusedWindow() async -> String? {
        if isX11 {
            return await x11Window().map { "window \($0) of \(environment["DISPLAY"] ?? "")" }
        }
        guard let socket = environment["SWAYSOCK"],
            let tree = await output(of: "swaymsg", ["--raw", "--type", "get_tree"]),
            let json = try? JSONParser.parse(Array(tree.utf8)), let id = Self.focused(in: json)
        else { return nil }
        return "window \(id) of \(socket)"
    }

    /// The window that the window manager calls active, or the one with the focus where there is no window manager. On an empty workspace
    /// the manager's own window has the focus, and no window is active.
    private func x11Window() async -> String? {
        let active = await run("xdotool", ["getactivewindow"], limit: .seconds(1))
        let text = Self.trimmed(active.output)
        if active.end == .exited(0) { return text.isEmpty || text == "0" ? nil : text }
        if !Self.trimmed(active.errors).contains("claims not to support") { return nil }
        return await output(of: "xdotool", ["getwindowfocus"])
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The focused window of a session that says which it is.
    ///
    /// - Throws: `CommandError` when the session does not answer.
    func window() async throws(CommandError) -> String? {
        let window = await focusedWindow()
        if window == nil, tellsWindows {
            let place = environment[isX11 ? "DISPLAY" : "SWAYSOCK"] ?? ""
            throw CommandError("no window of \(place) has the focus, or \(place) can't be reached", .unavailable)
        }
        return window
    }

    /// The id of the focused node of a tree of sway's. sway-ipc(7)
    static func focused(in node: JSONValue) -> Int? {
        guard let node = node.object else { return nil }
        if node["focused"]?.bool == true { return node["id"]?.integer }
        for name in ["nodes", "floating_nodes"] {
            guard case .array(let children) = node[name] else { continue }
            for child in children { if let id = focused(in: child) { return id } }
        }
        return nil
    }

    /// Releases the keys that a killed xdotool may have left pressed: X repeats a key that is down, a text that needs it again lacks its
    /// character, and Shift would change all that the user types.
    func releaseKeys() async {
        guard isX11 else { return }
        // The codes of Shift, AltGr and Insert, and of the keys that have characters. X keycodes are those of Linux and 8.
        let codes = [50, 62, 118, 108, 65, 94] + Array(10...61)
        let session = self
        // Also when the process is about to end.
        _ = await Task.detached {
            await session.run("xdotool", ["keyup", "--delay", "0"] + codes.map { String($0) })
        }.value
    }

    /// Runs a program of the session for a moment. In another locale than one of UTF-8, wtype ends before the first letter that is not ASCII, with
    /// exit status 0, and xdotool types nothing.
    func run(
        _ program: String, _ arguments: [String], input: String = "", limit: Duration = .seconds(5)
    ) async -> BoundedProgram.Finished {
        await BoundedProgram(
            program, arguments, environment: environment.merging(["LC_ALL": "C.UTF-8"]) { $1 },
            input: Array(input.utf8), timeLimit: limit
        ).run()
    }

    /// What a program writes, without the spaces around it; nil when the program fails or writes nothing.
    func output(of program: String, _ arguments: [String]) async -> String? {
        let finished = await run(program, arguments, limit: .seconds(1))
        guard finished.end == .exited(0) else { return nil }
        let text = Self.trimmed(finished.output)
        return text.isEmpty ? nil : text
    }
}
