import Foundation
import Glibc
import Outbox
import Testing

@testable import utter

@Suite("The remedy for a folder")
struct SurroundingsFoldersTests {
    private let mend = Surroundings(environment: [:], isRoot: false)
    private let alternative = Finding.Step.act("or another")

    private func steps(_ errno: Int32, _ path: String) -> [Finding.Step] {
        mend.steps(for: OutboxError("open the folder", path: path, errno: errno), alternative: alternative)
    }

    @Test("is room on a full disk, and another place where the disk is read-only or damaged")
    func disks() {
        for code in [ENOSPC, EDQUOT] { #expect(steps(code, "/x") == [.act("make room on its disk"), alternative]) }
        for code in [EROFS, EIO, EMFILE] { #expect(steps(code, "/x") == [alternative]) }
        #expect(mend.steps(for: OutboxError("write", path: "/x", errno: EIO)) == [])
    }

    @Test("is the owner's permission, or root's for another user's folder")
    func permissions() throws {
        let sandbox = Sandbox()
        #expect(
            steps(EACCES, sandbox.file("home/a b/c")) == [.run("chmod u+rwx \(sandbox.file("home"))"), alternative])
        let file = sandbox.put([], in: "home/it's")
        #expect(steps(EACCES, file) == [.run("chmod u+rw \(ShellWord.quoted(file))"), alternative])
        // As root the test can give a folder to another user; otherwise `/` is another user's.
        let foreign = geteuid() == 0 ? sandbox.file("empty") : "/"
        if geteuid() == 0 { #expect(chown(foreign, 65_534, 65_534) == 0) }
        #expect(steps(EACCES, foreign) == [.run("sudo chown \"$(id -un)\" \(foreign)"), alternative])
        let asRoot = Surroundings(environment: [:], isRoot: true)
        #expect(
            asRoot.steps(for: OutboxError("open", path: foreign, errno: EPERM)) == [
                .run("chown \"$(id -un)\" \(foreign)")
            ])
    }

    @Test("never overwrites what was moved away before")
    func names() throws {
        let sandbox = Sandbox()
        let path = sandbox.put([], in: "notes")
        #expect(
            steps(ENOENT, sandbox.file("empty/a/b")) == [.run("mkdir -p \(sandbox.file("empty/a/b"))"), alternative])
        #expect(
            steps(ENOTDIR, path + "/a/b") == [
                .run("mv \(path) \(path).old"), .run("mkdir -p \(path)/a/b"), alternative,
            ])
        #expect(steps(ENOENT, "/nowhere/at/all") == [.run("mkdir -p /nowhere/at/all"), alternative])
        symlink(sandbox.file("empty"), sandbox.file("link"))
        #expect(steps(ENOENT, sandbox.file("link/a")) == [.run("mkdir -p \(sandbox.file("link/a"))"), alternative])
        let error = OutboxError(.inTheWay, path: path, "it is in the way")
        #expect(mend.steps(for: error) == [.run("mv \(path) \(path).old")])
        sandbox.put([], in: "notes.old")
        symlink("/nowhere", sandbox.file("notes.old2"))
        #expect(mend.steps(for: error) == [.run("mv \(path) \(path).old3")])
    }
}
