"""Random ragged records with every column that the estimators read, and values of the options that many share."""

from typing import NamedTuple

import numpy as np

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


def rows_of(rng, shape):
    """Rows for the turn counts of each rollout of each group; rewards from a coarse grid.

    The grid matters: for spreads near the zero-spread threshold a small eps amplifies rounding beyond any tolerance.
    """
    rows = []
    for group, lengths in enumerate(shape):
        for rollout, length in enumerate(lengths):
            success = bool(rng.integers(2))
            scores = {"rubric_scores": (rng.integers(0, 3, 2) / 2).tolist()}
            rows += [_row(rng, group, rollout, t, success, last=t == length - 1) | scores for t in range(length)]
    return rows


def _row(rng, group, rollout, turn, success, last):
    state, tokens = int(rng.integers(4)), int(rng.integers(0, 4))
    terminated = bool(last and rng.integers(2))
    return _more(rng, tokens) | {
        "group": f"g{group}",
        "trajectory": f"r{rollout}",
        "turn": turn,
        "state": f"s{state}",
        "anchor": f"s{state % 2}",
        "next_state": f"s{rng.integers(6)}",
        "turn_reward": float(rng.choice([0.0, 0.25, -0.5])),
        "outcome_reward": float(rng.choice([0.0, 0.5, 1.0])) if last else 0.0,
        "success": success,
        "terminated": terminated,
        "truncated": last and not terminated,
        "valid": bool(rng.integers(3)),
        "tool_result": not rng.integers(3),
        "tokens": tokens,
        "observation": TEXTS[rng.integers(len(TEXTS))],
        "action": "ab"[rng.integers(2)],
        "logprob": -float(rng.integers(1, 5)) / 2,
        "hindsight_logprob": -float(rng.integers(1, 5)) / 2,
    }


def _more(rng, tokens):
    """Columns that few estimators read: values from coarse grids too."""
    grid = lambda *shape: rng.integers(-4, 5, shape) / 4
    steps, gold = rng.integers(0, 3, 2)
    return {
        "prefix": f"p{rng.integers(3)}",
        "kind": ("plan", "act")[rng.integers(2)],
        "tag": ("gold", "read", "error")[rng.integers(3)],
        "channel": ("", "query", "order")[rng.integers(3)],
        "critique": float(rng.integers(-1, 2)),
        "step_score": float(rng.integers(5)) / 4,
        "potential": float(grid()),
        "next_potential": float(grid()),
        "switch": bool(rng.integers(2)),
        "subgoal": f"g{rng.integers(2)}",
        "value": float(grid()),
        "bootstrap_value": float(grid()),
        "value_low": float(grid()),
        "value_high": float(grid()),
        "value_term": float(grid()),
        "menu": ["a", "b", "c"],
        "menu_logprobs": np.log(rng.dirichlet([1, 1, 1])).tolist(),
        "menu_hindsight_logprobs": np.log(rng.dirichlet([1, 1, 1], 2)).tolist(),
        "hindsight_table": (rng.integers(1, 5, rng.integers(1, 4)) / 4).tolist(),
        "plan": [f"step {n}" for n in range(steps)],
        "gold_plan": [f"gold {n}" for n in range(gold)],
        "plan_similarity": (rng.integers(0, 5, (steps, gold)) / 4).tolist(),
        "revision_ok": rng.integers(0, 2, rng.integers(0, 4)).astype(bool).tolist(),
        "log_safe": -float(rng.integers(0, 5)) / 2,
        "safe": bool(rng.integers(2)),
        "cost": float(rng.integers(0, 3)),
        "entropy": float(rng.integers(0, 5)) / 4,
        "token_ids": rng.integers(0, 9, tokens).tolist(),
        "token_logprobs": (-rng.integers(1, 5, tokens) / 2).tolist(),
        "teacher_logprobs": (-rng.integers(1, 5, tokens) / 2).tolist(),
        "token_mask": rng.integers(0, 2, tokens).astype(bool).tolist(),
        "rubric_relevance": (rng.integers(0, 5, (2, tokens)) / 4).tolist(),
        "components": {"progress": float(grid()), **({"format": float(grid())} if rng.integers(2) else {})},
    }
