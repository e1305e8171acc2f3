"""Benchmarks/languages.py: which texts it takes, and what counts as right."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Benchmarks"))
import languages  # noqa: E402


def segment(language, start, end):
    return {"language": language, "start": start, "end": end, "text": "…"}


class LanguagesTests(unittest.TestCase):
    def test_a_script_has_ids_and_texts(self):
        script = ('\ndialogId("a-1", "font_small", "Can you see it?")\ndialogStr("Vidíš to?")\n\n'
                  'dialogId("b", "font_big", "Without a text")\n\n'
                  'dialogId("c", "font_big", "He said \\"no\\".")\ndialogStr(\n"Řekl \\"ne\\".")\n')
        self.assertEqual(languages.strings(script), [("a-1", "Vidíš to?"), ("c", 'Řekl "ne".')])

    def test_plain_texts_are_taken(self):
        for text in ["A quina hora comença la reunió de demà?", "Désolé, vous n'avez pas d'appel; réessayez.",
                     "Has vist la pel·lícula nova?", "Das ist leicht - die Entwickler denken.", "Ik ben hier. Ik kan er niet uit.",
                     "Перезвоните нам, пожалуйста, ещё раз!"]:
            with self.subTest(text=text):
                self.assertTrue(languages.is_plain(text))

    def test_others_are_left(self):
        for text in ["Only four words here.", "Press the pound key [beep] now please", "press * to toggle the pause",
                     "Press 1 to go on now.", "visit the site www.asterisk.org right now", "Well... that is what I say",
                     "Quella funzione non ? attiva su linea.",
                     "Quindi non pu? essere richiamato, mi dispiace", "Эм Ай Эс Ди Эн", "Д А Х Д И", "D-d-das ist ein altes Lied.",
                     "Ho un chiamante che si presenta come::"]:
            with self.subTest(text=text):
                self.assertFalse(languages.is_plain(text))

    def test_what_is_equal(self):
        for code, said, heard in [
            ("de", "Siehst du das Seepferdchen?", "siehst du, das Seepferdchen"), ("fr", "l’hôtel, c'est là-bas.", "L'hôtel c’est là bas"),
            ("es", "la contrasena y el numero", "La contraseña y el número."), ("ru", "ещё раз", "Еще раз."),
            ("ca", "La pel·lícula", "la pellícula"), ("cs", "Vidi\u0301s\u030c to?", "Vidíš to"),
            ("en", "the twenty first call", "The 21st call."),
        ]:
            with self.subTest(said=said, heard=heard):
                self.assertEqual(languages.wrong(said, heard, code).total, 0)
        self.assertEqual(languages.wrong("Vidíš to?", "Vidis to?", "cs")[:4], (1, 1, 0, 0))
        self.assertEqual(languages.wrong("", "zwei Wörter", "de")[:4], (2, 0, 0, 2))

    def test_what_holds_digits_is_left_out_for_all(self):
        utterances = [languages.Utterance("1.wav", "presione nueve ahora"), languages.Utterance("2.wav", "gracias por llamar")]
        texts = [["Presione nueve ahora.", "Gracias por llamar."], ["Presione 9 ahora.", "Gracias por amar."]]
        sums, left = languages.judged("es", languages.Language("Spanish", "", utterances), texts, details=False)
        self.assertEqual(([errors.total for errors in sums], [errors.words for errors in sums], left), ([0, 1], [3, 3], 1))

    def test_the_language_of_an_utterance(self):
        self.assertTrue(languages.right("cs", [segment("cs", 0, 1), segment("cs", 1, 2)]))
        self.assertFalse(languages.right("cs", [segment("cs", 0, 1), segment("pl", 1, 2)]))
        self.assertFalse(languages.right("cs", []))

    def test_the_language_that_is_heard_longest(self):
        segments = [segment("en", 0, 4), segment("es", 4, 7), segment("en", 7, 9)]
        self.assertEqual(languages.heard_longest(3, 6, segments), "es")
        self.assertEqual(languages.heard_longest(3.5, 9, segments), "es")
        self.assertEqual(languages.heard_longest(1, 5, segments), "en")
        self.assertIsNone(languages.heard_longest(10, 11, segments))
        self.assertIsNone(languages.heard_longest(1, 5, []))


if __name__ == "__main__":
    unittest.main()
