"""The panels of further worlds on which systems are measured, each for what its world alone gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class World:
    """A panel of another world, and what it is for.

    Attributes:
        title: how the page calls it.
        about: what a reader must know of its figures.
        estimators: that are measured on it, grpo among them.
        sizes: fields of the benchmark's budget that differ from those of the main panel.
        claims: names of the claims that are measured with this panel.
        learned: what of the learning curves is compared: "success", or the "return" of turns and outcome where
            policies of this kind hardly ever succeed.
    """

    title: str
    about: str
    estimators: tuple[str, ...]
    sizes: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    learned: str = "success"


PANELS: Mapping[str, World] = {
    "sql": World(
        "Text-to-SQL",
        "Questions over the shipped databases. The step score is CSMR, how far the result of a turn's query agrees "
        "with the right one; the potential is the best of them so far, and the critique says whether a turn's score "
        "lies above it. Learning is on twelve tasks that come again and again: hashed words of one question say "
        "nothing about the next. `atr` here is the whole of SQL-ASTRA, the transition reward over CSMR, and `grpo` "
        "the binary reward that it is held against.",
        (
            *("grpo", "atr", "arew", "stepwise_gain", "ibpo", "mica", "igpo", "potential_shaping", "mt_grpo"),
            *("gtpo_hybrid", "gigpo", "hcapo", "turn_return", "state_graph"),
        ),
        {"fidelity_tasks": 32, "redraws": 4, "updates": 16, "seeds": 20},
    ),
    "service": World(
        "customer service",
        "Customers of an online shop, eight families of requests. A turn is paid the share of the work that it does; "
        "the potential is less the writes, answers and refusals that are missing, the step score the share that is "
        "done, and the critique says whether the potential rose and no rule was broken. Rules that are broken, such as "
        "a write without a yes, cost nothing in the end: whether a rollout broke one is its label for `traces`. "
        "Policies err in one of two ways in a state. Learning begins from a policy that has imitated the expert until "
        "it served one customer in five, on eight tasks that come again and again.",
        (
            *("grpo", "traces", "mt_grpo", "gtpo_hybrid", "mica", "stepwise_gain", "igpo", "arew", "atr", "gigpo"),
            *("hcapo", "turn_return", "state_graph"),
        ),
        {"updates": 10, "seeds": 5, "eval_rollouts": 1},
    ),
    "search": World(
        "Wikipedia search",
        "Questions of one to four hops over the shipped encyclopedia. A turn is paid the rise of the evidence recall, "
        "the share of the gold pages that were shown; the potential and the step score are that recall, and the "
        "critique says whether a turn showed new evidence. Learning begins from a policy that has imitated the expert "
        "until it answered one question in five, on twelve tasks that come again and again; of about one in four the "
        "right answer is on offer from the first turn on. What is learned from the rewards of MT-GRPO and of SLATE, "
        "and from plans, was measured apart.",
        (
            *("grpo", "mt_grpo", "slate", "arew", "gtpo_hybrid", "mica", "stepwise_gain", "igpo", "gigpo", "hcapo"),
            *("turn_return", "state_graph"),
        ),
        {"fidelity_tasks": 24, "redraws": 2, "updates": 10, "seeds": 12, "eval_rollouts": 1},
        ("searching", "planning"),
    ),
    "support": World(
        "emotional support",
        "Seekers in distress. A turn is paid the fall of the distance to the zone in which nothing is missing, as a "
        "share of the first distance; the potential is less that distance, the critique says whether it fell, rose or "
        "stayed, and rubrics of the session are spoken of by the turns that they are about: `rtt` reads them turn by "
        "turn. Learning begins uniform, on four seekers that come again and again, whom policies of this kind hardly "
        "ever help to the end: what is compared is the return, nearly all the share of the distance that is gone. It "
        "is negative: most of what is on offer hurts, and little of that is unlearned in so few updates.",
        (
            *("grpo", "mica", "reinforce_pp", "rtt", "mt_grpo", "gtpo_hybrid", "stepwise_gain", "igpo", "arew"),
            *("hian", "gigpo", "hcapo", "turn_return", "state_graph"),
        ),
        {"fidelity_tasks": 6, "updates": 10, "seeds": 5, "eval_tasks": 8, "eval_rollouts": 1},
        ("consoling", "rubrics"),
        "return",
    ),
    "sales": World(
        "sales",
        "Buyers who decide by their own utility. A turn is paid for compliance, fluency, no repetition, an honest "
        "identity and relevance, each by name; the session pays for conversion, margin and the buyer's surplus. The "
        "potential is the probability that the buyer buys, and whether a talk broke a rule is its label for `traces`. "
        "Learning begins from a policy that has imitated the expert until it sold to one buyer in five, on eight "
        "buyers that come again and again.",
        (
            *("grpo", "hian", "traces", "mt_grpo", "gtpo_hybrid", "mica", "stepwise_gain", "igpo", "arew", "gigpo"),
            *("hcapo", "turn_return", "state_graph"),
        ),
        {"updates": 10, "seeds": 6, "eval_rollouts": 1},
        ("selling", "labels"),
    ),
}
"""The panels beside the main one, by the name that the benchmark gives them."""
