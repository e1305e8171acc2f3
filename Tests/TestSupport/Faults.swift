/// A command that runs another one, in which system calls fail or kill. strace(1)
///
/// - Parameters:
///   - fault: what happens, and when, such as `signal=KILL:when=3` or `error=ENOSPC:when=5+`.
///   - calls: the names of the calls, such as `?rename,?renameat`.
///   - path: the file or folder whose calls count; nil for all.
package func injecting(_ fault: String, at calls: String, on path: String? = nil) -> [String] {
    ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):\(fault)"]
        + (path.map { ["-P", $0] } ?? [])
}
