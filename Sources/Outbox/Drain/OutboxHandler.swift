import Foundation

/// Brings operations of one kind to where they belong.
///
/// It may be asked to bring the same operation again, also after it has succeeded: the process may be killed before the
/// success is on the disk. The operation's id must tell the receiver, or the handler, that this is the same thing.
public protocol OutboxHandler: Sendable {
    /// Tries once. When the task is cancelled it should end soon; then it doesn't matter what it returns.
    func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome

    /// Whether one is only tried when those before it have been: their order can be seen where they arrive. One that fails
    /// does not hold up those behind it. False unless said otherwise.
    var deliversInOrder: Bool { get }

    /// Whether it makes a difference if an earlier attempt may have arrived. Then each attempt is noted on the disk before it begins, and
    /// `operation.mayHaveArrived` is true after one that was killed. False unless said otherwise.
    var needsEarlierAttempts: Bool { get }

    /// What the user must see to before any attempt can succeed, as far as it is known without one: a sentence; nil when nothing is known to
    /// be missing, which it is unless said otherwise.
    var whatIsMissing: String? { get }
}

extension OutboxHandler {
    public var deliversInOrder: Bool { false }
    public var needsEarlierAttempts: Bool { false }
    public var whatIsMissing: String? { nil }
}

/// What came of an attempt. Reasons are sentences for people, without what was said.
public enum DeliveryOutcome: Hashable, Sendable {
    /// It has arrived, now or before.
    case delivered
    /// It may work later.
    ///
    /// - Parameters:
    ///   - after: what the receiver asks for: not to be tried sooner.
    ///   - isNetwork: the receiver couldn't be reached, so it is tried at once when the network comes back.
    ///   - mayHaveArrived: the receiver may have got it all the same, and its answer not have reached us.
    case failed(reason: String, after: Duration? = nil, isNetwork: Bool = false, mayHaveArrived: Bool = false)
    /// It won't work before the user does something.
    case needsUser(reason: String)
}
