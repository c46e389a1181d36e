"""Listening: one message of an agent, read by the rules of language and the patterns of a domain that may be in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from agentgym.envs.customer_service.customer.patterns import Patterns
from agentgym.envs.customer_service.customer.sentences import BULLET, Said, fold

if TYPE_CHECKING:
    from agentgym.envs.customer_service.customer.hear import Ear

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


Value = TypeVar("Value")


class once(Generic[Value]):
    """A property that is worked out when it is first asked for, without the lock of `functools.cached_property`."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make, self._name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        value = instance.__dict__[self._name] = self._make(instance)
        return value


class Listening:
    """A message that is listened to: its attributes are those of `Heard`, worked out when a customer asks for them.

    Args:
        ear: the patterns of the domain.
        text: the message.
    """

    def __init__(self, ear: Ear, text: str) -> None:
        self.ear, self.folded = ear, fold(text)
        self.said = said = Said(self.folded)
        self.claims, self.offers_more = bool(said.claims), said.offers
        self.wonders, self.waits, self.lost = said.wonders, said.waits, said.lost

    def all(self) -> Heard:
        """Return all that the message is."""
        return Heard(*(getattr(self, name) for name in Heard._fields))

    @once
    def whole(self) -> str:
        """The sentences, a line each."""
        return "\n".join(self.said.sentences)

    @once
    def words(self) -> set[str]:
        """What stands between the blanks of the message, by which the patterns are picked that may be found in it."""
        return set(self.folded.split())

    @once
    def asked(self) -> Patterns:
        """The facts that may be in the message."""
        return self.ear.asked.among(self.words)

    @once
    def doing(self) -> Patterns:
        """The acts that may be in the message."""
        return self.ear.doing.among(self.words)

    @once
    def wanted(self) -> str:
        """The sentences that ask for a yes, a line each."""
        said = self.said
        return "\n".join(dict.fromkeys(self._wanted())) if said.yes or said.likes or said.confirms else ""

    @once
    def refusals(self) -> list[str]:
        """The sentences that refuse."""
        said = self.said
        denied = self._refusals(self.wanted) if said.refusals or said.needs or said.regrets else ()
        return [*denied, *(() if self.wanted else said.aways)]

    @once
    def asks(self) -> tuple[str, ...]:
        """The facts asked for, in the order of the domain's `asked`."""
        return self._asks()

    @once
    def proposes(self) -> bool:
        """Whether it asks for a yes."""
        return bool(self.wanted)

    @once
    def either(self) -> bool:
        """Whether the question for a yes offers one act or another."""
        return " or " in self.wanted and self._distinct(self.wanted) > 1

    @once
    def named(self) -> frozenset[str]:
        """The acts that the question for a yes names by themselves."""
        return self.doing.keys(_LIKE_IT.sub(" ", self.wanted)) if self.wanted and self.doing.groups else _NONE

    @once
    def agreed(self) -> frozenset[str]:
        """Intents whose acts the question for a yes names, or its "it" stands for."""
        return self.named or (self._pointed(self.wanted, self.refusals) if self.wanted else _NONE)

    @once
    def acts(self) -> frozenset[str]:
        """Those, or else the intents whose acts the message names where it refuses nothing."""
        if not self.wanted or self.agreed:
            return self.agreed
        return self.doing.keys("\n".join(some for some in self.said.sentences if some not in self.refusals))

    @once
    def points(self) -> bool:
        """Whether the question for a yes names its act at most by an "it"."""
        return bool(self.wanted) and not self.named

    @once
    def plans(self) -> frozenset[str]:
        """Without a question for a yes: intents whose acts it says the agent can or will do."""
        return _NONE if self.wanted or self.claims or self.refusals else self._plans()

    @once
    def values(self) -> Mapping[str, frozenset[str]]:
        """Fact → the values of its `choices` that are named with a question for a yes or a plan."""
        return self.ear.named(self.whole) if self.wanted or self.plans else {}

    @once
    def names(self) -> frozenset[str]:
        """The ids that are named with a question for a yes, a plan or a claim."""
        return self.ear.ids(self.whole) if self.wanted or self.claims or self.plans else _NONE

    @once
    def refuses(self) -> bool:
        """Whether it says that something cannot be done."""
        return bool(self.refusals)

    @once
    def reasons(self) -> frozenset[str]:
        """The domain's reasons that a refusal names."""
        return reasons_in(self.ear.refused, self.said.sentences) if self.refusals else _NONE

    @once
    def done(self) -> frozenset[str]:
        """Intents whose acts the claiming sentences name, or else the message."""
        if not self.claims:
            return _NONE
        return self.doing.keys("\n".join(self.said.claims)) or self.doing.keys(self.whole)

    @once
    def instructs(self) -> tuple[str, ...]:
        """Tools of the customer's own that it asks to use, in the order in which they are mentioned."""
        return self._instructs()

    def _pointed(self, wanted: str, refusals: list[str]) -> frozenset[str]:
        """Return the intents whose acts the "it" of a question for a yes stands for, that names none by itself.

        "Update it" may be any change: which one, is what the message names elsewhere as something that will be done, or
        else anywhere.
        """
        if not self.doing.groups:
            return _NONE
        loose = self.doing.keys(wanted)
        if not loose and not _IT.search(wanted):
            return _NONE
        spoken = [
            clause
            for sentence in self.said.sentences
            for clause in ([sentence] if sentence not in refusals else _granted(sentence))
        ]
        doing = [clause for sentence in spoken if sentence not in self.said.claims for clause in _doing(sentence)]
        texts = (_LIKE_IT.sub(" ", "\n".join(some)) for some in (doing, spoken, self.said.sentences))
        meant = next(filter(None, map(self.doing.keys, texts)), _NONE) or self.doing.keys(self.whole)
        return (loose & meant) or (loose | meant)

    def _plans(self) -> frozenset[str]:
        """Return the intents whose acts a message says the agent can or will do."""
        doing = [clause for sentence in self.said.sentences if _plans(sentence) for clause in _doing(sentence)]
        if not doing:
            return _NONE
        listed = [sentence for sentence in self.said.sentences if sentence.startswith(BULLET)]
        return self.doing.keys("\n".join((*doing, *listed)))

    def _wanted(self) -> Iterator[str]:
        """Yield the sentences that ask for a yes: "would you like" and "confirm" do where they ask for no fact."""
        yield from self.said.yes
        for sentence, part in self.said.likes:
            if sentence in self.acting or not (" or " in part or self.asked.found(part)):
                yield sentence
        for sentence, part in self.said.confirms:
            if not self.asked.found(part):
                yield sentence

    def _refusals(self, wanted: str) -> Iterator[str]:
        """Yield the sentences that refuse: no "not without …" with a fact, and of regrets those with a reason.

        With a question for a yes, what is not yet so and is to be done refuses nothing, nor does what the agent cannot
        do itself where it would hand the customer over.
        """
        yield from (
            sentence for sentence in self.said.refusals if not (wanted and _offered(sentence, self.said, wanted))
        )
        for sentence, part in self.said.needs:
            if not self.asked.found(part):
                yield sentence
        for sentence in self.said.regrets:
            if self.ear.refused.found(_around(sentence, self.said.sentences)) and not (
                wanted and _offered(sentence, self.said, wanted)
            ):
                yield sentence

    def _asks(self) -> tuple[str, ...]:
        """Return the facts asked for: where cues ask, else in the sentence, else what "provide it" points back to."""
        parts = [part for _, part in (*self.said.asks, *self.said.confirms)]
        parts += [part for sentence, part in self.said.likes if " or " in part or sentence not in self.acting]
        found = self.asked.keys("\n".join(parts)) if parts else _NONE
        if not found and self.said.asks:
            asking = dict.fromkeys(sentence for sentence, _ in self.said.asks if sentence not in self.said.yes)
            found = self.asked.keys("\n".join(asking))
            sentence, part = self.said.asks[-1]
            place = self.said.sentences.index(sentence)
            if not found and place > 0 and (_PRONOUN.match(part) or _PUT.match(part)):
                found = self.asked.keys(self.said.sentences[place - 1])
            if not found and any(
                _WHICH.match(part) for _, part in self.said.asks
            ):  # of what is listed: the fact of which several values are named
                listed = self.ear.named(self.whole)
                found = frozenset(
                    fact for fact, values in listed.items() if len(values) > 1 and fact in self.asked.order
                )
        return tuple(fact for fact in self.asked.order if fact in found) if found else ()

    @once
    def acting(self) -> frozenset[str]:
        """The sentences with a question for a wish that name acts; each is read once, however many it asks."""
        if not self.said.likes:
            return _NONE
        return frozenset(
            sentence for sentence in {part.sentence for part in self.said.likes} if self.doing.found(sentence)
        )

    def _distinct(self, text: str) -> int:
        """Return how many different words name acts in a text."""
        return len({match[0] for match, _ in self.doing.matches(text)})

    def _instructs(self) -> tuple[str, ...]:
        if not self.ear.instructed.groups or not self.ear.instructed.found(self.whole):
            return ()
        follows = [*self.said.sentences[1:], ""]
        doing = [
            _AGENT.split(sentence, 1)[0]
            for sentence, after in zip(self.said.sentences, follows, strict=True)
            if not _reports(sentence, self.said) or (_TO_DO.search(after) and _THIS.search(after))
        ]
        places = self.ear.instructed.matches("\n".join(doing))
        return tuple(tool for _, tool in sorted((match.start(), tool) for match, tools in places for tool in tools))


def _around(sentence: str, sentences: list[str]) -> str:
    """Return a sentence with the one before and the one after it."""
    place = sentences.index(sentence)
    return "\n".join(sentences[max(place - 1, 0) : place + 2])


def _plans(sentence: str) -> bool:
    """Whether a sentence says what the agent can or will do; searched only where a word stands that it needs."""
    if "ll" in sentence or "ould" in sentence or "can" in sentence or "'d" in sentence or sentence.endswith(":"):
        return _PLANS.search(sentence) is not None
    return ("able" in sentence or "going" in sentence or "ready" in sentence) and _PLANS.search(sentence) is not None


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


def reasons_in(refused: Patterns, sentences: list[str]) -> frozenset[str]:
    """Return the reasons that sentences name: those that say what may be done instead count where no other does."""
    denying = [sentence for sentence in sentences if not _MAY.match(sentence)]
    return refused.keys("\n".join(denying)) or refused.keys("\n".join(sentences))
