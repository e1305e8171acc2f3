import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of `make deb` with the program that is tested: the package's content, and that it works without the checkout.
    @Suite("The Debian package", .long, .needs("dpkg-deb"))
    struct DebianPackage {
        private let sandbox = Sandbox()

        private func run(_ command: String...) async throws -> Program.Finished {
            let finished = try await Program(command, environment: sandbox.environment()).finish()
            #expect(finished.exitCode == 0, "\(command): \(finished.errors)")
            return finished
        }

        private func make() async throws -> String {
            // Skip `make build`, since the program exists.
            let finished = try await Program(
                [
                    "make", "-s", "-C", Sandbox.root, "-o", "build", "deb", "PROGRAM=\(Sandbox.utter)",
                    "PACKAGES=\(sandbox.file("packages"))",
                ],
                // The fastest compression.
                environment: sandbox.environment(["DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"])
            ).finish()
            #expect(finished.exitCode == 0, "\(finished.errors)")
            let packages = sandbox.names(in: "packages").filter { $0.hasSuffix(".deb") }
            #expect(packages.count == 1)
            return sandbox.file("packages/" + (try #require(packages.first)))
        }

        @Test(
            "holds the command, libvosk, libtranscribe, the model and their files, readable by all, as its control file says"
        )
        func content() async throws {
            let package = try await make()
            let version = try await run(Sandbox.utter, "--version").output.split(separator: " ").last?
                .trimmingCharacters(in: .newlines)
            #expect(try await run("dpkg-deb", "-f", package, "Package").output == "utter\n")
            #expect(try await run("dpkg-deb", "-f", package, "Version").output == (version ?? "") + "\n")
            let depends = try await run("dpkg-deb", "-f", package, "Depends").output
            for name in ["libasound2", "libjemalloc2", "libsamplerate0"] { #expect(depends.contains(name)) }

            let lines = try await run("dpkg-deb", "-c", package).outputLines
            let entries = lines.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
            let modes = Dictionary(uniqueKeysWithValues: entries.map { (String($0[5].dropFirst(1)), String($0[0])) })
            #expect(entries.allSatisfy { $0[1] == "root/root" })
            #expect(modes["/usr/bin/utter"] == "-rwxr-xr-x")
            for name in [
                "lib/utter/libvosk.so", "share/utter/models/catalog.json", "share/utter/models/second-pass.json",
                "share/utter/models/vosk-model-tiny-en/am/final.mdl",
                "share/man/man1/utter.1.gz", "share/bash-completion/completions/utter",
                "share/zsh/site-functions/_utter",
                "share/fish/vendor_completions.d/utter.fish", "lib/systemd/user/utter-outbox.service",
                "share/doc/utter/copyright",
                "share/doc/utter/changelog.gz", "lib/utter/transcribe/libtranscribe.so",
            ] { #expect(modes["/usr/" + name] == "-rw-r--r--", "\(name)") }
            #expect(modes.allSatisfy { ["drwxr-xr-x", "-rw-r--r--"].contains($0.value) || $0.key == "/usr/bin/utter" })
            #expect(modes.keys.allSatisfy { $0 == "/" || $0.hasPrefix("/usr/") })

            _ = try await run("dpkg-deb", "-R", package, sandbox.file("unpacked"))
            // Its changelog is the project's, and the newest entry is this version's.
            let changelog = try await run("gzip", "-dc", sandbox.file("unpacked/usr/share/doc/utter/changelog.gz"))
                .outputLines
            #expect(changelog.first == "utter (\(version ?? "")) unstable; urgency=medium")
            let ours = try String(contentsOfFile: Sandbox.root + "/CHANGELOG.md", encoding: .utf8).split(
                separator: "\n")
            #expect(changelog.count { $0.hasPrefix("utter (") } == ours.count { $0.hasPrefix("## [") })
            #expect(changelog.count { $0.hasPrefix(" -- ") } == ours.count { $0.hasPrefix("## [") })
            #expect(changelog.count { $0.hasPrefix("  * ") } >= ours.count { $0.hasPrefix("- ") })

            // Each file matches its checksum.
            _ = try await run("sh", "-c", "cd '\(sandbox.file("unpacked"))' && md5sum --check --quiet DEBIAN/md5sums")
        }

        @Test(
            "works when dpkg has installed it into a root folder of its own, and leaves nothing there when it is removed",
            .needsRoot)
        func installed() async throws {
            let package = try await make()
            let root = sandbox.file("root")
            for folder in ["info", "updates", "triggers"] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/var/lib/dpkg/\(folder)", withIntermediateDirectories: true)
            }
            for name in ["status", "available"] { sandbox.put([], in: "root/var/lib/dpkg/" + name) }
            // The root folder has no packages of Debian, so dependencies are ignored.
            let dpkg = [
                "dpkg", "--root=\(root)", "--log=\(sandbox.file("dpkg.log"))", "--force-depends",
                "--force-script-chrootless",
            ]
            let installation = try await Program(
                dpkg + ["--install", package], environment: sandbox.environment(["PATH": path])
            ).finish()
            #expect(installation.exitCode == 0, "\(installation.errors)")

            // Hide the machine's own libvosk and the checkout.
            let hidden = """
                for folder in /usr/local/lib \(Sandbox.root)/Models; do mount -t tmpfs hidden "$folder" || exit 99; done; exec "$@"
                """
            func utter(_ arguments: String...) async throws -> Program.Finished {
                try await Program(
                    ["unshare", "--mount", "sh", "-c", hidden, "sh", root + "/usr/bin/utter"] + arguments,
                    environment: sandbox.environment(["XDG_DATA_HOME": sandbox.file("other-data")])
                ).finish()
            }
            let digits = Recording.named("digits-slt.wav")
            let said = try await utter("transcribe", digits.path)
            #expect(said.exitCode == 0 && said.output == digits.transcript + "\n", "\(said.errors)")
            let doctor = try await utter("doctor", "--json")
            let findings = try #require(
                try JSONSerialization.jsonObject(with: Data(doctor.output.utf8)) as? [[String: Any]])
            let states = Dictionary(
                findings.compactMap { finding in (finding["subject"] as? String).map { ($0, finding) } }
            ) { one, _ in
                one
            }
            #expect(states["libvosk"]?["state"] as? String == "ok", "\(doctor.output)")
            #expect(
                try await utter("models", "path", "vosk-model-tiny-en").output
                    == "\(root)/usr/share/utter/models/vosk-model-tiny-en\n")

            let removal = try await Program(
                dpkg + ["--purge", "utter"], environment: sandbox.environment(["PATH": path])
            ).finish()
            #expect(removal.exitCode == 0, "\(removal.errors)")
            let left = try #require(FileManager.default.enumerator(atPath: root + "/usr")).compactMap { $0 as? String }
            #expect(left.filter { $0.contains("utter") } == [])
        }

        /// A `PATH` with the folders of the superuser's programs, which dpkg needs.
        private var path: String {
            (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin:/usr/bin:/bin"
        }
    }
}
