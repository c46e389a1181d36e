"""Users and judges that a model speaks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median_low
from typing import Any, Final, TypeVar

from agentgym.errors import InfraError
from agentgym.http import NoAnswer
from agentgym.llm.model import Model
from agentgym.llm.prompts import (
    JUDGE_AGAIN,
    Unfit,
    judge_messages,
    read_levels,
    read_user,
    user_again,
    user_messages,
)
from agentgym.rng import TurnRng
from agentgym.user import Draft, Item, Said, Scene

T = TypeVar("T")
TRIES: Final = 3
USER_OPTIONS: Final[Mapping[str, Any]] = {"temperature": 0.7, "max_tokens": 256}
JUDGE_OPTIONS: Final[Mapping[str, Any]] = {
    "temperature": 0.0,
    "max_tokens": 512,
    "response_format": {"type": "json_object"},
}


class LLMUser:
    """A user whose drafts a model says in words of its own.

    The words must hold the draft's facts to the letter; where they do not, the model is told so and asked again. The
    draws of a turn decide the request's seed, on a stream of their own, so that a fork with draws of its own hears
    other words, and one without hears the same.

    Args:
        model: that speaks.
        tries: how often it is asked for one message that can be used.
        options: of the requests, on top of temperature 0.7 and max_tokens 256; None leaves one out.

    Raises:
        ValueError: tries is no int of at least 1.
    """

    scripted = False

    def __init__(self, model: Model, *, tries: int = TRIES, options: Mapping[str, Any] | None = None) -> None:
        self.model, self._tries = model, _checked(tries)
        self._options = {**USER_OPTIONS, **(options or {})}

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        """Return what the model says, and which of the draft's choices it takes, if it takes one.

        Raises:
            InfraError: "user_error": no answer, or none that can be used in so many tries.
            CassetteMiss, BudgetSpent: as `Model.reply`; these are no end of an episode but of the run.
        """
        options = self._options
        if options.get("temperature") != 0:  # where nothing is drawn, one reply serves every seed
            draw = TurnRng(rng.seed, rng.branch, rng.turn, "user").bits() >> 33
            options = {"seed": draw, **options}
        text, act = _asked(
            self.model, user_messages(scene, draft), options, self._tries, lambda why: user_again(why, draft),
            "user_error", lambda said: read_user(said, draft),
        )  # fmt: skip
        return Said(text, act)

    def __repr__(self) -> str:
        return f"LLMUser({self.model!r})"


class LLMJudge:
    """A judge of what an agent said, who answers each item by a whole number within its bounds.

    Args:
        model: that judges.
        tries: how often it is asked for one answer that can be used.
        votes: how many answers are asked for, each with a seed of its own where there are several; the lower median
            counts.
        spread: how far the votes on one item may lie apart.
        options: of the requests, on top of temperature 0, max_tokens 512 and an answer in JSON; None leaves one out.

    Raises:
        ValueError: tries or votes is no int of at least 1, spread none of at least 0.
    """

    def __init__(
        self,
        model: Model,
        *,
        tries: int = TRIES,
        votes: int = 1,
        spread: int = 1,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.model, self._tries, self._votes = model, _checked(tries), _checked(votes, "votes")
        self._spread = _checked(spread, "spread", 0)
        self._options = {**JUDGE_OPTIONS, **(options or {})}

    def levels(self, scene: Scene, items: Sequence[Item]) -> dict[str, int]:
        """Return item name → level for every item.

        Raises:
            InfraError: "judge_error": no answer, none that can be used in so many tries, or votes too far apart.
            CassetteMiss, BudgetSpent: as `Model.reply`.
        """
        messages = judge_messages(scene, items)
        votes = [
            _asked(
                self.model, messages, {**self._options, **({"seed": vote} if self._votes > 1 else {})}, self._tries,
                lambda why: JUDGE_AGAIN.format(why=why), "judge_error", lambda said: read_levels(said, items),
            )
            for vote in range(self._votes)
        ]  # fmt: skip
        for item in items:
            given = [vote[item.name] for vote in votes]
            if max(given) - min(given) > self._spread:
                raise InfraError(f"the votes of {self.model.name} on {item.name} lie apart: {given}", "judge_error")
        return {item.name: median_low([vote[item.name] for vote in votes]) for item in items}

    def __repr__(self) -> str:
        return f"LLMJudge({self.model!r})"


def _asked(
    model: Model,
    messages: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
    tries: int,
    again: Callable[[str], str],
    detail: str,
    read: Callable[[str], T],
) -> T:
    """Ask until a reply can be used; each further request holds the last reply and what was wrong with it.

    It has a seed of its own: what a model draws again need not be what it drew.
    """
    asked, why = [*messages], ""
    for attempt in range(tries):
        seed = {"seed": options.get("seed", 0) + attempt} if attempt or "seed" in options else {}
        try:
            reply = model.reply(asked, **{**options, **seed})
        except NoAnswer as error:
            raise InfraError(str(error), detail) from error
        try:
            if reply.refusal or reply.finish == "content_filter":
                raise Unfit("it is a refusal")
            if reply.finish == "length":
                raise Unfit("it was cut off because it is too long")
            return read(reply.text)
        except Unfit as fault:
            why = str(fault)
            said = reply.text or reply.refusal or "…"
            asked = [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": again(why)}]
    raise InfraError(f"{model.name} gave no reply that can be used in {tries} tries, at last: {why}", detail)


def _checked(value: int, name: str = "tries", least: int = 1) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"{name} must be an int of at least {least}, not {value!r:.60}")
    return value
