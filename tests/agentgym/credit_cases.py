"""Random ragged records with every column that the estimators read, and the options to draw from."""

SCALE = {"normalise": ("std", "none"), "ddof": (0, 1), "eps": (1e-6, 1e-4, 1e-2)}
VOTES = {"votes": ("trajectory", "turn", "token"), "singleton": ("zero", "raw")}
REWARDS = {"rewards": ("total", "outcome")}
GAMMA = {"gamma": (0.0, 0.5, 0.95, 1.0)}

OPTIONS = {
    "grpo": REWARDS | VOTES | SCALE,
    "mt_grpo": {
        "variant": ("future_sum", "own_turn", "grpo_or", "grpo_mr", "two_segment"),
        "coef": (1.0, 0.5),
        **SCALE,
    },
    "gigpo": {
        **(REWARDS | GAMMA | VOTES | SCALE),
        "step_weight": (1.0, 0.5),
        "key": ("anchor", "state"),
        "similarity": (None, None, 0.6, 0.95),
        "invalid_penalty": (0.0, 0.1),
    },
    "hcapo": {
        **(REWARDS | GAMMA | VOTES | SCALE),
        "variant": ("trajectory_mean", "policy_ratio"),
        "temperature": (5.0, 1.0, 0.2),
        "clip": ((0.8, 1.2), (0.0, 3.0)),
        "smoothing": (None, 0.5, 1.0),
        "hindsight_weight": (1.0, 0.5),
        "do_no_harm": (True, False),
    },
    "state_graph": {
        **REWARDS,
        "gamma": (0.0, 0.5, 0.9, 0.95),
        "prior": (0.0, 0.3, 1.0),
        "key": ("anchor", "state"),
        "normalise": ("std", "none"),
        "eps": (1e-6, 1e-2),
    },
}
"""For each estimator every option with values to try."""

TEXTS = ("a door", "a red door", "a red box", "two red boxes", "nothing", "you see nothing here", "")


def draw_options(name, rng):
    options = {option: values[rng.integers(len(values))] for option, values in OPTIONS[name].items()}
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
            rows += [_row(rng, group, rollout, t, success, last=t == length - 1) for t in range(length)]
    return rows


def _row(rng, group, rollout, turn, success, last):
    state = int(rng.integers(4))
    return {
        "group": f"g{group}",
        "trajectory": f"r{rollout}",
        "turn": turn,
        "state": f"s{state}",
        "anchor": f"s{state % 2}",
        "next_state": f"s{rng.integers(6)}",
        "turn_reward": float(rng.choice([0.0, 0.25, -0.5])),
        "outcome_reward": float(rng.choice([0.0, 0.5, 1.0])) if last else 0.0,
        "success": success,
        "terminated": bool(last and rng.integers(2)),
        "valid": bool(rng.integers(3)),
        "tool_result": not rng.integers(3),
        "tokens": int(rng.integers(0, 4)),
        "observation": TEXTS[rng.integers(len(TEXTS))],
        "action": "ab"[rng.integers(2)],
        "logprob": -float(rng.integers(1, 5)) / 2,
        "hindsight_logprob": -float(rng.integers(1, 5)) / 2,
    }
