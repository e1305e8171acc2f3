import Foundation
import Testing

/// How much the tests do. `make test` runs the quick tier; `make test-long` runs every test in full.
package enum Tier: Sendable {
    case quick
    case long

    /// The tier of this run, which `Scripts/run-tests` sets.
    package static let current: Tier = ProcessInfo.processInfo.environment["UTTER_TIER"] == "long" ? .long : .quick

    /// Of what the long tier does more than the quick one, a run does one part in so many, with other elements each time.
    private static let parts = max(1, ProcessInfo.processInfo.environment["UTTER_TIER_PARTS"].flatMap { Int($0) } ?? 1)

    /// How often a test repeats something, or how far apart its samples are.
    ///
    /// - Parameters:
    ///   - variable: the environment variable that overrides it, in either tier; CONTRIBUTING lists them.
    package static func count(_ quick: Int, long: Int, _ variable: String? = nil) -> Int {
        amount(quick, long: quick < long ? max(quick, long / parts) : min(quick, long * parts), variable)
    }

    /// How much a test does of what is not counted, such as hours; the long tier always does all of it.
    package static func amount<Number: LosslessStringConvertible>(
        _ quick: Number, long: Number, _ variable: String? = nil
    ) -> Number {
        let given = variable.flatMap { ProcessInfo.processInfo.environment[$0] }
        return given.flatMap { Number($0) } ?? (current == .long ? long : quick)
    }

    /// Some of the elements in the quick tier, all of them in the long one, or at random as many as its part has.
    ///
    /// - Parameters:
    ///   - step: the quick tier takes every `step`th element, beginning with the first.
    ///   - all: the elements.
    package static func every<Element>(_ step: Int, of all: [Element]) -> [Element] {
        if current == .quick { return stride(from: 0, to: all.count, by: step).map { all[$0] } }
        let count = (all.count + min(step, parts) - 1) / min(step, parts)
        return all.indices.shuffled().prefix(count).sorted().map { all[$0] }
    }
}

extension Trait where Self == ConditionTrait {
    /// A test that only `make test-long` runs.
    package static var long: ConditionTrait { .enabled(if: Tier.current == .long, "it takes long") }
}
