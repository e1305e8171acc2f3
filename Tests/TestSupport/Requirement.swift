import Foundation
import Glibc
import Testing

/// Requirements of tests that a machine may lack. The test is skipped there, and the reason says what is lacking; if CI is set,
/// `Scripts/run-tests` fails for each reason that it does not know.
extension Trait where Self == ConditionTrait {
    /// Requires a program, which `Scripts/setup --for-tests` installs.
    package static func needs(_ program: String) -> ConditionTrait {
        .enabled(if: Requirement.path(of: program) != nil, "\(program) is not installed")
    }

    /// Requires that an ordinary user may create namespaces with these options of unshare(1).
    package static func needsNamespace(_ options: String) -> ConditionTrait {
        .enabled(if: Requirement.mayUnshare(options), "this machine does not allow: unshare \(options)")
    }

    /// Requires the recordings of real people, which are not public.
    package static var needsRecordings: ConditionTrait {
        .enabled(if: Requirement.recordings != nil, "UTTER_RECORDINGS names no folder of recordings")
    }

    /// Requires root, to become another user for example.
    package static var needsRoot: ConditionTrait { .enabled(if: geteuid() == 0, "this user is not root") }

    /// Skips a test in a build with a sanitizer.
    package static func notSanitized(_ reason: String) -> ConditionTrait {
        .enabled(if: !Sanitizer.isPresent, "under a sanitizer: \(reason)")
    }

    /// Skips a test in a build with ThreadSanitizer.
    package static func notThreadSanitized(_ reason: String) -> ConditionTrait {
        .enabled(if: !Sanitizer.watchesThreads, "under a sanitizer: \(reason)")
    }
}

package enum Requirement {
    /// The folder of the recordings of real people, and of their `transcripts.tsv`.
    package static let recordings = ProcessInfo.processInfo.environment["UTTER_RECORDINGS"].flatMap {
        $0.isEmpty ? nil : $0
    }

    /// The path of a program in `PATH`; nil when there is none.
    package static func path(of program: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map {
            $0 + "/" + program
        }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func mayUnshare(_ options: String) -> Bool {
        let words = ["unshare"] + options.split(separator: " ").map(String.init) + ["true"]
        var process = pid_t()
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        guard posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status == 0
    }
}
