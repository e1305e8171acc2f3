import Foundation

/// Whose turn it is to be delivered where the order can be seen. Pure: who waits asks again after every change.
struct DeliveryOrder {
    /// What is in flight, in the order in which it began; the kind once the file is read.
    private var flights: [(id: UUID, kind: String?)] = []

    /// An attempt begins. What it brings, and where, is not known before its file is read.
    mutating func began(_ id: UUID) { flights.append((id, nil)) }

    mutating func read(_ id: UUID, kind: String) {
        if let place = flights.firstIndex(where: { $0.id == id }) { flights[place].kind = kind }
    }

    /// Whether no earlier one is, or may turn out to be, of the same kind. It is always the turn of the first.
    func isTurn(of id: UUID) -> Bool {
        guard let place = flights.firstIndex(where: { $0.id == id }) else { return true }
        let kind = flights[place].kind
        return !flights[..<place].contains { $0.kind == nil || $0.kind == kind }
    }

    mutating func ended(_ id: UUID) { flights.removeAll { $0.id == id } }
}
