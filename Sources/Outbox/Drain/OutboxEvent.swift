import Foundation

/// An event for the log. It never holds what was said.
public enum OutboxEvent: Hashable, Sendable {
    /// An operation arrived, after so many attempts.
    case delivered(id: UUID, destination: String, attempts: Int)
    /// An attempt failed; the next follows after `delay` seconds.
    case failed(id: UUID, destination: String, reason: String, attempts: Int, delay: Double)
    /// An attempt failed; no further one follows before the user does something.
    case needsUser(id: UUID, destination: String, reason: String)
    /// There is no handler for the operation's destination.
    case unknownDestination(id: UUID, destination: String)
    /// An operation's file can't be decoded and was put aside.
    case putAside(id: UUID)
    /// Another process drains the queue; this one waits until it ends.
    case isDrainedElsewhere
    /// The queue's folder could not be read or written; this is tried again.
    case storeFailed(OutboxError)
}
