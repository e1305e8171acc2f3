"""Benchmarks/scoring.py: what counts as the same, and the distance beside a plain one."""
import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Benchmarks"))
import scoring  # noqa: E402

SEED = int(os.environ.get("UTTER_SEED", "1"))


def plain_distance(one, two):
    row = list(range(len(two) + 1))
    for number, word in enumerate(one, 1):
        new = [number]
        for place, other in enumerate(two, 1):
            new.append(min(row[place - 1] + (word != other), row[place] + 1, new[-1] + 1))
        row = new
    return row[-1]


class ScoringTests(unittest.TestCase):
    def test_each_way_to_write_what_was_said_is_right(self):
        for said, heard in [
            ("one two five oh nine seven three", "1 2 5 0 9 7 3"), ("one two five oh nine seven three", "1250973"),
            ("one two five oh nine seven three", "1.250973."), ("one two five oh nine seven three", "125-0973."),
            ("one two five zero", "1 2 5 oh"), ("one two zero three", "1203"),
            ("january eleventh nineteen seventy one", "January 11, 1971"), ("january eleventh nineteen seventy one", "Jan. 11th, 1971"),
            ("may second nineteen oh five", "May 2nd, 1905"), ("nineteen hundred", "1900"), ("twenty ten", "2010"),
            ("two thousand ten", "2010"), ("two thousand", "2,000"),
            ("six thirty five", "6:35"), ("six thirty five", "6.35"), ("six oh five", "6:05"), ("three point one four", "3.14"),
            ("one hundred and five", "105"), ("one hundred five", "105"), ("fifty four eighty three", "54, 83"),
            ("three million two hundred thousand", "3,200,000"), ("the twenty first century", "the 21st century"),
            ("the nineteen sixties", "the 1960s"), ("ten percent", "10%"), ("fifty five", "FIFTY-FIVE"),
            ("f o x k eight", "F-O-X-K-8"), ("f o x k eight", "FOX K8"), ("u s a", "USA"), ("usa", "U.S.A."),
            ("mister john dashwood", "Mr. John Dashwood"), ("do not", "don't"), ("i will not", "I won’t"), ("we are", "we're"),
            ("the colour of honour", "The color of honor."), ("cold hearted", "cold-hearted"),
            ("rather cold hearted and so", "Rather coldhearted, and so"), ("black and white", "black & white"),
            ("ärger über öl", "Ärger über Öl!"),
        ]:
            with self.subTest(said=said, heard=heard):
                self.assertEqual(scoring.spoken_errors(said, heard)[:4], (0, 0, 0, 0))
                self.assertEqual(scoring.spoken_errors(heard, said).total, 0)

    def test_what_is_another_word_is_an_error(self):
        for said, heard, expected in [
            ("one two three", "1 2 4", (1, 1, 0, 0, 3)), ("one two three", "123 go", (1, 0, 0, 1, 3)),
            ("one two three", "", (3, 0, 3, 0, 3)), ("", "you", (1, 0, 0, 1, 0)),
            ("nineteen sixty five", "1956", (2, 2, 0, 0, 3)), ("fifty", "15", (1, 1, 0, 0, 1)), ("f o x", "fox", (3, 1, 2, 0, 3)),
            ("it is john's", "it is johns", (1, 1, 0, 0, 3)), ("cold hearted and", "coldhearten and", (2, 1, 1, 0, 3)),
            ("he was not an ill disposed young man", "He was not an old-sposed young man.", (2, 2, 0, 0, 8)),
        ]:
            with self.subTest(said=said, heard=heard):
                self.assertEqual(tuple(scoring.spoken_errors(said, heard)), expected)

    def test_the_words_are_those_of_the_reading_that_fits(self):
        self.assertEqual(scoring.spoken_errors("1965", "nineteen sixty five").words, 3)
        self.assertEqual(scoring.spoken_errors("1965", "one nine six five").words, 4)

    def test_case_and_punctuation_count_as_written(self):
        said = "Mr. John said: “Yes”, at 6:35."
        self.assertEqual(scoring.written_errors(said, said).total, 0)
        self.assertEqual(scoring.written_errors("Yes, John.", "yes John"), (3, 1, 2, 0, 4))
        self.assertEqual(scoring.written_errors("It's ill-disposed.", "It’s ill-disposed.").total, 0)
        self.assertTrue(scoring.is_written("He was, in general, well respected."))
        self.assertFalse(scoring.is_written("HE WAS IN GENERAL WELL RESPECTED"))

    def test_without_other_readings_it_is_the_plain_distance(self):
        chance = random.Random(SEED)
        print(f"seed {SEED}")
        for _ in range(300):
            one, two = ([chance.choice("abc") for _ in range(chance.randrange(9))] for _ in range(2))
            found = scoring.errors([[[word]] for word in one], [[[word]] for word in two])
            self.assertEqual(found.total, plain_distance(one, two), (one, two))
            self.assertEqual(found.total, found.substitutions + found.deletions + found.insertions)
            self.assertEqual((found.words, len(one) - found.deletions), (len(one), len(two) - found.insertions))

    def test_with_readings_it_is_the_best_of_all_of_them(self):
        chance = random.Random(SEED)
        for _ in range(200):
            texts = [[[[chance.choice("abc") for _ in range(chance.randrange(1, 4))] for _ in range(chance.randrange(1, 3))]
                      for _ in range(chance.randrange(4))] for _ in range(2)]

            def every(text):
                return [[]] if not text else [[*head, *tail] for head in text[0] for tail in every(text[1:])]
            best = min(plain_distance(one, two) for one in every(texts[0]) for two in every(texts[1]))
            self.assertEqual(scoring.errors(*texts).total, best, texts)


if __name__ == "__main__":
    unittest.main()
