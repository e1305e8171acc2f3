import Foundation
import Testing

/// How much the tests do. `make test` runs the quick tier; `make test-long` runs every test in full.
package enum Tier: Sendable {
    case quick
    case long

    /// The tier of this run, which `Scripts/run-tests` sets.
    package static let current: Tier = ProcessInfo.processInfo.environment["UTTER_TIER"] == "long" ? .long : .quick

    /// How often a test repeats what it does, or for how many hours.
    ///
    /// - Parameters:
    ///   - variable: the environment variable that overrides it, in either tier; CONTRIBUTING lists them.
    package static func count<Number: LosslessStringConvertible>(
        _ quick: Number, long: Number, _ variable: String? = nil
    ) -> Number {
        let given = variable.flatMap { ProcessInfo.processInfo.environment[$0] }
        return given.flatMap { Number($0) } ?? (current == .long ? long : quick)
    }

    /// Some of the elements in the quick tier, all of them in the long one.
    ///
    /// - Parameters:
    ///   - step: the quick tier takes every `step`th element, beginning with the first.
    ///   - all: the elements.
    package static func every<Element>(_ step: Int, of all: [Element]) -> [Element] {
        current == .long ? all : stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
}

extension Trait where Self == ConditionTrait {
    /// A test that only `make test-long` runs.
    package static var long: ConditionTrait { .enabled(if: Tier.current == .long, "it takes long") }
}
