import Foundation
import Glibc

extension Sandbox {
    /// Makes a folder with links to these programs of the system, and returns its path.
    func programs(in name: String, _ programs: [String]) -> String {
        try? FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: false)
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for program in programs {
            guard let folder = folders.first(where: { access("\($0)/\(program)", X_OK) == 0 }) else { continue }
            symlink("\(folder)/\(program)", file("\(name)/\(program)"))
        }
        return file(name)
    }
}
