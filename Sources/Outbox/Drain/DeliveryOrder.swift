import Foundation

/// Whose turn it is to be delivered where the order can be seen. Pure: who waits asks again after every change.
struct DeliveryOrder {
    /// What is in flight, in the order in which it began; the destination once the file is read.
    private var flights: [(id: UUID, destination: String?)] = []

    /// An attempt begins. What it brings, and where, is not known before its file is read.
    mutating func began(_ id: UUID) { flights.append((id, nil)) }

    mutating func read(_ id: UUID, destination: String) {
        if let place = flights.firstIndex(where: { $0.id == id }) { flights[place].destination = destination }
    }

    /// Whether no earlier one is, or may turn out to be, for the same destination. It is always the turn of the first.
    func isTurn(of id: UUID) -> Bool {
        guard let place = flights.firstIndex(where: { $0.id == id }) else { return true }
        let destination = flights[place].destination
        return !flights[..<place].contains { $0.destination == nil || $0.destination == destination }
    }

    mutating func ended(_ id: UUID) { flights.removeAll { $0.id == id } }
}
