"""Word error rates of what a recognizer wrote, against what was said.

Two rates:

- `spoken`: only words count, and not how they are written. Case and punctuation don't matter; a number counts as right in each way in
  which it may be said ("1965", "nineteen sixty five"), and so do a contraction and its words, a title and its abbreviation, the British
  and the American spelling of a word, and letters or two words written apart or together ("coldhearted"). What is equal follows
  Whisper's normalizer of English texts (Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022, Appendix C;
  openai/whisper, whisper/normalizers), with two differences: it decides for one reading of a number, where here the one counts that
  fits best, and it counts a compound written together as two errors.
- `written`: words and punctuation marks as they are written, for texts whose case and punctuation are known.

An error is a word substituted, deleted or inserted (Levenshtein); a rate is errors by words of what was said.
"""
import re
from typing import NamedTuple

ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth"}

# Whisper's english.py has these as well; "'s" is left out, for it may be "is", "has" or a genitive.
CONTRACTIONS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have", "'m": "am", "'d": "would"}
WHOLE_CONTRACTIONS = {"won't": "will not", "can't": "can not", "let's": "let us", "cannot": "can not", "gonna": "going to",
                      "wanna": "want to", "gotta": "got to"}
TITLES = {"mr": "mister", "mrs": "missus", "dr": "doctor", "st": "saint", "prof": "professor", "capt": "captain", "gen": "general",
          "lt": "lieutenant", "col": "colonel", "rev": "reverend", "hon": "honorable", "jr": "junior", "sr": "senior",
          "mt": "mount", "jan": "january", "feb": "february", "aug": "august", "sept": "september", "oct": "october", "nov": "november",
          "dec": "december"}
# British to American: of Whisper's english.json, the words of more than a few novels, and those made from them.
SPELLINGS = dict(pair.split(":") for pair in (
    "behaviour:behavior centre:center cheque:check clamour:clamor colour:color coloured:colored colours:colors cosy:cozy defence:defense "
    "endeavour:endeavor endeavoured:endeavored favour:favor favoured:favored favourite:favorite favours:favors grey:gray harbour:harbor "
    "honour:honor honoured:honored honours:honors humour:humor jewellery:jewelry labour:labor labours:labors marvellous:marvelous "
    "neighbour:neighbor neighbours:neighbors neighbourhood:neighborhood odour:odor offence:offense parlour:parlor plough:plow "
    "practise:practice programme:program realise:realize realised:realized recognise:recognize recognised:recognized rumour:rumor "
    "savour:savor sceptical:skeptical splendour:splendor theatre:theater traveller:traveler travelled:traveled "
    "travelling:traveling valour:valor vigour:vigor vapour:vapor towards:toward").split())


# --- How a number may be said ----------------------------------------------------------------------------------------------------

def cardinal(number):
    """Without "and", which some say and some don't; see `number_readings`."""
    if number < 20:
        return [ONES[number]]
    if number < 100:
        return [TENS[number // 10], *([ONES[number % 10]] if number % 10 else [])]
    for size, name in ((10 ** 9, "billion"), (10 ** 6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            return [*cardinal(number // size), name, *(cardinal(rest) if rest else [])]


def ordinal(number):
    *head, last = cardinal(number)
    return [*head, ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")]


def in_pairs(digits):
    """As a year or a time of day: 1965, 1905, 1900, 635."""
    head, tail = digits[:-2], digits[-2:]
    if not 1 <= len(head) <= 2 or head.startswith("0"):
        return []
    if tail == "00":
        return [[*cardinal(int(head)), "hundred"]]
    return [[*cardinal(int(head)), *(["oh", ONES[int(tail)]] if tail.startswith("0") else cardinal(int(tail)))]]


def number_readings(text):
    """Each way in which a written number may be said, as lists of words."""
    suffix = re.sub(r"[\d.]", "", text)
    digits, _, fraction = text.removesuffix(suffix).partition(".")
    one_by_one = [ONES[int(digit)] for digit in digits]
    if len(digits) > 12:
        return [[*one_by_one, *(ONES[int(digit)] for digit in fraction)]]
    if fraction:
        after = [ONES[int(digit)] for digit in fraction]
        # Also without "point": times of day and strings of digits are written so, too.
        sides = [[*one, *two] for one in number_readings(digits) for two in number_readings(fraction)]
        return [[*cardinal(int(digits)), "point", *after], *sides]
    if suffix and suffix != "s":
        return [ordinal(int(digits))]
    readings = [one_by_one, *in_pairs(digits)]
    if not digits.startswith("0") or len(digits) == 1:
        words = cardinal(int(digits))
        readings += [words, ordinal(int(digits))]
        if "hundred" in words[:-1]:
            place = len(words) - words[::-1].index("hundred")
            readings.append([*words[:place], "and", *words[place:]])
    if suffix == "s":  # the 1960s
        return [[*words[:-1], words[-1][:-1] + "ies" if words[-1].endswith("y") else words[-1] + "s"] for words in readings]
    return [list(words) for words in dict.fromkeys(map(tuple, readings))]


# --- From a text to words with their readings ------------------------------------------------------------------------------------

def word_readings(word):
    """Each way in which a written word may be said."""
    lower = word.lower()
    if lower[0].isdigit():
        return number_readings(lower)
    if lower in ("oh", "zero"):
        return [["oh"], ["zero"]]
    readings = [[SPELLINGS.get(lower, lower)]]
    if lower in WHOLE_CONTRACTIONS:
        readings.append(WHOLE_CONTRACTIONS[lower].split())
    elif lower in TITLES:
        readings.append([TITLES[lower]])
    else:
        readings += [[lower.removesuffix(end), words] for end, words in CONTRACTIONS.items() if lower.endswith(end) and lower != end]
    if word.isupper() and len(word) > 1:
        readings.append(list(lower))
    return readings


def slots(text):
    """The words of a text, each with its readings."""
    text = text.replace("’", "'").replace("%", " percent ").replace("&", " and ")
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"\b(?:[A-Za-z]\.){2,}", lambda letters: letters[0].replace(".", "").upper() + " ", text)
    found = re.findall(r"\d+\.\d+|\d+(?:st|nd|rd|th|s)?(?![^\W\d_])|\d+|[^\W\d_]+(?:'[^\W\d_]+)*", text)
    return [word_readings(word) for word in found]


def written(text):
    """The words and the punctuation marks of a text, as they are written."""
    return [[[token]] for token in re.findall(r"\w+(?:['’.\-:/]\w+)*|[^\w\s]", text.replace("’", "'"))]


# --- The distance ----------------------------------------------------------------------------------------------------------------

class Errors(NamedTuple):
    """Ordered by their sum, so that the least of several is the best."""
    total: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    words: int = 0

    def __add__(self, other):
        return Errors(*(one + two for one, two in zip(self, other)))

    @property
    def rate(self):
        return 100 * self.total / self.words if self.words else 0.0


def lattice(text_slots):
    """For each place between words, from where which words lead to it; the readings of a slot run side by side."""
    edges, end = [[]], 0
    for readings in text_slots:
        begin, ends = end, []
        for words in readings:
            place = begin
            for number, word in enumerate(words):
                if number == len(words) - 1:
                    ends.append((place, word))
                else:
                    edges.append([(place, word)])
                    place = len(edges) - 1
        edges.append(ends)
        end = len(edges) - 1
    return edges


def pairs(edges, end):
    """From where two words lead to a place, and these words written together."""
    return [(begin, one + two) for middle, two in edges[end] for begin, one in edges[middle]]


def errors(said, heard, joins=False):
    """The errors of `heard`, in the readings of both that fit best; both are lists of slots. With `joins`, two words that are written
    together are no error."""
    said, heard = lattice(said), lattice(heard)
    best = {(0, 0): Errors()}
    for i in range(len(said)):
        for j in range(len(heard)):
            found = [best[p, j] + Errors(1, 0, 1, 0, 1) for p, _ in said[i]]
            found += [best[i, q] + Errors(1, 0, 0, 1, 0) for q, _ in heard[j]]
            found += [best[p, q] + (Errors(words=1) if one == two else Errors(1, 1, 0, 0, 1)) for p, one in said[i] for q, two in heard[j]]
            if joins:
                found += [best[p, q] + Errors(words=2) for p, one in pairs(said, i) for q, two in heard[j] if one == two]
                found += [best[p, q] + Errors(words=1) for p, one in said[i] for q, two in pairs(heard, j) if one == two]
            if found:
                best[i, j] = min(found, key=lambda errors: errors[:4])
    return best[len(said) - 1, len(heard) - 1]


def spoken_errors(said, heard):
    return errors(slots(said), slots(heard), joins=True)


def written_errors(said, heard):
    return errors(written(said), written(heard))


def is_written(text):
    """Whether a transcript has the case and the punctuation of a written text."""
    return bool(re.search(r"[A-Z]", text) and re.search(r"[a-z]", text) and re.search(r"[.,;:?!]", text))
