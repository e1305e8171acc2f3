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
}

extension OutboxHandler {
    public var deliversInOrder: Bool { false }
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
    case failed(reason: String, after: Duration? = nil, isNetwork: Bool = false)
    /// It won't work before the user does something.
    case needsUser(reason: String)
}
