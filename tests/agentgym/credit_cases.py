"""Random ragged records with every column that the estimators read, and values of the options that many share."""

import math
import random
from typing import NamedTuple

SCALE = {"normalise": ("std", "none"), "ddof": (0, 1), "eps": (1e-6, 1e-4, 1e-2)}
VOTES = {"votes": ("trajectory", "turn", "token"), "singleton": ("zero", "raw")}
REWARDS = {"rewards": ("total", "outcome")}
GAMMA = {"gamma": (0.0, 0.5, 0.95, 1.0)}


class Form(NamedTuple):
    """An estimator with options, and the properties that it has by its formula: words apart by blanks.

    order: permuting rows permutes the result. apart: a group is not changed by the others. outcome_shift, turn_shift:
    adding a constant to every outcome, or every turn reward, of a group changes nothing; equal_turn_shift: nor does the
    latter where all rollouts of a group are equally long. standardised: with normalise
    "std" and eps 0, neither does scaling all rewards. linear: with normalise "none", scaling them scales the result.
    flat: equal outcomes and no turn rewards give exactly 0. lone: so does a rollout alone in its group.
    """

    name: str
    options: dict
    claims: str


CLAIMS = (
    *("order", "apart", "outcome_shift", "turn_shift", "equal_turn_shift"),
    *("standardised", "linear", "flat", "lone"),
)


TEXTS = ("a door", "a red door", "a red box", "two red boxes", "nothing", "you see nothing here", "")


def draw_options(options, rng):
    options = {option: values[rng.integers(len(values))] for option, values in options.items()}
    if options.get("invalid_penalty"):
        options["votes"] = "turn"
    return options


def draw_rows(rng):
    """A record of up to 3 groups of up to 4 rollouts of up to 5 turns, rows shuffled."""
    shape = [list(rng.integers(1, 6, rng.integers(1, 5))) for _ in range(rng.integers(1, 4))]
    rows = rows_of(rng, shape)
    return [rows[n] for n in rng.permutation(len(rows))]


class Dice:
    """Plain Python draws, ten times as fast as an array generator asked for one number at a time."""

    def __init__(self, rng):
        self.roll = random.Random(int(rng.integers(2**63))).random

    def below(self, n):
        return int(self.roll() * n)

    def pick(self, *options):
        return options[self.below(len(options))]

    def flag(self):
        return self.roll() < 0.5

    def grid(self, low, high, parts):
        """One of low, low + 1, … high - 1, over the number of parts."""
        return (low + self.below(high - low)) / parts

    def many(self, count, low, high, parts):
        return [self.grid(low, high, parts) for _ in range(count)]

    def log_shares(self, count):
        """Logarithms of that many probabilities that add up to 1."""
        sizes = [0.05 + self.roll() for _ in range(count)]
        return [math.log(size / sum(sizes)) for size in sizes]


def rows_of(rng, shape):
    """Rows for the turn counts of each rollout of each group; rewards from a coarse grid.

    The grid matters: for spreads near the zero-spread threshold a small eps amplifies rounding beyond any tolerance.
    """
    rows, dice = [], Dice(rng)
    for group, lengths in enumerate(shape):
        for rollout, length in enumerate(lengths):
            success, scores = dice.flag(), {"rubric_scores": dice.many(2, 0, 3, 2)}
            rows += [_row(dice, group, rollout, t, success, last=t == length - 1) | scores for t in range(length)]
    return rows


def _row(dice, group, rollout, turn, success, last):
    state, tokens = dice.below(4), dice.below(4)
    terminated = last and dice.flag()
    return _more(dice, tokens) | {
        "group": f"g{group}",
        "trajectory": f"r{rollout}",
        "turn": turn,
        "state": f"s{state}",
        "anchor": f"s{state % 2}",
        "next_state": f"s{dice.below(6)}",
        "turn_reward": dice.pick(0.0, 0.25, -0.5),
        "outcome_reward": dice.pick(0.0, 0.5, 1.0) if last else 0.0,
        "success": success,
        "terminated": terminated,
        "truncated": last and not terminated,
        "valid": dice.pick(True, True, False),
        "tool_result": dice.pick(True, False, False),
        "tokens": tokens,
        "observation": dice.pick(*TEXTS),
        "action": dice.pick("a", "b"),
        "logprob": -dice.grid(1, 5, 2),
        "hindsight_logprob": -dice.grid(1, 5, 2),
    }


def _more(dice, tokens):
    """Columns that few estimators read: values from coarse grids too."""
    steps, gold = dice.below(3), dice.below(3)
    return {
        "prefix": f"p{dice.below(3)}",
        "kind": dice.pick("plan", "act"),
        "tag": dice.pick("gold", "read", "error"),
        "channel": dice.pick("", "query", "order"),
        "critique": dice.grid(-1, 2, 1),
        "step_score": dice.grid(0, 5, 4),
        "potential": dice.grid(-4, 5, 4),
        "next_potential": dice.grid(-4, 5, 4),
        "switch": dice.flag(),
        "subgoal": f"g{dice.below(2)}",
        "value": dice.grid(-4, 5, 4),
        "bootstrap_value": dice.grid(-4, 5, 4),
        "value_low": dice.grid(-4, 5, 4),
        "value_high": dice.grid(-4, 5, 4),
        "value_term": dice.grid(-4, 5, 4),
        "menu": ["a", "b", "c"],
        "menu_logprobs": dice.log_shares(3),
        "menu_hindsight_logprobs": [dice.log_shares(3), dice.log_shares(3)],
        "hindsight_table": dice.many(1 + dice.below(3), 1, 5, 4),
        "plan": [f"step {n}" for n in range(steps)],
        "gold_plan": [f"gold {n}" for n in range(gold)],
        "plan_similarity": [dice.many(gold, 0, 5, 4) for _ in range(steps)],
        "revision_ok": [dice.flag() for _ in range(dice.below(4))],
        "log_safe": -dice.grid(0, 5, 2),
        "safe": dice.flag(),
        "cost": dice.grid(0, 3, 1),
        "entropy": dice.grid(0, 5, 4),
        "token_ids": [dice.below(9) for _ in range(tokens)],
        "token_logprobs": [-x for x in dice.many(tokens, 1, 5, 2)],
        "teacher_logprobs": [-x for x in dice.many(tokens, 1, 5, 2)],
        "token_mask": [dice.flag() for _ in range(tokens)],
        "rubric_relevance": [dice.many(tokens, 0, 5, 4) for _ in range(2)],
        "components": {"progress": dice.grid(-4, 5, 4)} | ({"format": dice.grid(-4, 5, 4)} if dice.flag() else {}),
    }
