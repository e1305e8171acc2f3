import Foundation

/// A type that delivers operations to a destination.
///
/// A handler may get an operation again that it has delivered, for the process may be killed before the success is on the
/// disk. The receiver, or the handler, has to recognize it by its id.
public protocol OutboxHandler: Sendable {
    /// Tries to deliver an operation, once. If the task is cancelled, the handler should return soon; the outcome is then ignored.
    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome

    /// Whether each operation waits for the attempts that began before it, because their order shows at the destination.
    /// An operation that fails does not hold up the later ones. The default is false.
    var deliversInOrder: Bool { get }

    /// Whether the handler needs to know that an earlier attempt may have arrived. If so, each attempt is recorded on the disk
    /// before it begins, and `operation.mayHaveArrived` is true after an attempt that was killed. The default is false.
    var needsEarlierAttempts: Bool { get }

    /// Whether an attempt that can't be recorded waits, because what arrives twice can't be recognized. Only with `needsEarlierAttempts`.
    /// The default is false.
    var makesOnlyRecordedAttempts: Bool { get }

    /// What the user must provide before any attempt can succeed, such as a program, as a sentence; nil when nothing is known
    /// to be missing. The default is nil.
    var whatIsMissing: String? { get }
}

extension OutboxHandler {
    public var deliversInOrder: Bool { false }
    public var needsEarlierAttempts: Bool { false }
    public var makesOnlyRecordedAttempts: Bool { false }
    public var whatIsMissing: String? { nil }
}

/// The outcome of an attempt. Reasons are sentences for people and never hold what was said.
public enum DeliveryOutcome: Hashable, Sendable {
    /// The operation has arrived, now or before.
    case delivered
    /// The attempt failed, and a later one may succeed.
    ///
    /// - Parameters:
    ///   - reason: why it failed.
    ///   - after: the pause that the receiver asks for.
    ///   - isNetwork: whether the receiver couldn't be reached, so that the operation is tried when the network comes back.
    ///   - mayHaveArrived: whether the receiver may have got the operation although its answer did not arrive.
    case failed(reason: String, after: Duration? = nil, isNetwork: Bool = false, mayHaveArrived: Bool = false)
    /// No attempt can succeed before the user does something.
    case needsUser(reason: String)
}
