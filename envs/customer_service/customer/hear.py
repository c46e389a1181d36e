"""Hearing: what an agent's message is to a customer: questions for facts, a proposal, a refusal, a claim and so on.

A message is read sentence by sentence. What a sentence asks for stands behind the cue that asks ("please provide",
"which", "I need") up to the next cue, so "your order W1 is pending" asks nothing; a request that announces a list asks
for what the lines of the list name. Time is linear in the length, and at most the first 4,000 characters are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from agentgym.envs.customer_service.customer.patterns import Patterns, compiled
from agentgym.envs.customer_service.customer.sentences import BULLET, LONGEST, Said, fold, split
from agentgym.envs.customer_service.customer.words import CustomerWords

_KEPT: Final = 2_048  # messages whose meaning is remembered, for each domain
_NONE: Final[frozenset[str]] = frozenset()
_IT = re.compile(r"\b(?:it|this|that|them|these|those|so|everything|all)\b")
_THIS = re.compile(r"\b(?:it|this|them)\b")
_AGENT = re.compile(  # what the agent would do itself
    r"\b(?:shall|should|may|can|could) (?:i|we)\b|\b(?:want|like|need|prefer) (?:me|us) to\b"
    r"|\b(?:let|allow) me\b(?! know)|\b(?:i|we)(?:'ll| will| would| can| could|'d|'m going to| am going to)\b"
    r"(?! (?:just |also )?(?:like|ask|need|want|suggest|recommend|advise|appreciate)\b)"
)
_DOER = re.compile(r"\b(?:i|we)\b")
_TO_DO = re.compile(r"\b(?:please|could you|can you|would you)\b")
_WHICH = re.compile(r"^(?:which|what) (?:one|option|of (?:these|those|them))\b")
_HANDS = re.compile(  # where the agent would hand the customer over
    r"\b(?:hand(?:ing)? you (?:over|on|to)|transfer(?:ring)? you|connect(?:ing)? you|pass(?:ing)? you|escalat"
    r"|put(?:ting)? you (?:through|in touch))"
)
_SELF = re.compile(r"\bmy tools\b|\bmyself\b|(?:n't|\bnot) something i can\b")
_YET = re.compile(
    r"(?:n't|\bnot) (?:\w+ ){0,2}(?:allowed|enabled|activated?|active|on|open(?:ed)?|set up)\b[^.?!]*\byet\b"
    r"|\b(?:currently|presently|still|at the moment|right now)(?: not|n't)? (?:\w+ )?(?:not |un|dis|in)?(?:allowed"
    r"|enabled|activated?|active|on|off|open(?:ed)?|set up|abled|blocked|barred)\b"
    r"|(?:n't|\bnot) (?:currently|presently|at the moment|right now) (?:allowed|enabled|activated?|active|on"
    r"|open(?:ed)?|set up)\b"
)
_REMEDY = re.compile(r"^(?:but |so )?(?:i|we)(?: can| could|'ll| will|'d)\b(?!'t| not)")
_LIKE_IT = re.compile(  # what may be done to anything
    r"\b(?:chang|modif|updat|adjust|switch|mak|do|doing|appl|sav|add|turn|put|mov|set|get|tak)\w*"
    r" (?:it|that|this|them|these|those|everything"
    r"|(?:this|that|these|those|the) (?:change|update|modification|adjustment)s?)\b(?: (?:on|off|back))*"
)
_CLAUSES = re.compile(
    r"; |,? \b(?:so|but|because|since|although|though|whereas|which(?! case))\b|, as\b|\bas everything\b"
)
_PLANS = re.compile(  # what the agent says it can or will do
    r"\b(?:i|we)(?:'ll|'d| will| would| can| could|'m (?:able|going|ready) to| am (?:able|going|ready) to)\b"
    r"|\b(?:can|will|would|could) (?:now |still |then |also )*be \w+(?:ed|t|en|ne)\b|:$"
)
_DENIES = re.compile(r"n't\b|\b(?:not|no|cannot|never|unable|only|too|against|unfortunately)\b")
_WOULD = re.compile(
    r"\b(?:can|could|will|would|shall|should|may|might|going to|able to|need to|have to|be)\b|'(?:ll|d)\b"
)
_MAY = re.compile(  # what the customer may do instead
    r"^(?!.*(?:\bonly\b|\bnot\b|n't\b|\bno\b)).*"
    r"\byou(?: can\b| could\b| may\b|(?:'re| are) (?:\w+ )?(?:welcome|free) to\b)"
)
_PRONOUN = re.compile(
    r"\s*(?:me |us )?(?:with )?(?:it|them|that|those|these|this|both|one)"
    r"(?: (?:details?|information|please|to me|for me|here|number|id|one))*[?.!,]*$"
)


_PUT = re.compile(  # what the agent would write down for what was spoken of
    r"\s*(?:what |which )?(?:should |shall |can |do |may )?(?:i |we )?(?:put|enter|note|write|record|select|choose|say)"
    r"(?: down| there| here| in| for (?:it|that|this|you)| as (?:it|that|this))*[?.! ]*$"
)


class Heard(NamedTuple):
    """What a message is, all at once; ids and values are lower-cased.

    Attributes:
        asks: the facts that it asks for, in the order of the domain's `asked`.
        proposes: it asks for a yes.
        either: the question for a yes offers one act or another.
        acts: intents whose acts the question for a yes names, or else what the message says that it does not refuse.
        agreed: intents whose acts the question for a yes names; "it" there stands for those that the message names.
        points: the question for a yes names its act at most by an "it" or "that", which may be another offer.
        plans: without a question for a yes, intents whose acts it says the agent can or will do.
        values: fact → the values of its `choices` that are named; only looked for with a question for a yes or a plan.
        names: ids that are named; only looked for with a question for a yes, a plan or a claim.
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
    points: bool = False
    plans: frozenset[str] = frozenset()
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


class Ear:
    """The patterns of a domain, compiled; `hear` remembers what it heard.

    Raises:
        ValueError: a pattern that does not compile; the message names it and its place.
    """

    def __init__(self, words: CustomerWords) -> None:
        self.words = words
        self._asked = Patterns(words.asked, "asked")
        self._acts = Patterns(words.acts, "acts")
        self._refused = Patterns(words.refused, "refused")
        self._instructed = Patterns(words.instructed, "instructed")
        self._choices = [(fact, Patterns(some, f"choices[{fact!r}]")) for fact, some in words.choices.items()]
        self._handles = [compiled(pattern, "handles") for pattern in words.handles]
        self.hear = lru_cache(_KEPT)(self._hear)

    def ids(self, text: str) -> frozenset[str]:
        """Return the ids that a folded text names."""
        likely = [pattern for pattern, runs in self._handles if any(run in text for run in runs)]
        return frozenset([found[0] for pattern in likely for found in pattern.finditer(text)])

    def acts(self, text: str) -> frozenset[str]:
        """Return the intents whose acts a folded text names."""
        return self._acts.keys(text)

    def named(self, text: str) -> dict[str, frozenset[str]]:
        """Return fact → values of its `choices` that a folded text names."""
        found = {fact: values.keys(text) for fact, values in self._choices}
        return {fact: values for fact, values in found.items() if values}

    def reasons(self, text: str) -> frozenset[str]:
        """Return the domain's reasons that a text names, whether or not it refuses."""
        return self._reasons(list(split(fold(text))))

    def _reasons(self, sentences: list[str]) -> frozenset[str]:
        """Return the reasons that sentences name: those that say what may be done instead count where no other does."""
        denying = [sentence for sentence in sentences if not _MAY.match(sentence)]
        return self._refused.keys("\n".join(denying)) or self._refused.keys("\n".join(sentences))

    def _hear(self, text: str) -> Heard:
        said = Said(fold(text))
        whole, claimed = "\n".join(said.sentences), "\n".join(said.claims)
        asks, wanted = self._asks(said), "\n".join(dict.fromkeys(self._wanted(said)))
        refusals = [*self._refusals(said, wanted), *(() if wanted else said.aways)]
        agreed = self._agreed(wanted, said, refusals)
        acts = agreed
        if wanted and not agreed:
            acts = self._acts.keys("\n".join(sentence for sentence in said.sentences if sentence not in refusals))
        plans = _NONE if wanted or claimed or refusals else self._plans(said)
        return Heard(
            asks=asks,
            proposes=bool(wanted),
            either=" or " in wanted and self._distinct(wanted) > 1,
            acts=acts,
            agreed=agreed,
            points=bool(wanted) and not self._acts.found(_LIKE_IT.sub(" ", wanted)),
            plans=plans,
            values=self.named(whole) if wanted or plans else {},
            names=self.ids(whole) if wanted or plans or claimed else _NONE,
            refuses=bool(refusals),
            reasons=self._reasons(said.sentences) if refusals else _NONE,
            claims=bool(claimed),
            done=self._acts.keys(claimed) or (self._acts.keys(whole) if claimed else _NONE),
            offers_more=said.offers,
            instructs=self._instructs(said),
            wonders=said.wonders,
            waits=said.waits,
            lost=said.lost,
        )

    def _agreed(self, wanted: str, said: Said, refusals: list[str]) -> frozenset[str]:
        """Return the intents whose acts a question for a yes names, or those that its "it" stands for.

        "Update it" may be any change: which one, is what the message names elsewhere as something that will be done, or
        else anywhere.
        """
        named = self._acts.keys(_LIKE_IT.sub(" ", wanted))
        if named or not wanted:
            return named
        loose = self._acts.keys(wanted)
        if not loose and not _IT.search(wanted):
            return _NONE
        spoken = [
            clause
            for sentence in said.sentences
            for clause in ([sentence] if sentence not in refusals else _granted(sentence))
        ]
        doing = [clause for sentence in spoken if sentence not in said.claims for clause in _doing(sentence)]
        texts = (_LIKE_IT.sub(" ", "\n".join(some)) for some in (doing, spoken, said.sentences))
        meant = next(filter(None, map(self._acts.keys, texts)), _NONE) or self._acts.keys("\n".join(said.sentences))
        return (loose & meant) or (loose | meant)

    def _plans(self, said: Said) -> frozenset[str]:
        """Return the intents whose acts a message says the agent can or will do."""
        doing = [clause for sentence in said.sentences if _PLANS.search(sentence) for clause in _doing(sentence)]
        if not doing:
            return _NONE
        listed = [sentence for sentence in said.sentences if sentence.startswith(BULLET)]
        return self._acts.keys("\n".join((*doing, *listed)))

    def _wanted(self, said: Said) -> Iterator[str]:
        """Yield the sentences that ask for a yes: "would you like" and "confirm" do where they ask for no fact."""
        yield from said.yes
        acting = self._acting(said)
        for sentence, part in said.likes:
            if sentence in acting or not (" or " in part or self._asked.found(part)):
                yield sentence
        for sentence, part in said.confirms:
            if not self._asked.found(part):
                yield sentence

    def _refusals(self, said: Said, wanted: str) -> Iterator[str]:
        """Yield the sentences that refuse: no "not without …" with a fact, and of regrets those with a reason.

        With a question for a yes, what is not yet so and is to be done refuses nothing, nor does what the agent cannot
        do itself where it would hand the customer over.
        """
        yield from (sentence for sentence in said.refusals if not (wanted and _offered(sentence, said, wanted)))
        for sentence, part in said.needs:
            if not self._asked.found(part):
                yield sentence
        for sentence in said.regrets:
            if self._refused.found(_around(sentence, said.sentences)) and not (
                wanted and _offered(sentence, said, wanted)
            ):
                yield sentence

    def _asks(self, said: Said) -> tuple[str, ...]:
        """Return the facts asked for: where cues ask, else in the sentence, else what "provide it" points back to."""
        parts = [part for _, part in (*said.asks, *said.confirms)]
        acting = self._acting(said)
        parts += [part for sentence, part in said.likes if " or " in part or sentence not in acting]
        found = self._asked.keys("\n".join(parts))
        if not found and said.asks:
            asking = dict.fromkeys(sentence for sentence, _ in said.asks if sentence not in said.yes)
            found = self._asked.keys("\n".join(asking))
            sentence, part = said.asks[-1]
            place = said.sentences.index(sentence)
            if not found and place > 0 and (_PRONOUN.match(part) or _PUT.match(part)):
                found = self._asked.keys(said.sentences[place - 1])
            if not found and any(
                _WHICH.match(part) for _, part in said.asks
            ):  # of what is listed: the fact of which several values are named
                listed = self.named("\n".join(said.sentences))
                found = frozenset(
                    fact for fact, values in listed.items() if len(values) > 1 and fact in self.words.asked
                )
        return tuple(fact for fact in self._asked.order if fact in found) if found else ()

    def _acting(self, said: Said) -> frozenset[str]:
        """Return the sentences with a question for a wish that name acts; each is read once, however many it asks."""
        return frozenset(sentence for sentence in {part.sentence for part in said.likes} if self._acts.found(sentence))

    def _distinct(self, text: str) -> int:
        """Return how many different words name acts in a text."""
        return len({match[0] for match, _ in self._acts.matches(text)})

    def _instructs(self, said: Said) -> tuple[str, ...]:
        if not self._instructed.found("\n".join(said.sentences)):
            return ()
        follows = [*said.sentences[1:], ""]
        doing = [
            _AGENT.split(sentence, 1)[0]
            for sentence, after in zip(said.sentences, follows, strict=True)
            if not _reports(sentence, said) or (_TO_DO.search(after) and _THIS.search(after))
        ]
        places = self._instructed.matches("\n".join(doing))
        return tuple(tool for _, tool in sorted((match.start(), tool) for match, tools in places for tool in tools))


def _around(sentence: str, sentences: list[str]) -> str:
    """Return a sentence with the one before and the one after it."""
    place = sentences.index(sentence)
    return "\n".join(sentences[max(place - 1, 0) : place + 2])


def _granted(sentence: str) -> list[str]:
    """Return the clauses of a sentence with a refusal that refuse nothing, as in "I can't …, but I could …"."""
    return [clause for clause in _CLAUSES.split(sentence) if not _DENIES.search(clause)]


def _doing(sentence: str) -> list[str]:
    """Return the clauses of a sentence that say what would be done: all of a list's item."""
    if sentence.startswith(BULLET) or sentence.endswith(":"):
        return [sentence]
    return [clause for clause in _CLAUSES.split(sentence) if _WOULD.search(clause)]


def _offered(sentence: str, said: Said, wanted: str) -> bool:
    """Whether a sentence that denies something says why the agent offers what it asks a yes for."""
    if _HANDS.search(wanted) and _SELF.search(sentence):
        return True
    after = said.sentences.index(sentence) + 1
    return _YET.search(sentence) is not None and any(_REMEDY.match(some) for some in said.sentences[after : after + 1])


def _reports(sentence: str, said: Said) -> bool:
    """Whether a sentence says what the agent did and nothing that the customer is to do."""
    return sentence in said.claims and "please" not in sentence and _DOER.search(sentence) is not None


_EARS: dict[int, Ear] = {}


def ear_of(words: CustomerWords) -> Ear:
    """Return the ear of a domain's customers, made once."""
    ear = _EARS.get(id(words))
    if ear is None or ear.words is not words:
        if len(_EARS) >= 64:
            _EARS.clear()
        ear = _EARS[id(words)] = Ear(words)
    return ear
