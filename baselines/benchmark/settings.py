"""What a benchmark run consists of: panels, estimators, policies, sizes. Frozen, JSON, and part of every result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentgym.errors import unknown

FIVE = ("grpo", "mt_grpo", "gigpo", "hcapo", "state_graph")
"""A short list, for what costs too much for all: what a language model learns with, what is compared by `agentgym
train`, and whose colours are the same in every report."""

LEARNERS = (*FIVE, "graphgpo", "hian", "slate")
"""What the learning track trains where no estimator is named: the five, and one each of three more families."""

TRACKS = ("both", "fidelity", "learning")
"""What a run consists of."""


def short(estimator: str) -> str:
    """Return how tables call an estimator: its name, or "file.py:function" without the folders."""
    source, colon, name = estimator.rpartition(":")
    return f"{Path(source).name}{colon}{name}"


@dataclass(frozen=True, eq=False)
class Panel:
    """A world with fixed arguments.

    Attributes:
        name: how tables call it.
        env: a registered id.
        kwargs: constructor arguments, JSON.
        about: what it asks for, for readers.
        learn_tasks: how many training tasks, the first ones, the learning track draws from; 0: all. Few where hashed
            words of one task say nothing about the next, as with questions over databases.
        learn_from: the success at which it begins: the menu policy first imitates the expert, where uniform choice
            hardly ever succeeds and there is nothing to learn from; 0.0: it begins uniform.
        redraws: the most batches a policy of the fidelity track; 0: as many as the budget says.
        slips: of the acting policy of the fidelity track, see `ExpertPolicy`. Few where every action leads to a state
            of its own, and every seed to a tree of its own.
    """

    name: str
    env: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    learn_tasks: int = 0
    learn_from: float = 0.0
    redraws: int = 0
    slips: int = 0


@dataclass(frozen=True)
class Budget:
    """Sizes of a run.

    Attributes:
        panels: the worlds.
        targets: success rates of the acting policies of the fidelity track, about.
        fidelity_tasks, group_size, redraws: tasks a panel, rollouts a task in one batch, batches a policy.
        max_nodes: of the exact truth; beyond, it is sampled.
        learning_panels: names of the panels of the learning track.
        learners: the estimators of the learning track, besides those that a run names; (): all of the run.
        updates, update_tasks, learning_groups: policy updates, tasks an update, rollouts a task.
        eval_tasks, eval_rollouts: held-out tasks and rollouts a task after the last update.
        step: length of a policy step; advantages are scaled to root mean square 1 in every batch.
        seeds: independent learning runs.
    """

    name: str
    panels: tuple[Panel, ...]
    targets: tuple[float, ...] = (0.2, 0.5, 0.8)
    fidelity_tasks: int = 10
    group_size: int = 8
    redraws: int = 2
    max_nodes: int = 400_000
    learning_panels: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    updates: int = 15
    update_tasks: int = 4
    eval_tasks: int = 16
    eval_rollouts: int = 4
    step: float = 8.0
    seeds: int = 4

    def limited(self, envs: Sequence[str], seeds: int | None) -> Budget:
        """Return the budget for some panels or worlds only, and another number of seeds.

        Args:
            envs: panel names or world ids; a world id that no panel names becomes a panel of its own, with the
                world's defaults.
            seeds: learning runs; None leaves it.
        """
        budget = self if seeds is None else replace(self, seeds=seeds)
        if not envs:
            return budget
        chosen = [panel for env in envs for panel in self._named(env)]
        learn = tuple(panel.name for panel in chosen if panel.name in self.learning_panels or panel not in self.panels)
        return replace(budget, panels=tuple(dict.fromkeys(chosen)), learning_panels=learn or (chosen[0].name,))

    def _named(self, env: str) -> list[Panel]:
        found = [panel for panel in self.panels if env in (panel.name, panel.env)]
        if not found and "/" not in env and ":" not in env:
            raise ValueError(unknown("panel or world", env, [panel.name for panel in self.panels]))
        return found or [Panel(env, env)]


def budgets() -> dict[str, Budget]:
    """Return the budgets by name: "quick" for a first look, "standard" for figures to quote."""
    goto = _babyai("goto", 2, 16, "go to a named object in a room")
    pickup = _babyai("pickup", 1, 16, "pick up a named object in a room")
    unlock = _babyai("open", 0, 20, "find the key, open the locked door between two rooms")
    panels = (goto, pickup, unlock, sql(), service(), search(), sales())
    quick = Budget("quick", panels, learning_panels=(goto.name, pickup.name), learners=LEARNERS)
    more = (
        _babyai("putnext", 0, 16, "put one named object next to another"),
        _babyai("pick_up_seq_go_to", 0, 16, "pick up one object and go to another, in the order told"),
        support(),
    )
    standard = replace(
        quick,
        name="standard",
        panels=(*quick.panels, *more),
        fidelity_tasks=32,
        redraws=8,
        max_nodes=4_000_000,
        learning_panels=tuple(panel.name for panel in (*quick.panels, *more)),
        updates=40,
        update_tasks=8,
        eval_tasks=100,
        eval_rollouts=8,
        seeds=10,
    )
    return {"quick": quick, "standard": standard}


POLICIES = ("menu", "lm")
"""What the learning track trains: the log-linear menu policy, or the language model of `agentgym train`."""

LM: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "quick": (
        {"learning_panels": ("goto",), "learners": FIVE, "updates": 8, "seeds": 3},
        {"width": 64, "layers": 2, "heads": 2, "warm_episodes": 64, "warm_epochs": 25, "warm_lr": 2e-3, "lr": 3e-4},
    ),
    "standard": ({"learning_panels": ("goto", "pickup"), "learners": FIVE, "seeds": 5}, {}),
}
"""Budget → what a language model changes in its sizes, and in the trainer's configuration for the CPU.

A model learns much slower than the menu policy, so quick is one panel and a model of 120,000 parameters.
"""


def for_lm(budget: Budget) -> tuple[Budget, dict[str, Any]]:
    """Return the budget with sizes that a language model can be trained in, and fields of its configuration."""
    sizes, fields = LM[budget.name]
    return replace(budget, **sizes), dict(fields)


def sql(learn_tasks: int = 12) -> Panel:
    """Return the panel of questions over databases."""
    arguments = {"panel": "all", "max_turns": 8}
    return Panel(
        "sql", "agentgym/TextToSQL-v0", arguments, "answer a question by a query, at most 8 turns", learn_tasks
    )


SERVED = (
    *("cancel_order", "change_item", "change_address", "express_delivery"),
    *("change_payment", "questions", "unknown_email", "shipped_order"),
)
"""Families of retail that the expert serves in nine turns at most; in the last one it has to refuse."""


def service() -> Panel:
    """Return the panel of customers of an online shop: small, so that the tree of its truths is."""
    arguments = {"domain": "retail", "families": list(SERVED), "train": 2, "max_turns": 10}
    about = "serve a customer of an online shop, at most 10 turns; the acting policy has two ways to err in a state"
    sizes = {"learn_tasks": 8, "learn_from": 0.2, "redraws": 2, "slips": 2}
    return Panel("service", "agentgym/CustomerService-v0", arguments, about, **sizes)


def search() -> Panel:
    """Return the panel of questions over an encyclopedia."""
    arguments = {"panel": "all", "max_turns": 8}
    about = "answer a question of one to four hops by searching an encyclopedia, at most 8 turns"
    return Panel("search", "agentgym/WikiSearch-v0", arguments, about, learn_tasks=12, learn_from=0.2, redraws=2)


def support() -> Panel:
    """Return the panel of seekers in distress, whose trees take minutes: no part of the budget "quick"."""
    about = "support a seeker in distress, 6 to 13 turns; the acting policy has one way to err in a state"
    sizes = {"learn_tasks": 4, "redraws": 2, "slips": 1}
    return Panel("support", "agentgym/EmotionalSupport-v0", {"min_turns": 6, "max_turns": 13}, about, **sizes)


def sales() -> Panel:
    """Return the panel of buyers."""
    about = "sell honestly to a buyer, at most 12 turns; the acting policy has one way to err in a state"
    sizes = {"learn_tasks": 8, "learn_from": 0.2, "redraws": 2, "slips": 1}
    return Panel("sales", "agentgym/Sales-v0", {"max_turns": 12}, about, **sizes)


def _babyai(level: str, distractors: int, turns: int, what: str) -> Panel:
    arguments = {"level": level, "num_dists": distractors, "max_turns": turns, "outcome": "binary"}
    return Panel(level, "agentgym/BabyAI-v0", arguments, f"{what}; {distractors} distractors, at most {turns} turns")
