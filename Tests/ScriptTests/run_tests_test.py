"""Which tests Scripts/run-tests leaves out of the long tier after `make test`."""
import importlib.machinery
import importlib.util
import json
import os
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Scripts/run-tests")
LOADER = importlib.machinery.SourceFileLoader("run_tests", SCRIPT)
RUN_TESTS = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", LOADER))
LOADER.exec_module(RUN_TESTS)

SUITE = """\
struct Tests {
    @Test("does the same", arguments: [1, 2].map { $0 })
    func same(number: Int) throws {
        if number == 1 {
            #expect(true)
        }
    }

    @Test("is short") func short() { #expect(true) }

    @Test(
        "is long", .long,
        arguments: [1])
    func long(number: Int) {
        #expect(true)
    }

    @Test("does more")
    func more() {
        for _ in 0..<Tier.count(1, long: 2) {}
    }
    HELPER
}
"""


class KnownTests(unittest.TestCase):
    def known(self, helper):
        """The tests of the suite that are left out, with something beside them."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "Tests.swift")
            with open(path, "w") as file:
                file.write(SUITE.replace("HELPER", helper))
            run = object.__new__(RUN_TESTS.Run)
            run.quick = os.path.join(folder, "passed.json")
            with open(run.quick, "w") as file:
                json.dump({"same": (path, 2), "short": (path, 9), "more": (path, 18)}, file)
            return run.known_tests()

    def test_a_test_that_varies_keeps_no_other(self):
        self.assertEqual(self.known("func helper() {}"), {"same", "short"})

    def test_what_several_use_keeps_all(self):
        self.assertEqual(self.known("static let count = Tier.count(1, long: 2)"), set())
        self.assertEqual(self.known('private var random = SplitMix64(for: "all")'), set())


if __name__ == "__main__":
    unittest.main()
