"""What a product's facts are called, made ready so that a sentence is searched for all of them in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from agentgym.envs.sales.claims.lexicon import ENDLESS, HAS, LACKS, NAMES, NOTHING
from agentgym.envs.sales.claims.tokens import FILLERS, Sentence, phrase, words_of
from agentgym.envs.sales.product import Fact, Product
from agentgym.envs.sales.vocabulary import words

NAMED, LACKED, NONE, NO_END, VALUE, OTHER = "named", "lacked", "none", "no end", "value", "other"

_GAP: Final = 2  # words that may stand between two of a turn of phrase
_TAILS: Final = words("included cover needed required function mode safe option possible available")
_EXACTLY: Final = {"light": "lights"}  # a stem that is another word too, and the word that is meant
_ARTICLES: Final = words("the a an this that our small big")


class Hit(NamedTuple):
    """A turn of phrase of a fact in a sentence.

    Attributes:
        start, end: the tokens that it spans.
        fact: the fact's place in `Ear.facts`.
        how: named, or: lacked, none, no end (which say a value too), value, other (those of a choice).
        strength: how surely it means this fact.
        words: the value that is said, of a choice.
    """

    start: int
    end: int
    fact: int
    how: str
    strength: float
    words: str


class _Entry(NamedTuple):
    rest: tuple[str, ...]
    fact: int
    how: str
    strength: float
    words: str


class Ear:
    """A product, and what listens for its facts.

    Attributes:
        product: the product.
        facts: its facts, as `Product.known` gives them.
        names: words of its name, its aliases and its facts, lower case.
        aliases: words of its aliases alone.
        texts: of each fact, what the catalogue prints.
        fits: what an amount measures → the facts that it can be of, but for bare numbers under 100 and money.
    """

    __slots__ = ("_called", "_first", "aliases", "facts", "fits", "names", "places", "product", "texts")

    def __init__(self, product: Product) -> None:
        self.product = product
        self.facts = product.known
        self.places: Mapping[str, int] = {fact.attribute: place for place, fact in enumerate(self.facts)}
        self._first: dict[str, list[_Entry]] = {}
        called = (product.name.lower(), *product.aliases)
        self.aliases = frozenset(word for name in product.aliases for word in name.split())
        self.fits = _fits(self.facts)
        self.texts = tuple(fact.text for fact in self.facts)
        self._called: dict[str, list[list[str]]] = {}
        for name in sorted(called, key=lambda name: -len(name)):
            said = [token for token in words_of(name) if token != "-"]
            if len(said) > 1:
                self._called.setdefault(said[0], []).append(said)
        names = [word for name in called for word in name.replace("-", " ").split()]
        for place, fact in enumerate(self.facts):
            for text, how, strength in _texts(fact):
                self._add(phrase(text), place, how, strength, text)
                names += text.replace("-", " ").split()
        for entries in self._first.values():
            entries.sort(key=lambda entry: -len(entry.rest))
        self.names = frozenset(names)

    def _add(self, stems: tuple[str, ...], place: int, how: str, strength: float, text: str) -> None:
        if stems:
            entry = _Entry(stems[1:], place, how, strength + len(stems), text)
            known = self._first.setdefault(stems[0], [])
            if not any(each[:3] == entry[:3] and each.words == text for each in known):
                known.append(entry)

    def masked(self, sentence: Sentence) -> Sentence:
        """Return a sentence with "it" for the words of the product's name, so that a 300 in it is no figure."""
        if self._called.keys().isdisjoint(sentence.tokens):
            return sentence
        tokens, stems = list(sentence.tokens), list(sentence.stems)
        for at, token in enumerate(sentence.tokens):
            for said in self._called.get(token, ()):
                end = at + len(said)
                if tokens[at:end] == said:
                    tokens[at:end] = stems[at:end] = ["it"] * len(said)
        return Sentence(sentence.text, tokens, stems)

    def hits(self, sentence: Sentence) -> list[Hit]:
        """Return the turns of phrase in a sentence, from left to right, for each fact the longest at a place."""
        first, stems = self._first, sentence.stems
        found: list[Hit] = []
        if first.keys().isdisjoint(stems):
            return found
        for start, word in enumerate(stems):
            if word not in first:
                continue
            entries = first[word]
            if (
                word == "ship"
                and sentence.tokens[start] == "ship"
                and start
                and sentence.tokens[start - 1] in _ARTICLES
            ):
                continue  # the ship of a cruise
            if word in _EXACTLY and sentence.tokens[start] != _EXACTLY[word]:
                entries = [entry for entry in entries if entry.rest or not isinstance(self._value(entry), bool)]
            taken: set[tuple[int, str]] = set()
            for rest, fact, how, strength, text in entries:
                if (fact, how) not in taken:
                    end = _match(stems, start + 1, rest) if rest else start + 1
                    if end:
                        taken.add((fact, how if how != OTHER else text))
                        found.append(Hit(start, end, fact, how, strength, text))
        wide = [hit for hit in found if hit.end - hit.start > 1] if len(found) > 1 else []
        return [hit for hit in found if not any(_inside(hit, other) for other in wide)] if wide else found

    def _value(self, entry: _Entry) -> object:
        return self.facts[entry.fact].value


def _inside(hit: Hit, other: Hit) -> bool:
    """Whether a turn of phrase is but part of a longer one, of another fact."""
    longer = other.end - other.start > hit.end - hit.start
    return longer and other.start <= hit.start and hit.end <= other.end and other.fact != hit.fact


def _match(stems: list[str], at: int, rest: tuple[str, ...]) -> int:
    """Return where a turn of phrase ends of which the first word stands before `at`, 0 where it does not go on so."""
    for word in rest:
        last = min(at + _GAP, len(stems) - 1)
        while at <= last and stems[at] != word and stems[at] in FILLERS:
            at += 1
        if at > last or stems[at] != word:
            return 0
        at += 1
    return at


def _texts(fact: Fact) -> Iterable[tuple[str, str, float]]:
    """Yield the turns of phrase of a fact, each with what it says and how sure it is."""
    name, value = fact.attribute, fact.value
    yield name, NAMED, 2.0
    for word in fact.words:
        yield word, NAMED, 1.5
    if isinstance(value, bool):
        head = " ".join(word for word in name.split() if word not in _TAILS)
        if head and head != name:
            yield head, NAMED, 1.0
        yield from _general(HAS, name, NAMED, 0.5)
        yield from _general(LACKS, name, LACKED, 2.0)
    elif isinstance(value, tuple):
        yield from _general(NAMES, name, NAMED, 0.0)
        for word in value:
            yield word, VALUE, 1.0
        for word in fact.others:
            yield word, OTHER, 1.0
    else:
        yield from _general(NAMES, name, NAMED, 0.0)
        yield from _general(NOTHING, name, NONE, 1.0)
        yield from _general(ENDLESS, name, NO_END, 1.0)
        if " " in name:  # single words of a name of several, weaker
            for word in name.split():
                if word not in _WEAK:
                    yield word, NAMED, -0.5


_WEAK: Final = words(
    "time length sum price free top maximum minimum level size period within paid life in of the up to display"
)


def _general(table: Mapping[str, str], name: str, how: str, strength: float) -> Iterable[tuple[str, str, float]]:
    padded = f" {name}"
    for key, texts in table.items():
        if f" {key}" in padded and (key != "price" or name == key):
            for text in texts.split(";"):
                if text.strip():
                    yield text.strip(), how, strength


_TIMES: Final = words("night day hour week month nights days hours weeks months")


def _fits(facts: Sequence[Fact]) -> Mapping[str, frozenset[int]]:
    """Return what an amount measures → the places of the facts that it can be of.

    Nights are counted, and a week is seven of them; a share of the price may be said in money, and money as a number.
    """
    found: dict[str, set[int]] = {}
    for place, fact in enumerate(facts):
        if isinstance(fact.value, bool | tuple) or fact.attribute == "stock":
            continue
        kinds = [fact.kind]
        if fact.kind == "percentage":
            kinds.append("money")
        elif fact.kind == "money":
            kinds.append("count")
        elif fact.kind == "count" and not _TIMES.isdisjoint(fact.attribute.split()):
            kinds.append("time")
        for kind in kinds:
            found.setdefault(kind, set()).add(place)
    return {kind: frozenset(places) for kind, places in found.items()}


@lru_cache(maxsize=512)
def ear_of(product: Product) -> Ear:
    """Return what listens for a product's facts, made once."""
    return Ear(product)
