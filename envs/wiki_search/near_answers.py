"""Wrong answers of the kind of a right one, out of passages: what near pages say where the gold pages say that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.tokens import tokens
from agentgym.rng import TurnRng

AROUND: Final = 48
"""Characters before and behind a phrase that count as its surroundings."""
TITLE: Final = 2
"""What it counts for a phrase to be a title, in words of its surroundings, where the right answer is one."""
LONGEST: Final = 60
"""Characters of an answer."""

_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_CAPITAL: Final = r"(?:[A-Z]\.|[^\W\d_a-zß-öø-ÿ][\w'’-]*)"
_NUMBER: Final = r"(?<![\w.,])[-−]?\d(?:[\d,]*\d)?(?:\.\d+)?"
_KINDS: Final = {
    "date": re.compile(rf"\b(?:\d{{1,2}} )?(?:{_MONTHS})(?: \d{{1,2}}\b)?(?:,? \d{{4}}\b)?"),
    "year": re.compile(r"(?<![\w.,])[12]\d{3}(?!\w|[.,]\d)"),
    "number": re.compile(rf"{_NUMBER}(?!\w|[.,]\d)"),
    "amount": re.compile(rf"{_NUMBER}(?: [^\W\d_]\S*\b| ?[%°]\w?)"),
    "code": re.compile(r"\b(?=[^\s]{0,7}[A-Z])[A-Z0-9]{2,6}\b"),
    "name": re.compile(rf"\b{_CAPITAL}(?: (?:(?:of|the|and|de|du|la|le|in|von|van|da|do|del|al) )*{_CAPITAL})*"),
}
_ARTICLE: Final = re.compile(r"(?:the|an?) (?=\S)", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")
_PLAIN: Final = re.compile(r"[^\W\d_]{4,}")
_START: Final = re.compile(r"(?:^|[.!?:;]\s)$")
_SENTENCE_WORDS: Final = (
    "The It Its In On A An As At By For From He She His Her They Their This That These There When Where Of With Among "
    "After Before Both But And Or One Two Three Also Other During While If To Today Here"
)
_SMALL: Final = frozenset(_SENTENCE_WORDS.split())


def near_answers(
    right: str, accepted: Sequence[str], gold: Sequence[Passage], near: Sequence[Passage], rng: TurnRng
) -> list[str]:
    """Return wrong answers of the kind of a right one, those first that stand in the most similar surroundings.

    There are none for yes and no.

    Args:
        right: the answer.
        accepted: all that are accepted, none of which is near another answer given.
        gold: passages that say it.
        near: passages like these, where others are found; their titles are names too.
        rng: changes numbers, where too few are found.
    """
    article = found[0] if (found := _ARTICLE.match(right)) else ""
    right = right.removeprefix(article)
    kind, long = kind_of(right), len(right.split())
    if kind == "closed":
        return []
    here = {word for passage in gold for word in _surroundings(right, passage.text)}
    titled = kind == "name" and any(bare(passage.title) == right for passage in (*gold, *near))
    met: dict[str, tuple[int, int]] = {}
    for passage in near:
        for phrase, context in _phrases(right, kind, passage):
            worth = len(here.intersection(context)) + TITLE * (titled and phrase == bare(passage.title))
            worth += (len(phrase.split()) == long) + (kind == "amount" and phrase.split()[1:] == right.split()[1:])
            worth += 2 * (kind == "number" and _DIGIT.sub("0", phrase) == _DIGIT.sub("0", right))
            best, place = met.get(phrase, (-1, len(met)))
            met[phrase] = max(best, worth), place
    ordered = sorted(met, key=lambda phrase: (-met[phrase][0], met[phrase][1]))
    return [f"{article}{phrase}" for phrase in _wrong([*ordered, *_changed(right, rng)], accepted)]


def kind_of(answer: str) -> str:
    """Return the kind of an answer: "closed" for yes and no, the name of the pattern that it fits, or "words"."""
    if normalize(answer) in ("yes", "no"):
        return "closed"
    return next((name for name, pattern in _KINDS.items() if pattern.fullmatch(answer)), "words")


def bare(title: str) -> str:
    """Return the name in a title, without what stands in brackets behind it."""
    return title.partition(" (")[0]


def _phrases(right: str, kind: str, passage: Passage) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the phrases of a passage that are of a kind, each with the words around it."""
    text = passage.text
    if kind == "name":
        yield bare(passage.title), ()
    for start, end in (
        _words(right, text) if kind == "words" else (match.span() for match in _KINDS[kind].finditer(text))
    ):
        phrase = text[start:end].rstrip(".,-'’") if kind == "name" else text[start:end]
        if kind == "name" and (_START.search(text[max(start - 2, 0) : start]) or phrase.partition(" ")[0] in _SMALL):
            continue
        if kind == "code" and len(phrase) != len(right):
            continue
        yield phrase, tokens(f"{text[max(start - AROUND, 0) : start]} {text[end : end + AROUND]}")


def _words(right: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of as many plain words in a row as the right answer has, none of which says nothing."""
    many = min(max(len(_PLAIN.findall(right)), 1), 3)
    spans = [match.span() for match in _PLAIN.finditer(text)]
    for first, last in zip(spans, spans[many - 1 :], strict=False):
        phrase = text[first[0] : last[1]]
        if phrase.islower() and len(tokens(phrase)) == len(phrase.split()) == many:
            yield first[0], last[1]


def _surroundings(phrase: str, text: str) -> Iterator[str]:
    """Yield the words around each place where a text holds a phrase."""
    if not phrase:
        return
    for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE):
        start, end = match.span()
        yield from tokens(f"{text[max(start - AROUND, 0) : start]} {text[end : end + AROUND]}")


def _changed(right: str, rng: TurnRng) -> Iterator[str]:
    """Yield answers with other digits, where there are any."""
    if not any(map(str.isdecimal, right)):
        return
    for _ in range(12):
        digits = [str(rng.integers(9) + 1) if sign.isdecimal() and sign != "0" else sign for sign in right]
        yield "".join(digits)


def _wrong(phrases: Iterable[str], accepted: Sequence[str]) -> Iterator[str]:
    """Yield those that nobody could accept, each once however it is written."""
    known = set()
    for phrase in phrases:
        form = normalize(phrase)
        if not form or form in known or len(phrase) > LONGEST or "<" in phrase:
            continue
        known.add(form)
        if not could_be(phrase, accepted):
            yield phrase


def could_be(text: str, accepted: Iterable[str]) -> bool:
    """Return whether an answer is accepted, or nearly: all words of one of the two are words of the other."""
    said, forms = set(normalize(text).split()), [normalize(answer) for answer in accepted]
    inside = any(form and form in normalize(text) for form in forms)  # as sub_em judges
    return inside or any(said <= set(form.split()) or set(form.split()) <= said for form in forms)
