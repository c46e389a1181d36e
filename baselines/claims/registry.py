"""The claims by name: what each measures, at which size, and how it is decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from agentgym.baselines.claims import (
    bandit,
    cycles,
    hashes,
    hierarchy,
    horizons,
    labels,
    planning,
    prefixes,
    searching,
    talking,
)

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Claim:
    """A claim of the literature.

    Attributes:
        title: what was looked at.
        setting: where, in one or two sentences.
        measure: returns its rows.
        quick: arguments of `measure` at which it takes a second or two.
        decide: the verdict and the figures that decide, from the rows, an estimator and what it is held against.
    """

    title: str
    setting: str
    measure: Callable[..., list[dict[str, Any]]]
    quick: Mapping[str, Any]
    decide: Callable[[Rows, str, str], tuple[str, str]]


LEARNED = (
    "a few people that come again and again, of whom the menu policy learns from one estimator alone. Measured after "
    "the last update, on the same people. The first way is what the others are held against."
)
QUICK: Mapping[str, Any] = {"seeds": 2, "updates": 1, "size": 2, "begin": False}

CLAIMS: Mapping[str, Claim] = {
    "bandit": Claim(
        "The stopping bias of MT-GRPO",
        "A bandit of two turns: go on with probability ½ for a reward of 1 ± 1, or stop for nothing; groups of eight. "
        "The figure is the gradient of the log-odds of going on that an advantage estimates. Forms that divide by a "
        "standard deviation estimate another multiple of it; 0 is none. Averaged exactly over all groups, mt_grpo "
        "gives 0 and mt_grpo_unbiased 0.250, which a test enumerates.",
        bandit.measure,
        {"seeds": 3, "groups": 30},
        lambda rows, estimator, base: bandit.decide(rows),
    ),
    "cycles": Claim(
        "Cycles under the transition reward of SQL-ASTRA",
        "Closed paths of step scores, with τ = 0.5 and the published matrix. Farming is compared with solving at once "
        "in a group of two, which gives advantages of +1 and −1.",
        cycles.measure,
        {"seeds": 3, "cycles": 50},
        lambda rows, estimator, base: cycles.decide(rows),
    ),
    "horizons": Claim(
        "Two horizons, apart or merged",
        "A conversation of four turns. Each turn pays 1 for being polite; the session succeeds with the share of turns "
        "that helped, and pays 1, 10 or 100. Politeness and success of a small policy after 30 updates.",
        horizons.measure,
        {"seeds": 2, "updates": 4},
        lambda rows, estimator, base: horizons.decide(rows),
    ),
    "prefixes": Claim(
        "Shared prefixes against whole rollouts",
        "A conversation of T turns with two choices a turn; k = 8 candidates a turn against groups of 8 whole "
        "rollouts, at equal turns of the world. A choice is paid *at once*, or costs twice as much *a turn later*. The "
        "ratio is that of the variances of the advantages, whole rollouts to shared prefixes; T is what the paper "
        "promises.",
        partial(prefixes.measure, seeds=8, groups=24),
        {"seeds": 2, "groups": 4, "horizons": (1, 2)},
        lambda rows, estimator, base: prefixes.decide(rows),
    ),
    "hierarchy": Claim(
        "Advantages that stop at subgoals",
        "Four segments of four turns, with values that are exact, rough (the same error in all rollouts) or 0. The "
        "ratio is that of the variance given turn and action, hae to gae with the same trace; *arrives* is the share "
        "of the true advantage that is left in the mean, *error* the mean squared distance to it in units of its "
        "square.",
        hierarchy.measure,
        {"seeds": 2, "rollouts": 60},
        lambda rows, estimator, base: hierarchy.decide(rows),
    ),
    "names": Claim(
        "Step groups and state graphs under three namings of the states",
        "A grid of six by six cells, six tasks in groups of eight rollouts, ε-experts of three strengths. The same "
        "rollouts under three namings: *clean*, a name a cell; *merged*, one name for four cells; *fragmented*, half "
        "of the visits with a name of their own. *Aliased* is the share of turns whose state and action were seen with "
        "different successors, *alone* that of turns without a peer in their state.",
        hashes.measure,
        {"seeds": 2, "epsilons": (0.5,)},
        hashes.decide,
    ),
    "searching": Claim(
        "Searching under the rewards of MT-GRPO and of SLATE",
        "Wikipedia search, twelve questions that come again and again, whose answers are on offer from the first turn "
        "on: who remembers them need not search. The menu policy has imitated the expert until it answered one in "
        "five, and goes on to learn from the rewards of one paper: `mt_grpo`, one for the first call and four for the "
        "outcome, or `slate`, a ternary judge of every turn. Measured after the last update, on the same questions. "
        "Shared prefixes are eight candidates a turn of one line a task, where the others play eight whole rollouts. "
        "The first way of each scoring is what the others are held against. *Two segments*, those of MT-GRPO's code as "
        "released, differ from turn by turn only where later turns are paid; here the first call is all that is.",
        searching.measure,
        {"seeds": 2, "updates": 1, "tasks": 2, "names": searching.DECIDING},
        lambda rows, estimator, base: searching.decide(rows, estimator),
    ),
    "planning": Claim(
        "Plans rewarded for their likeness to the gold decomposition",
        "Wikipedia search, twelve questions that come again and again; the first turn is one of eight plans, the gold "
        "one and others that lack a step, have one too many or ask for something else. The menu policy begins uniform "
        "and learns from the plans alone (`apex_plan`) or from the outcome alone (`grpo`). *Likeness* is the reward of "
        "the plan: the harmonic mean of precision and recall of the best matching of its steps, by common words.",
        planning.measure,
        {"seeds": 2, "updates": 1, "tasks": 2},
        lambda rows, estimator, base: planning.decide(rows),
    ),
    "consoling": Claim(
        "Turn credit from the distance that is left to a seeker's peace",
        f"Emotional support, {LEARNED} *Gains* are those of the distance to the zone in which nothing is missing.",
        partial(talking.measure, "mica"),
        QUICK,
        lambda rows, estimator, base: talking.decide(rows, "mica"),
    ),
    "selling": Claim(
        "Rewards of turns and of the session, apart or merged, in sales talks",
        f"Sales, {LEARNED} The policy has imitated the expert before, until it sold to one in five. A turn is paid for "
        "compliance, fluency, no repetition, an honest identity and relevance, "
        "the session for conversion, margin and the buyer's surplus.",
        partial(talking.measure, "hian"),
        QUICK,
        lambda rows, estimator, base: talking.decide(rows, "hian"),
    ),
    "rubrics": Claim(
        "Rubrics sent to the turns that they are about, or to the whole talk",
        f"Emotional support, {LEARNED} The reward is the mean score under the rubrics of the session; *response level* "
        "gives it to all turns alike. A turn of the menu policy is one token, so that what is told apart are turns.",
        partial(talking.measure, "rtt"),
        QUICK,
        lambda rows, estimator, base: talking.decide(rows, "rtt"),
    ),
    "labels": Claim(
        "Violations told from labels of whole talks",
        "Sales and customer service. A linear model of description and action learns from twelve batches in which only "
        "the label of each talk is known, and is asked which turns of others broke a rule, which the world knows. What "
        "is told better than from labels dealt anew was learned from them.",
        labels.measure,
        {"seeds": 2, "batches": 2, "panels": ("sales",), "size": 1, "begin": False},
        lambda rows, estimator, base: labels.decide(rows),
    ),
}
"""By name."""
