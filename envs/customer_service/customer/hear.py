"""Hearing: what an agent's message is to a customer: questions for facts, a proposal, a refusal, a claim and so on.

A message is read sentence by sentence. What a sentence asks for stands behind the cue that asks ("please provide",
"which", "I need") up to the next cue, so "your order W1 is pending" asks nothing; a request that announces a list asks
for what the lines of the list name. Time is linear in the length, and at most the first 4,000 characters are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from agentgym.envs.customer_service.customer.cues import cues
from agentgym.envs.customer_service.customer.words import CustomerWords

LONGEST: Final = 4_000
"""Characters of a message that are looked at."""

_LINE: Final = 1_000  # characters of a sentence; longer ones are cut, so that no pattern has to search far
_KEPT: Final = 2_048  # messages whose meaning is remembered, for each domain

_BREAK = re.compile(r"(?<=[.!?])[ \t]+|\s*\n\s*")
_MARK = re.compile(r"(?:^|(?<=\n))[ \t]*(?:[-*•–>]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+")
_INLINE = re.compile(r"[ \t]\(?\d[.)][ \t]+")
_LISTS = re.compile(r"following|below|these|details|information|:$")
_PRONOUN = re.compile(r"\b(?:it|them|that|those|these|this|one|both)\b")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "`": None, "\r": "\n"})
_BULLET: Final = "• "


class Heard(NamedTuple):
    """What a message is, all at once; ids and values are lower-cased.

    Attributes:
        asks: the facts that it asks for, in the order of the domain's `asked`.
        proposes: it asks for a yes.
        either: the question for a yes offers one act or another.
        acts: intents whose acts the message names; only looked for with a question for a yes or a claim.
        agreed: intents whose acts the sentences with the question for a yes name.
        values: fact → the values of its `choices` that are named; only looked for with a question for a yes.
        names: ids that are named; only looked for with a question for a yes or a claim.
        refuses: it says that something cannot be done.
        reasons: the domain's reasons that it names; only looked for with a refusal.
        claims: it says that something was done.
        done: intents whose acts the claiming sentences name.
        offers_more: it offers further help, or says goodbye.
        instructs: tools of the customer's own that it asks to use, in the order in which they are mentioned.
        wonders: it asks what the customer wants.
        waits: it asks to wait, or says what the agent is about to do.
        lost: it says that something was not found or not understood.
    """

    asks: tuple[str, ...] = ()
    proposes: bool = False
    either: bool = False
    acts: frozenset[str] = frozenset()
    agreed: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = {}
    names: frozenset[str] = frozenset()
    refuses: bool = False
    reasons: frozenset[str] = frozenset()
    claims: bool = False
    done: frozenset[str] = frozenset()
    offers_more: bool = False
    instructs: tuple[str, ...] = ()
    wonders: bool = False
    waits: bool = False
    lost: bool = False


def hear(words: CustomerWords, text: str) -> Heard:
    """Return what an agent's message is for the customers of a domain."""
    return ear_of(words).hear(text[:LONGEST])


def fold(text: str) -> str:
    """Return the first characters of a text as patterns and ids are compared: lower case, plain quotes."""
    return text[:LONGEST].lower().translate(_QUOTES).replace("**", "")


class Ear:
    """The patterns of a domain, compiled; `hear` remembers what it heard."""

    def __init__(self, words: CustomerWords) -> None:
        self.words = words
        self._asked = _compiled(words.asked)
        self._acts = _compiled(words.acts)
        self._refused = _compiled(words.refused)
        self._instructed = _compiled(words.instructed)
        self._choices = [(fact, _compiled(values)) for fact, values in words.choices.items()]
        self._handles = [re.compile(pattern) for pattern in words.handles]
        self.hear = lru_cache(_KEPT)(self._hear)

    def ids(self, text: str) -> frozenset[str]:
        """Return the ids that a folded text names."""
        return frozenset(found[0] for pattern in self._handles for found in pattern.finditer(text))

    def named(self, text: str) -> dict[str, frozenset[str]]:
        """Return fact → values of its `choices` that a folded text names."""
        found = {fact: _found(values, text) for fact, values in self._choices}
        return {fact: values for fact, values in found.items() if values}

    def _hear(self, text: str) -> Heard:
        said = _Said()
        sentences = list(split(fold(text)))
        for sentence in sentences:
            said.read(sentence)
        asks = self._asks(said, sentences)
        whole = "\n".join(sentences)
        likes = [sentence for sentence, part in said.likes if not _found(self._asked, part) or self._is_act(sentence)]
        confirms = [sentence for sentence, part in said.confirms if not _found(self._asked, part)]
        wanted = "\n".join((*said.yes, *likes, *confirms))
        claimed = "\n".join(said.claims)
        agreed = _found(self._acts, wanted)
        return Heard(
            asks=asks,
            proposes=bool(wanted),
            either=" or " in wanted and self._distinct(wanted) > 1,
            acts=_found(self._acts, whole) if wanted or claimed else frozenset(),
            agreed=agreed,
            values=self.named(whole) if wanted else {},
            names=self.ids(whole) if wanted or claimed else frozenset(),
            refuses=said.refuses,
            reasons=_found(self._refused, whole) if said.refuses else frozenset(),
            claims=bool(claimed),
            done=_found(self._acts, claimed),
            offers_more=said.offers,
            instructs=self._instructs(said, sentences),
            wonders=said.wonders,
            waits=said.waits,
            lost=said.lost,
        )

    def _asks(self, said: _Said, sentences: Sequence[str]) -> tuple[str, ...]:
        """Return the facts asked for: where cues ask, else in the sentence, else what "provide it" points back to."""
        parts = [part for _, part in (*said.asks, *said.confirms)]
        parts += [part for sentence, part in said.likes if not self._is_act(sentence) or " or " in part]
        found = _found(self._asked, "\n".join(parts))
        if not found and said.asks:
            found = _found(self._asked, "\n".join(sentence for sentence, _ in said.asks))
        if not found and said.asks and sentences[0] != said.asks[-1][0] and _PRONOUN.search(said.asks[-1][1]):
            before = sentences.index(said.asks[-1][0]) - 1
            found = _found(self._asked, sentences[before])
        return tuple(fact for fact in self._asked if fact in found)

    def _is_act(self, sentence: str) -> bool:
        return any(pattern.search(sentence) for pattern in self._acts.values())

    def _distinct(self, text: str) -> int:
        """Return how many different words name acts in a text."""
        found = (pattern.search(text) for pattern in self._acts.values())
        return len({match[0] for match in found if match is not None})

    def _instructs(self, said: _Said, sentences: Sequence[str]) -> tuple[str, ...]:
        if not self._instructed:
            return ()
        text = "\n".join(sentence for sentence in sentences if sentence not in said.claims)
        places = ((pattern.search(text), tool) for tool, pattern in self._instructed.items())
        return tuple(tool for _, tool in sorted((match.start(), tool) for match, tool in places if match is not None))


class _Said:
    """What the sentences of a message are, read one after the other."""

    def __init__(self) -> None:
        self.asks: list[tuple[str, str]] = []  # sentence, and the part of it behind the cue
        self.likes: list[tuple[str, str]] = []
        self.confirms: list[tuple[str, str]] = []
        self.yes: list[str] = []
        self.claims: list[str] = []
        self.refuses = self.offers = self.wonders = self.waits = self.lost = False
        self._listing = False

    def read(self, sentence: str) -> None:
        """Take in the next sentence."""
        found = list(cues(sentence))
        kinds = {cue.kind for cue in found}
        if sentence.startswith(_BULLET):
            if self._listing and not kinds & {"ask", "confirm", "like", "yes"}:
                self.asks.append((sentence, sentence))
                return
        elif self._listing and not sentence.startswith(_BULLET):
            self._listing = False
        if not found:
            if sentence.endswith("?"):
                self.asks.append((sentence, sentence))
            return
        before = len(self.asks)
        self._questions(sentence, found)
        asked = len(self.asks) > before
        if not kinds & {"ask", "confirm", "like", "yes", "go", "wonder", "wh", "offer"} and sentence.endswith("?"):
            self.asks.append((sentence, sentence))
        self._listing = self._listing or (asked and _LISTS.search(sentence) is not None)
        self._statements(sentence, found, kinds)

    def _questions(self, sentence: str, found: Sequence[tuple[str, int, int]]) -> None:
        """Sort the parts of a sentence behind its cues into questions for facts, for a wish, for a yes."""
        which = offered = False
        asking = sentence.endswith(("?", ":")) or any(kind in ("ask", "confirm") for kind, _, _ in found)
        ends = [*(start for _, start, _ in found[1:]), len(sentence)]
        for (kind, start, end), stop in zip(found, ends, strict=True):
            part = sentence[start:stop] if kind in ("wh", "wonder") else sentence[end:stop]
            if kind == "offer":
                self.offers = offered = True
            elif kind == "yes" or (kind == "go" and not which):
                self.yes.append(sentence)
            elif offered:
                continue
            elif kind in ("ask", "wonder") or (kind == "wh" and asking and sentence[max(start - 2, 0) : start] != ", "):
                self.asks.append((sentence, part))
                which = which or kind != "ask"
                self.wonders = self.wonders or kind == "wonder"
            elif kind in ("like", "go") and which:
                self.asks.append((sentence, part))
            elif kind == "like" and (sentence.endswith("?") or "let me know" in sentence):
                self.likes.append((sentence, part))
            elif kind == "confirm":
                self.confirms.append((sentence, sentence[end:]))
            elif kind == "without":
                self.asks.append((sentence, part))

    def _statements(self, sentence: str, found: Sequence[tuple[str, int, int]], kinds: set[str]) -> None:
        """Note refusals, claims and what else a sentence states."""
        self.waits = self.waits or "wait" in kinds
        self.lost = self.lost or "lost" in kinds
        if "without" in kinds:
            return
        denied = next((start for kind, start, _ in found if kind == "not" and not _conditional(sentence, start)), -1)
        weak = "sorry" in kinds and not kinds & {"ask", "yes", "like", "lost", "confirm", "wh", "go"}
        if weak or (denied >= 0 and not kinds & {"ask", "offer"}):
            self.refuses = True
        elif not sentence.endswith("?"):
            at = next((start for kind, start, _ in found if kind == "done" and not _conditional(sentence, start)), -1)
            if at >= 0 and not kinds & {"yes", "like"}:
                self.claims.append(sentence)


def _conditional(sentence: str, at: int) -> bool:
    """Whether the words at a place belong to an "if …", "once …" or "when …" that no comma has ended."""
    start = max(sentence.rfind(",", 0, at), 0)
    return _IF.search(sentence, start, at) is not None


_IF = re.compile(r"\b(?:if|once|when|whenever|after|in case|should you|before|unless)\b")


def split(folded: str) -> Iterator[str]:
    """Yield the sentences and lines of a folded text, list items with one kind of bullet, none longer than 1,000."""
    if "\n" in folded or folded[:1] in "-*•(1>":
        folded = _MARK.sub(_BULLET, folded)
    if ": 1" in folded or ": (1" in folded:
        folded = _INLINE.sub("\n" + _BULLET, folded)
    for sentence in _BREAK.split(folded):
        if len(sentence) <= _LINE:
            if sentence:
                yield sentence
        else:
            yield from (sentence[start : start + _LINE] for start in range(0, len(sentence), _LINE))


def _compiled(patterns: Mapping[str, Sequence[str]]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join(f"(?:{pattern})" for pattern in items)) for name, items in patterns.items()}


def _found(patterns: Mapping[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in patterns.items() if pattern.search(text)) if text else frozenset()


_EARS: dict[int, Ear] = {}


def ear_of(words: CustomerWords) -> Ear:
    """Return the ear of a domain's customers, made once."""
    ear = _EARS.get(id(words))
    if ear is None or ear.words is not words:
        if len(_EARS) >= 64:
            _EARS.clear()
        ear = _EARS[id(words)] = Ear(words)
    return ear
