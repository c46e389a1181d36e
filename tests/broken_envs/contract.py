"""Worlds that each break one rule of the contract, and no other."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

from broken_envs.sound import Safe, Sound, SoundTools
from gymnasium.spaces import Text

from agentgym import (
    AgentEnv,
    EndReason,
    InvalidAction,
    Opening,
    Outcome,
    Task,
    TaskPanel,
    ToolCall,
    Turn,
    TurnRng,
    UnicodeText,
)
from agentgym.reward import SPARSE
from agentgym.world import World

SERIAL = count()


class Retold(Sound):
    """Base of those that change what info says."""

    def told(self, info: Any) -> Any:
        raise NotImplementedError

    def reset(self, **kwargs: Any) -> Any:  # type: ignore[override]
        observation, info = super().reset(**kwargs)
        return observation, self.told(info)

    def step(self, action: Any) -> Any:
        *rest, info = super().step(action)
        return (*rest, self.told(info))

    def restore(self, snapshot: Any, *, branch: int | None = None) -> Any:
        observation, info = super().restore(snapshot, branch=branch)
        return observation, self.told(info)


# ---- made ------------------------------------------------------------------------------------------------------------


class PanelOfTheMoment(Sound):
    """Builds other tasks every time."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["tasks"] = [Task("digits-4", {"digits": 4, "made": next(SERIAL)})]
        super().__init__(**kwargs)


class TaskWithoutDigits(Sound):
    """Has a task that it cannot start."""

    panel = TaskPanel("safes", {"train": [Task("digits-4", {"digits": 4})], "test": [Task("none")]})


class TakesNoArguments(Sound):
    """Cannot be asked for signals, nor for anything else."""

    def __init__(self) -> None:
        super().__init__()


# ---- spaces ----------------------------------------------------------------------------------------------------------


class PlainText(Sound):
    """Has a space of some characters only."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.action_space = Text(1000)  # type: ignore[assignment]


class LongerThanItsSpace(Sound):
    """Declares fewer characters than it shows."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.observation_space = UnicodeText(50)

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn = super().transition(state, action, rng)
        turn.observation += " " * 40
        return turn


class SpaceOfTheEpisode(Sound):
    """Makes its space anew in every episode."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        self.action_space = UnicodeText(self.max_action)
        return super().initial(task, rng)


class SpaceOfTheInstance(Sound):
    """Has other spaces in every instance."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.action_space = UnicodeText(self.max_action + next(SERIAL))


# ---- gymnasium -------------------------------------------------------------------------------------------------------


class WithoutRenderModes(Sound):
    """Does not say how fast it is drawn."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}  # type: ignore[misc]


# ---- info, messages, fresh -------------------------------------------------------------------------------------------


class OtherSeed(Retold):
    """Names another seed than it was given."""

    def told(self, info: Any) -> Any:
        info["seed"] += 1
        return info


class OwnKey(Retold):
    """Puts a key of its own into info."""

    def told(self, info: Any) -> Any:
        info["mood"] = "calm"
        return info


class TwoTurnsAStep(Retold):
    """Counts every turn twice."""

    def told(self, info: Any) -> Any:
        info["turn"] *= 2
        return info


class PanelChanges(Retold):
    """Names another panel in every turn."""

    def told(self, info: Any) -> Any:
        info["panel"] += f"-{info['turn']}"
        return info


class ToolsOfNobody(Retold):
    """Tells of a tool that it has not."""

    def told(self, info: Any) -> Any:
        if info["turn"] == 0:
            info["tools"] = [{"type": "function", "function": {"name": "knock"}}]
        return info


class WordsInTheMouth(Retold):
    """Has the agent say in messages what it never said."""

    def told(self, info: Any) -> Any:
        if info["turn"]:
            info["messages"][0]["content"] = "wait"
        return info


class SilentMessages(Retold):
    """Leaves the observation out of the messages."""

    def told(self, info: Any) -> Any:
        info["messages"][-1]["content"] = "…"
        return info


class SharedMetrics(Retold):
    """Hands out one dict to all."""

    shared: ClassVar[dict[str, float]] = {}

    def told(self, info: Any) -> Any:
        if info["turn"] > 1:  # Gymnasium's checker looks at the first turn
            info["metrics"] = self.shared
        return info


# ---- ends, limit -----------------------------------------------------------------------------------------------------


class BothFlags(Sound):
    """Is terminated and truncated at once."""

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated or terminated, info


class SuccessfulLeave(Sound):
    """Succeeds without having solved anything."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn = super().transition(state, action, rng)
        if turn.outcome is not None and not turn.outcome.success:
            turn.outcome = Outcome(True, 0.0, EndReason.GAVE_UP)
        return turn


class StepsOn(Sound):
    """Answers after the end."""

    def step(self, action: Any) -> Any:
        if self._over and self._task is not None:
            return self._observation, 0.0, True, False, self._current_info()
        return super().step(action)


class ChangesAfterTheEnd(Sound):
    """Raises after the end, but counts."""

    def step(self, action: Any) -> Any:
        if self._over and self._task is not None:
            self._observation += "!"
        return super().step(action)


class NoLimit(Sound):
    """Goes on after its turns are used up."""

    def limit(self, state: Any) -> int:
        return self.max_turns + 1


# ---- hostile, linear -------------------------------------------------------------------------------------------------


class ReadsDigits(Sound):
    """Takes a superscript two for a number."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        if action.text.isdigit():
            int(action.text)
        return super().transition(state, action, rng)


class Leaves(Sound):
    """Stops the whole program when it is told to."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        if action.text == "reset":
            raise SystemExit(3)
        return super().transition(state, action, rng)


class CallsAnything(SoundTools):
    """Looks up a tool's argument before it knows what it is."""

    def apply(self, state: Any, action: Any, rng: TurnRng) -> Any:
        if isinstance(action, ToolCall) and isinstance(action.arguments, dict):
            {"lamp": 1}.get(action.arguments.get("thing"))
        return super().apply(state, action, rng)


class Prints(Sound):
    """Talks to the terminal."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        if action.text == "verify":
            print("hm")
        return super().transition(state, action, rng)


class Quadratic(Sound):
    """Looks for blanks at the end, from each blank anew."""

    max_action = 6000

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        re.search(r"\s+\Z", action.text)
        return super().transition(state, action, rng)


# ---- leak ------------------------------------------------------------------------------------------------------------


class CodeInTheOpening(Sound):
    """Tells the code at once."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        opening = super().initial(task, rng)
        opening.system += f" The serial number is SN-{opening.state.code}."
        return opening


class Candidates(Sound):
    """Shows four codes, one of which is right, in order; sound, and a base of others."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        codes = [f"{number}".rjust(task.data["digits"], "7") for number in (1234, 2345, 3456, 4567)]
        code = rng.choice(codes)
        return Opening(Safe(code), f"A safe, a note. The code is one of {', '.join(self.listed(codes, code))}.")

    def listed(self, codes: list[str], code: str) -> list[str]:
        return codes


class RightOneFirst(Candidates):
    """Puts the right one first."""

    def listed(self, codes: list[str], code: str) -> list[str]:
        return sorted(codes, key=lambda one: one != code)


class CodeInTheRefusal(Sound):
    """Tells the code to whoever says what it does not know."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        try:
            return super().transition(state, action, rng)
        except InvalidAction as error:
            raise InvalidAction(f"{error} You mean dial {state.code}?") from None


class CodeInTheDescription(Sound):
    """Describes what nobody has read yet."""

    def describe(self, state: Safe) -> str:
        return f"The note says {state.code}."


class AlwaysPrivileged(Retold):
    """Has the key without being asked."""

    def told(self, info: Any) -> Any:
        info.setdefault("privileged", "{}")
        return info


class PrivilegedIsDifferent(Retold):
    """Counts something else where it is privileged."""

    def told(self, info: Any) -> Any:
        if self.privileged:
            info["metrics"]["asked"] = 1.0
        return info


# ---- menu, unmarked --------------------------------------------------------------------------------------------------


class EmptyMenu(Sound):
    """Offers nothing once the note is read."""

    expert = World.expert  # type: ignore[assignment]

    def menu(self, state: Safe) -> list[str]:
        return [] if state.read else super().menu(state)


class MenuTwice(Sound):
    """Offers the same twice."""

    def menu(self, state: Safe) -> list[str]:
        return [*super().menu(state), "wait"]


class MenuOfTheImpossible(Sound):
    """Offers what it refuses."""

    def menu(self, state: Safe) -> list[str]:
        return [*super().menu(state), "dance"]


class MenuWithoutTheRight(Sound):
    """Never offers the code."""

    def menu(self, state: Safe) -> list[str]:
        return ["read", "listen", "wait"]


class MenuInOrder(Sound):
    """Does not shuffle."""

    def offer(self, state: Safe, seed: int, turn: int) -> list[str]:
        return list(self.menu(state))


class MarkedByAForm(Sound):
    """Writes the right code, and nothing else, with an exclamation mark."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        return super().transition(state, replace(action, text=action.text.rstrip("!")), rng)

    def expert(self, state: Safe) -> str:
        return f"dial {state.code}!"

    def menu(self, state: Safe) -> list[str]:
        return [entry + "!" * (entry == f"dial {state.code}") for entry in super().menu(state)]


class MarkedByASpelling(Sound):
    """Writes "Read" where it is right and "read" where it is not."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        return super().transition(state, replace(action, text=action.text.lower()), rng)

    def expert(self, state: Safe) -> str:
        return super().expert(state) if state.read else "Read"

    def menu(self, state: Safe) -> list[str]:
        return super().menu(state) if state.read else ["Read", *super().menu(state)[1:]]


# ---- refused ---------------------------------------------------------------------------------------------------------


class SilentError(Retold):
    """Tells the trainer what was wrong, and the agent something else."""

    def told(self, info: Any) -> Any:
        if not info["valid"]:
            info["error"] = "E17"
        return info


class Judging(Sound):
    """Base of those that make more of a refusal than an answer."""

    def refuse(self, turn: Turn[Any]) -> None:
        raise NotImplementedError

    def apply(self, state: Any, action: Any, rng: TurnRng) -> Any:
        turn, valid, parsed = super().apply(state, action, rng)
        if not valid:
            self.refuse(turn)
        return turn, valid, parsed


class ChangedByRefusal(Judging):
    """Clicks at what it refuses."""

    def refuse(self, turn: Turn[Any]) -> None:
        turn.state = replace(turn.state, clicks=(turn.state.clicks + 1) % 7)


class PaidRefusal(Judging):
    """Pays for what it refuses."""

    def refuse(self, turn: Turn[Any]) -> None:
        turn.rewards = {"noise": 1.0}


class Impatient(Judging):
    """Ends at what it refuses."""

    def refuse(self, turn: Turn[Any]) -> None:
        turn.outcome = Outcome(False, 0.0, EndReason.FAILED, "impatient")


# ---- rewards ---------------------------------------------------------------------------------------------------------


class UnnamedReward(Sound):
    """Pays what its weights do not name."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn = super().transition(state, action, rng)
        turn.rewards = {**turn.rewards, "charm": 1.0}
        return turn


class RarelyUnnamed(Sound):
    """Pays what its weights do not name, but only after much listening with the note read."""

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn = super().transition(state, action, rng)
        if action.text == "wait" and state.read and state.clicks == 6 and state.tries == 1:
            turn.rewards = {"charm": 1.0}
        return turn


class WrongSum(Retold):
    """Says that it paid more than it names."""

    def told(self, info: Any) -> Any:
        if info["turn"]:
            info["turn_reward"] += 0.5
        return info


class WrongReward(Sound):
    """Returns more than the record makes."""

    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return (observation, reward + 1.0, *rest)


class WeightsInTheRecord(Retold):
    """Shows in info how its rewards are weighted."""

    def told(self, info: Any) -> Any:
        info["metrics"]["sparse"] = float(self._reward == SPARSE)
        return info


# ---- signals ---------------------------------------------------------------------------------------------------------


class EndlessPotential(Sound):
    """Has no finite potential once the note is read."""

    def potential(self, state: Safe) -> float:
        return float("inf") if state.read else 0.0


class CountsQuestions(Sound):
    """Tells how often it was asked."""

    asked = 0

    def secrets(self, state: Safe) -> Any:
        self.asked += 1
        return {"code": state.code, "asked": self.asked}


class RemembersItsOwn(Sound):
    """Describes a state otherwise where it was the one that made it."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        opening = super().initial(task, rng)
        self.mine = id(opening.state)
        return opening

    def secrets(self, state: Safe) -> Any:
        return {"code": state.code, "mine": id(state) == getattr(self, "mine", 0)}


class Obliging(Sound):
    """Opens for whoever agrees."""

    def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
        if action.text == "yes":
            return self.dial(state, state.code)
        return super().transition(state, action, rng)


BROKEN: dict[str, list[type[AgentEnv[Any]]]] = {
    "made": [PanelOfTheMoment, TaskWithoutDigits, TakesNoArguments],
    "spaces": [PlainText, LongerThanItsSpace, SpaceOfTheEpisode, SpaceOfTheInstance],
    "gymnasium": [WithoutRenderModes],
    "info": [OtherSeed, OwnKey, TwoTurnsAStep, PanelChanges],
    "messages": [ToolsOfNobody, WordsInTheMouth, SilentMessages],
    "fresh": [SharedMetrics],
    "ends": [BothFlags, SuccessfulLeave, StepsOn, ChangesAfterTheEnd],
    "limit": [NoLimit],
    "exploits": [Obliging],
    "hostile": [ReadsDigits, Leaves, CallsAnything, Prints],
    "linear": [Quadratic],
    "leak": [
        CodeInTheOpening,
        RightOneFirst,
        CodeInTheRefusal,
        CodeInTheDescription,
        AlwaysPrivileged,
        PrivilegedIsDifferent,
    ],
    "menu": [EmptyMenu, MenuTwice, MenuOfTheImpossible, MenuWithoutTheRight],
    "unmarked": [MenuInOrder, MarkedByAForm, MarkedByASpelling],
    "refused": [SilentError, ChangedByRefusal, PaidRefusal, Impatient],
    "rewards": [UnnamedReward, RarelyUnnamed, WrongSum, WrongReward, WeightsInTheRecord],
    "signals": [EndlessPotential, CountsQuestions, RemembersItsOwn],
}
"""Rule → worlds that break it."""
