import CLinux
import Foundation
import Glibc
import Synchronization

/// How a program is started: the one place that does.
struct Spawn {
    /// What stands at a descriptor of the child.
    enum Place {
        /// The same as ours.
        case inherited
        /// /dev/null.
        case nothing
        case descriptor(Int32)
    }

    /// Found on PATH unless it is a path.
    var program: String
    var arguments: [String]
    /// Of the descriptors from 0 on.
    var places: [Place]
    /// Beside, or instead of, what is in our own environment; nil for a variable that it does not get.
    var environment: [String: String?] = [:]
    /// The folder that it runs in; nil for ours.
    var folder: String?
    /// Whether it gets no descriptors but those of `places`, also where we were given others to hand on.
    var closesOtherDescriptors = false
    /// Signals that mean to it what they usually do: what we ignore it would inherit.
    var resetSignals: [Int32] = []
    var hasOwnGroup = false
    /// Neither the terminal's end nor its Ctrl-C reaches it.
    var hasOwnSession = false

    /// This program, also where an upgrade has put another file in its place.
    static let ownProgram = "/proc/self/exe"

    /// What the program is told that it is called, and what ps(1) shows: this program has its own name.
    private var name: String {
        guard program == Self.ownProgram else { return program }
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: program)) ?? program
        let name = path.split(separator: "/").last.map(String.init) ?? program
        return name.hasSuffix(Self.replaced) ? String(name.dropLast(Self.replaced.count)) : name
    }

    /// What proc(5) says behind the name of a file that is not there any more.
    private static let replaced = " (deleted)"

    /// Held while a child is started, until it runs its program.
    private static let starting = Mutex(())

    /// Sends a signal to the processes of this one's group, of which a child that is being started is none. SIGTSTP would stop it before
    /// it runs its program, and posix_spawn waits for that: this process could not stop, and its terminal would never get a prompt. kill(2)
    static func signalGroup(_ number: Int32) { starting.withLock { _ in _ = kill(0, number) } }

    /// posix_spawnp(3)
    ///
    /// - Returns: 0, or the error number.
    func start(_ child: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, place) in zip(Int32(0)..., places) {
            switch place {
            case .inherited: break
            case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        withUnsafeMutablePointer(to: &actions) {
            if let folder { posix_spawn_file_actions_addchdir_np($0, folder) }
            if closesOtherDescriptors { posix_spawn_file_actions_addclosefrom_np($0, Int32(places.count)) }
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in resetSignals { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Threads of Dispatch block signals, and the child would inherit that as well.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        if hasOwnGroup { flags |= POSIX_SPAWN_SETPGROUP }
        // POSIX_SPAWN_SETSID, which is GNU's.
        if hasOwnSession { flags |= 0x80 }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        if environment.isEmpty {
            return Self.starting.withLock { _ in posix_spawnp(&child, program, &actions, &attributes, &words, environ) }
        }
        let merged = environment.reduce(into: ProcessInfo.processInfo.environment) { $0[$1.key] = $1.value }
        var variables = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for variable in variables { free(variable) } }
        return Self.starting.withLock { _ in
            posix_spawnp(&child, program, &actions, &attributes, &words, &variables)
        }
    }
}
