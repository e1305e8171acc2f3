import Foundation

extension URL {
    /// Of Apple's Foundation.
    func startAccessingSecurityScopedResource() -> Bool { true }
    /// Of Apple's Foundation.
    func stopAccessingSecurityScopedResource() {}
}
