"""Columns that neither world nor policy writes down, made between the rollouts and the credit.

An estimator says what it reads (`Estimator.needs_with`). What the record of the rollouts lacks is made by the makers of
an ordered list: `MAKERS` here for menu policies, `agentgym.baselines.grpo.columns.MAKERS` for language models. `plan`
says who makes what for an estimator, and which columns nobody can give it.

To add one for menu policies, subclass `Actor`, whose `make(batch, world)` returns the batch with its columns, and add a
line to `MAKERS`, after the makers whose columns it reads:

    Maker(("value",), "agentgym.baselines.heads:ValueActor")

A learning run keeps its actors from the first update to the last, so an actor may hold what it has learned: it fills
the columns with that, then learns from the same batch for the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agentgym.baselines.features import Floats, TextFeatures
from agentgym.baselines.policies import MenuPolicy
from agentgym.batch import TurnBatch
from agentgym.credit import Estimator
from agentgym.env import AgentEnv
from agentgym.rollout import View
from agentgym.world import World


@dataclass(frozen=True)
class Maker:
    """Who makes some columns.

    Attributes:
        gives: the columns.
        where: "module:name" of what makes them, imported when it is begun.
        reads: the columns that it needs; makers that stand before it may give them.
        signals: what worlds must be asked for, where they offer it.
        only: the estimators that it works for, by name; (): all. Of two makers of a column the later one is asked.
        room: positions of the model's context that it needs besides those of the rollout.
    """

    gives: tuple[str, ...]
    where: str
    reads: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    room: int = 0

    def begin(self, *given: Any) -> Any:
        """Return what makes them, made anew."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)(*given)


MAKERS: tuple[Maker, ...] = (
    Maker(("hindsight_logprob", "menu_hindsight_logprobs"), "agentgym.baselines.hindsight:HindsightPolicy"),
    Maker(("revision_ok", "revision"), "agentgym.baselines.revision:RevisingPolicy"),
    Maker(("value", "bootstrap_value"), "agentgym.baselines.values:StateValues"),
    Maker(("value_low", "value_high", "value_term"), "agentgym.baselines.values:LevelValues"),
    Maker(("value",), "agentgym.baselines.continuations:VinePolicy", only=("vine",)),
    Maker(("log_safe",), "agentgym.baselines.safety:SafetyPolicy", reads=("safe",)),
    Maker(("gold_plan", "plan_similarity"), "agentgym.baselines.plans:PlanningPolicy", reads=("plan",)),
)
"""The makers for menu policies, in the order in which they work."""


@dataclass(frozen=True)
class Plan:
    """How an estimator comes by its columns.

    Attributes:
        makers: who works, in order.
        missing: columns that neither the record nor a maker has.
    """

    makers: tuple[Maker, ...]
    missing: tuple[str, ...]

    @property
    def signals(self) -> tuple[str, ...]:
        """What the makers want worlds to be asked for."""
        return tuple(dict.fromkeys(signal for maker in self.makers for signal in maker.signals))


def plan(
    makers: Sequence[Maker], estimator: Estimator, have: Iterable[str] = (), options: Mapping[str, Any] | None = None
) -> Plan:
    """Return how an estimator comes by what it reads.

    Args:
        makers: the list to choose from.
        estimator: of the run.
        have: columns that the record has; none: everybody who might have to work is in the plan.
        options: of the estimator, `preset` among them.
    """
    held = set(have)
    lacking = [column for column in estimator.needs_with(**(options or {})) if column not in held]
    working: list[Maker] = []
    for maker in reversed(makers):
        if maker.only and estimator.name not in maker.only or not set(maker.gives) & set(lacking):
            continue
        working.insert(0, maker)
        lacking = [column for column in lacking if column not in maker.gives]
        lacking += [column for column in maker.reads if column not in held and column not in lacking]
    return Plan(tuple(working), tuple(dict.fromkeys(lacking)))


def offered(world: AgentEnv[Any], signals: Iterable[str]) -> list[str]:
    """Return those of some signals that a world offers, each once."""
    known = [name for name in dict.fromkeys(signals) if name in world.extra_signals or hasattr(World, name)]
    return [name for name in known if name in world.extra_signals or world.offers(name)]


class Actor(MenuPolicy):
    """Plays as another menu policy, and afterwards adds columns to what was played. Base of the makers.

    Args:
        policy: the menu policy that acts.
        size: number of weights that `features` are hashed to, a power of two.

    Attributes:
        features: those of every description that was seen; see `TextFeatures.menus`.
    """

    def __init__(self, policy: MenuPolicy, *, size: int = 1 << 13) -> None:
        self.policy = policy
        self.signals: Sequence[str] = tuple(dict.fromkeys([*policy.signals, "menu", "describe"]))
        self.features = TextFeatures(size)

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return those of the acting policy."""
        self.features.remember(views)
        return self.policy.log_probs(views)

    def make(self, batch: TurnBatch, world: AgentEnv[Any]) -> TurnBatch:
        """Return the batch with this maker's columns.

        Args:
            batch: rollouts of this policy.
            world: that they were played in, to fork or to ask.
        """
        raise NotImplementedError


class Crew:
    """The actors of a run, one inside the other.

    Args:
        policy: the menu policy that acts.
        makers: of their columns.

    Attributes:
        policy: what to play as.
    """

    def __init__(self, policy: MenuPolicy, makers: Iterable[Maker]) -> None:
        self.policy = policy
        self._actors: dict[Maker, Actor] = {}
        for maker in dict.fromkeys(makers):
            self.policy = self._actors[maker] = maker.begin(self.policy)

    def make(self, batch: TurnBatch, world: AgentEnv[Any], plans: Sequence[Plan]) -> list[TurnBatch]:
        """Return a batch with the columns of each plan; a maker that several plans name works once.

        Args:
            batch: rollouts of `policy` since the last `forget`.
            world: that they were played in.
            plans: whose makers are all of this crew.
        """
        made: dict[Maker, tuple[dict[str, Any], dict[str, Any]]] = {}
        out = []
        for each in plans:
            grown = batch
            for maker in each.makers:
                if maker not in made:
                    found = self._actors[maker].make(grown, world)
                    said = {name: value for name, value in found.meta.items() if name not in grown.meta}
                    made[maker] = {name: found[name] for name in maker.gives}, said
                columns, meta = made[maker]
                grown = grown.with_columns(columns).with_meta(**meta)
            out.append(grown)
        return out

    def forget(self) -> None:
        """Drop what was kept of the rollouts; those that come after are played anew."""
        for actor in self._actors.values():
            actor.features.forget()


def extra_turns(batch: TurnBatch) -> int:
    """Return how many turns of the world were played for a batch's columns, besides its own."""
    branching = batch.meta.get("branching", {})
    return int(branching.get("steps", 0)) + int(batch.meta.get("revision_turns", 0))


def reason(estimator: str, missing: Sequence[str], env: str) -> str:
    """Return which columns an estimator lacks, in words."""
    columns = ", ".join(map(repr, missing))
    noun, them = ("column", "it") if len(missing) == 1 else ("columns", "them")
    return f"estimator {estimator!r} needs the {noun} {columns}; rollouts of {env} do not have {them}"
