import Glibc
import Synchronization
import System

/// Counts the system calls on files, and makes one fail as planned. The others are real.
package final class FaultyCalls: Sendable {
    package enum Fault: Equatable, Sendable {
        /// Only the chosen call fails, with this error.
        case once(Int32)
        /// The chosen call and all later ones fail with this error, as on a disk that stays full.
        case fromThenOn(Int32)
        /// The process is killed before the chosen call: it and all later ones do nothing.
        case killed
        /// The process is killed in the middle of the chosen call, a write.
        case torn
    }

    private struct State {
        var count = 0
        var names: [String] = []
        var fault: (at: Int, Fault)?
        var isDead = false
    }

    private let state = Mutex(State())
    private let before: @Sendable (_ name: String) -> Int32?

    /// - Parameter before: called before each call; returns the error with which that fails, and nil for one that is made.
    package init(before: @escaping @Sendable (_ name: String) -> Int32? = { _ in nil }) { self.before = before }

    /// The names of the calls since the last `plan`.
    package var names: [String] { state.withLock { $0.names } }

    /// Starts a new count, and plans a fault for the call with this number, counted from 0.
    package func plan(_ fault: Fault?, at number: Int = 0) {
        state.withLock { $0 = State(fault: fault.map { (number, $0) }) }
    }

    private enum Verdict {
        case real
        case fail(Int32)
        /// Only half of a write is done.
        case half
    }

    private func verdict(_ name: String) -> Verdict {
        if let code = before(name) { return .fail(code) }
        return state.withLock { state in
            defer { state.count += 1 }
            state.names.append(name)
            if state.isDead { return .fail(EIO) }
            guard let (at, fault) = state.fault, state.count >= at else { return .real }
            switch fault {
            case .once(let code): return state.count == at ? .fail(code) : .real
            case .fromThenOn(let code): return .fail(code)
            case .killed, .torn:
                state.isDead = true
                return fault == .torn && name.hasPrefix("write") ? .half : .fail(EIO)
            }
        }
    }

    private func number<Number: FixedWidthInteger>(
        _ name: String, half: () -> Void = {}, _ body: () -> Number
    ) -> Number {
        switch verdict(name) {
        case .real: return body()
        case .fail(let code): errno = code
        case .half:
            half()
            errno = EIO
        }
        return -1
    }

    /// The calls. Closing always closes: the kernel does it for a dead process, and on Linux a close that fails has closed too.
    package var calls: FileCalls {
        let real = FileCalls.system
        var calls = FileCalls()
        calls.open = { folder, path, flags, mode in self.number("open") { real.open(folder, path, flags, mode) } }
        calls.read = { descriptor, address, count, offset in
            self.number("read") { real.read(descriptor, address, count, offset) }
        }
        calls.write = { descriptor, address, count in
            self.number("write", half: { _ = real.write(descriptor, address, count / 2) }) {
                real.write(descriptor, address, count)
            }
        }
        calls.writeAt = { descriptor, address, count, offset in
            self.number("writeAt", half: { _ = real.writeAt(descriptor, address, count / 2, offset) }) {
                real.writeAt(descriptor, address, count, offset)
            }
        }
        calls.truncate = { descriptor, length in self.number("truncate") { real.truncate(descriptor, length) } }
        calls.allocate = { descriptor, offset, count in
            self.number("allocate") { real.allocate(descriptor, offset, count) }
        }
        calls.flush = { descriptor in self.number("flush") { real.flush(descriptor) } }
        calls.lock = { descriptor, operation in self.number("lock") { real.lock(descriptor, operation) } }
        calls.lease = { descriptor in self.number("lease") { real.lease(descriptor) } }
        calls.status = { descriptor, status in self.number("status") { real.status(descriptor, &status) } }
        calls.statusOf = { folder, name, status in
            self.number("statusOf") { real.statusOf(folder, name, &status) }
        }
        calls.link = { folder, from, to in self.number("link") { real.link(folder, from, to) } }
        calls.rename = { folder, from, newFolder, to in
            self.number("rename") { real.rename(folder, from, newFolder, to) }
        }
        calls.unlink = { folder, name in self.number("unlink") { real.unlink(folder, name) } }
        calls.makeFolder = { folder, path, mode in self.number("makeFolder") { real.makeFolder(folder, path, mode) } }
        calls.removeFolder = { folder, path in self.number("removeFolder") { real.removeFolder(folder, path) } }
        calls.setMode = { descriptor, mode in self.number("setMode") { real.setMode(descriptor, mode) } }
        calls.setModeOf = { folder, name, mode in self.number("setModeOf") { real.setModeOf(folder, name, mode) } }
        calls.nameBytes = { folder, body in self.number("names") { real.nameBytes(folder, body) } }
        return calls
    }
}
