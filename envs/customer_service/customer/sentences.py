"""The sentences of an agent's message, and what they are by their cues, before any domain's patterns come in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agentgym.envs.customer_service.customer.cues import Cue, cues

LONGEST: Final = 4_000
"""Characters of a message that are looked at."""

_LINE: Final = 1_000  # characters of a sentence; longer ones are cut, so that no pattern has to search far
BULLET: Final = "• "

_BREAK = re.compile(r"[ \t](?<=[.!?].)[ \t]*")
_MARK = re.compile(r"(?:^|(?<=\n))[ \t]*(?:[-*•–>]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+")
_INLINE = re.compile(r"[ \t]\(?\d[.)][ \t]+")
_LISTS = ("following", "below", "these", "details", "information")
_SHOWS = re.compile(r"\b(?:review|here(?:'s| is| are))\b")
_FILLED = re.compile(r"• [^:?]{1,40}: ?[^\s?][^?]*$")
_IF = re.compile(r"(?<!\bas )\bif\b|\b(?:in case|should you|unless)\b")
_WHEN = re.compile(r"\b(?:if|once|when|whenever|after|in case|should you|before|unless)\b")
_ENOUGH = re.compile(  # what does besides what was asked for
    r"\b(?:will|would|'ll)(?: also| still)* (?:do|be (?:enough|fine|sufficient)|suffice|work)"
    r"(?: as well| too| instead)?[.!]?$"
)
_RECITES = re.compile(  # what is said before something is done, not asked for
    r"\b(?:let me|allow me to|i'll|i will|i'd like to|i want to)\b[^.?!:]{0,40}"
    r"\b(?:read|summari[sz]e|recap|repeat|go (?:over|through)|double-check|make sure|note|point out|mention)\b"
    r"|\b(?:please (?:note|be aware|keep in mind|review|check)|here(?:'s| is| are))\b"
)
_ALSO = re.compile(  # what goes on with what the sentence before asks for
    r"(?:or|and|plus|alternatively|otherwise|failing that|if not|if that's easier|as well as"
    r"|also)\b(?![^.?!]*\b(?:i|we)\b)"
)
_STATED = re.compile(r"(?:it|that|this|is|are|was|were)\b")  # what tells which one is meant, as "it's registered with"
_SOUGHT = re.compile(r"\b(?:describe|give|tell|send|provide|share)\b")
_RECAP = re.compile(r"[\s:,]*(?:so |that )?(?:you|we|i)(?:'d|'ll)?(?: would| will)? (?:want|like|wish|are|asked)\b")
_PLACE = re.compile(r"\b(?:to|from|on|for|in|at|by|under) $")
_FEELS = re.compile(
    r"^(?:i (?:can |do |completely |totally |fully |certainly )*(?:understand|see|hear|know|realize|realise)"
    r"|(?:i'm |i am |we're |we are )?(?:so |very |really |truly |terribly )?sorry (?:that|to hear|you|your))\b"
    r"(?!.*\b(?:but|however|unfortunately|still|wish|(?:i|we) (?:can't|cannot|am unable))\b)"
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "`": None, "\r": "\n"})
_QUESTIONS: Final = frozenset(("ask", "confirm", "like", "yes", "go", "wonder", "wh", "offer"))


class Part(NamedTuple):
    """What stands behind a cue: the sentence, and the part of it up to the next cue."""

    sentence: str
    text: str


def fold(text: str) -> str:
    """Return the first characters of a text as patterns and ids are compared: lower case, plain quotes."""
    folded = text[:LONGEST].lower().replace("**", "")
    if folded.isascii() and "`" not in folded and "\r" not in folded:
        return folded
    return folded.translate(_QUOTES)


def split(folded: str) -> Iterator[str]:
    """Yield the sentences of a folded text, those of list items behind one kind of bullet, none longer than 1,000."""
    if "\n" in folded or folded[:1] in "-*•(1>":
        folded = _MARK.sub(BULLET, folded)
    if ": 1" in folded or ": (1" in folded:
        folded = _INLINE.sub("\n" + BULLET, folded)
    for line in folded.split("\n"):
        line = line.strip()
        bullet = BULLET if line.startswith(BULLET) else ""
        for sentence in _BREAK.split(line[len(bullet) :]):
            for start in range(0, len(sentence), _LINE):
                yield bullet + sentence[start : start + _LINE]


class Said:
    """What the sentences of a message are, read one after the other.

    Attributes:
        sentences: all of them.
        asks, likes, confirms: questions for facts, for a wish, and requests to confirm, which may be either.
        yes: sentences with a question for a yes.
        claims: sentences that say that something was done.
        refusals: sentences that say that something cannot be done.
        aways: sentences that send the customer to somebody else: refusals, unless that is what a yes is asked for.
        regrets: sentences that begin as refusals do, which they are if they name a reason.
        needs: "not without …": refusals, unless what stands behind is a fact that is asked for.
        offers, wonders, waits, lost: whether further help is offered, the wish is asked for, the customer has to wait,
            something was not found.
    """

    __slots__ = (
        "_before", "_listing", "asks", "aways", "claims", "confirms", "likes", "lost", "needs", "offers", "refusals",
        "regrets", "sentences", "waits", "wonders", "yes",
    )  # fmt: skip

    def __init__(self, folded: str) -> None:
        self.asks: list[Part] = []
        self.likes: list[Part] = []
        self.confirms: list[Part] = []
        self.yes: list[str] = []
        self.claims: list[str] = []
        self.needs: list[Part] = []
        self.regrets: list[str] = []
        self.refusals: list[str] = []
        self.aways: list[str] = []
        self.offers = self.wonders = self.waits = self.lost = False
        self._listing = False
        self._before = ""
        self.sentences = list(split(folded))
        for sentence in self.sentences:
            self._read(sentence)
        if self.yes:  # what is listed with a question for a yes is what it is about
            self.asks = [part for part in self.asks if not _FILLED.match(part.sentence)]
            self.confirms = [part for part in self.confirms if not _RECAP.match(part.text)]

    def _read(self, sentence: str) -> None:
        found = cues(sentence)
        if not sentence.startswith(BULLET):
            self._listing = False
        elif self._listing:
            self.asks.append(Part(sentence, sentence))
        if self.asks and ("ll" in sentence or "would" in sentence) and _ENOUGH.search(sentence):
            self.asks.append(Part(sentence, sentence))
        if self.asks and self.asks[-1].sentence is self._before and _ALSO.match(sentence):
            self.asks.append(Part(sentence, sentence))
        self._before = sentence
        if not found:
            if sentence.endswith("?"):
                self.asks.append(Part(sentence, sentence))
            return
        kinds = {kind for kind, _, _ in found}
        before = len(self.asks) + len(self.confirms)
        self._questions(sentence, found, kinds)
        if (sentence.endswith("?") or "please" in kinds) and not kinds & _QUESTIONS:
            self.asks.append(Part(sentence, sentence))
        if len(self.asks) + len(self.confirms) > before and _announces(sentence, kinds):
            self._listing = True
        self._statements(sentence, found, kinds)

    def _questions(self, sentence: str, found: Sequence[Cue], kinds: set[str]) -> None:
        """Sort the parts of a sentence behind its cues into questions for facts, for a wish, for a yes."""
        which = asked = confirmed = False
        recites = "without" in kinds and _RECITES.search(sentence) is not None
        asking = sentence.endswith(("?", ":")) or not kinds.isdisjoint(("ask", "confirm"))
        asking = asking or ("without" in kinds and not recites)
        for (kind, start, end), stop in _parts(sentence, found):
            if kind == "offer":
                self.offers = True
                self.likes = [part for part in self.likes if part.sentence is not sentence]
                return
            if kind == "confirm":
                if not confirmed:
                    self.confirms.append(Part(sentence, sentence[end:]))
                confirmed = True
            elif kind == "yes" or kind == "go":
                if not which:
                    if self.yes[-1:] != [sentence]:
                        self.yes.append(sentence)
                elif kind == "yes":
                    self.asks.append(Part(sentence, sentence[end:stop]))
            elif kind == "like":
                if which or asked:
                    self.asks.append(Part(sentence, sentence[start:stop]))
                elif sentence.endswith("or ", 0, start):
                    self.asks.append(Part(sentence, sentence))
                elif sentence.endswith("?"):
                    self.likes.append(Part(sentence, sentence[end:stop]))
            elif kind == "wonder" or (kind == "wh" and asking):
                which = True
                self.wonders = self.wonders or kind == "wonder"
                before = _PLACE.search(sentence, max(0, start - 6), start)
                self.asks.append(Part(sentence, sentence[before.start() if before else start : stop]))
            elif kind == "ask" or kind == "once" or (kind == "without" and "ask" not in kinds and not recites):
                asked = True
                self.asks.append(Part(sentence, sentence[end:stop]))

    def _statements(self, sentence: str, found: Sequence[Cue], kinds: set[str]) -> None:
        """Note refusals, claims and what else a sentence states."""
        self.waits = self.waits or "wait" in kinds
        self.lost = self.lost or ("lost" in kinds and _stated(sentence, found, "lost"))
        asking = not kinds.isdisjoint(("ask", "without", "once"))
        denied = "not" in kinds and "offer" not in kinds
        denied = denied and _stated(sentence, found, "not") and not _FEELS.search(sentence)
        away = "human" in kinds and kinds.isdisjoint(("if", "yes", "like", "ask")) and "i can" not in sentence
        if denied and asking:
            start = next(start for kind, start, _ in found if kind in ("ask", "without", "once"))
            self.needs.append(Part(sentence, sentence[start:]))
        elif denied:
            self.refusals.append(sentence)
        elif away:
            self.aways.append(sentence)
        elif "sorry" in kinds and kinds.isdisjoint(("ask", "yes", "like", "lost", "confirm", "wh", "go")):
            self.regrets.append(sentence)
        elif "done" in kinds and not sentence.endswith("?") and _claimed(sentence, found, kinds):
            self.claims.append(sentence)


def _announces(sentence: str, kinds: set[str]) -> bool:
    """Whether a sentence that asks asks for what the lines after it list."""
    if sentence.endswith("?") and "wh" not in kinds and _SOUGHT.search(sentence) is not None:
        return True
    lists = sentence.endswith(":") or any(word in sentence for word in _LISTS)
    return lists and not _SHOWS.search(sentence)


def _parts(sentence: str, found: Sequence[Cue]) -> Iterator[tuple[Cue, int]]:
    """Yield the cues of a sentence, each with where what it speaks of ends: at the next, but for two that begin none.

    "The e-mail it's registered with" says that nothing was done, and "what should I" asks for no yes.
    """
    begun = [cue for cue in found if cue[0] != "done" or not _STATED.match(sentence, cue[1])]
    ends = [*(start for _, start, _ in begun[1:]), len(sentence)]
    for place, cue in enumerate(begun):
        stop = ends[place]
        if cue[0] == "wh" and stop - cue[2] <= 1 and place + 1 < len(begun) and begun[place + 1][0] in ("if", "yes"):
            stop = ends[place + 1]
        yield cue, stop


def _claimed(sentence: str, found: Sequence[Cue], kinds: set[str]) -> bool:
    """Whether a sentence says that something was done, and does not only tell which thing it asks for."""
    if not kinds.isdisjoint(("yes", "like")):
        return False
    asks = next((start for kind, start, _ in found if kind == "ask"), len(sentence))
    return _stated(sentence, [cue for cue in found if cue[1] < asks], "done")


def _stated(sentence: str, found: Sequence[Cue], kind: str) -> bool:
    """Whether a cue of this kind stands outside of an "if …", "once …" or "when …" that no comma has ended."""
    for other, at, _ in found:
        if other == kind:
            start = max(sentence.rfind(",", 0, at), 0)
            if not (_WHEN if kind == "done" else _IF).search(sentence, start, at):
                return True
    return False
