import Foundation
import Glibc
import Outbox
import TestSupport
import Testing

@testable import utter

@Suite("What killed commands leave")
struct LitterTests {
    private let sandbox = Sandbox()
    private let names = [".utter-new-1x", ".utter-new-2y", ".utter-new-no one's", ".new-3z", ".new-my text"]

    /// Puts files of these names into a folder, and locks the second, as its writer does.
    ///
    /// - Returns: the descriptor that holds the lock.
    private func litter(_ folder: String) throws -> Int32 {
        try FileManager.default.createDirectory(
            atPath: sandbox.file(folder), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in names { sandbox.put([1], in: "\(folder)/\(name)") }
        let descriptor = open(sandbox.file("\(folder)/\(names[1])"), O_RDONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        return descriptor
    }

    @Test("in the configuration's folder is swept by the next change, but nothing of a running command's or the user's")
    func configuration() throws {
        let environment = ["XDG_CONFIG_HOME": sandbox.file("config")]
        let lock = try litter("config/utter")
        defer { close(lock) }
        try ConfigurationFile(environment).change { $0["device"] = .string("hw:1") }
        // This folder may be one in which the user keeps other things, so only names count that nobody else gives.
        #expect(
            Set(sandbox.names(in: "config/utter"))
                == Set(names.dropFirst() + ["config.json"]))
    }

    @Test("in the folder of the journals is swept by the next memo")
    func journals() throws {
        let lock = try litter("state/utter/memos")
        defer { close(lock) }
        _ = try MemoJournal.abandoned(in: sandbox.file("state/utter/memos"))
        #expect(Set(sandbox.names(in: "state/utter/memos")) == [names[1], names[2], names[4]])
    }

    @Test("in a folder of notes is swept when the folder is prepared")
    func notes() throws {
        let lock = try litter("notes")
        defer { close(lock) }
        try MarkdownVault(.named(sandbox.file("notes"))).prepare()
        #expect(Set(sandbox.names(in: "notes")) == Set(names.dropFirst()))
    }
}
