import Synchronization

/// What closures hand over, in order.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    package var all: [Element] { elements.withLock { $0 } }

    package init() {}

    package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
