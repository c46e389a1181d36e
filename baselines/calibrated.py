"""Calibrated turn rewards on customer service: which tags mislead, and what a policy learns from each reward.

python -m agentgym.baselines.calibrated --out runs/calibrated      # computes; writes results.json and the page
python -m agentgym.baselines.calibrated --render baselines/results/service/calibrated.json --docs docs/worlds

A menu policy that has imitated the expert a little plays, the tags of its turns are calibrated
(`agentgym.credit.calibrate`), and it goes on learning from one reward and estimator after the other; tasks, seeds and
draws are the same for all. `calibrated_page` writes what came out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console

from agentgym import credit
from agentgym.baselines import calibrated_page
from agentgym.baselines.benchmark.command import about_run
from agentgym.baselines.benchmark.learning import beginner, play, scaled
from agentgym.baselines.benchmark.settings import Budget, Panel
from agentgym.baselines.benchmark.store import read_json, write_json, write_text
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.policies import LogLinearPolicy
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rollout import build, collect

NAIVE: Final[Mapping[str, float]] = {
    "gold": 1.0, "soft": 0.5, "state": 0.2, "read": 0.2, "message": 0.1, "duplicate": -0.2, "error": -0.5,
}  # fmt: skip
"""What one might pay each kind of turn without having looked: acts well, looking and talking a little, errors badly."""

FAMILIES: Final = (
    *("cancel_order", "exchange_item", "change_address", "express_delivery", "to_a_human", "second_thoughts"),
    *("unknown_email", "short_gift_card", "final_sale", "shipped_order", "promised_by_manager", "price_match"),
)
"""Half of retail's families, one task of each; the last four, and what a gift card is short of, have to be refused."""

PANEL: Final = Panel(
    "retail",
    "agentgym/CustomerService-v0",
    {"domain": "retail", "families": list(FAMILIES), "train": 1, "max_turns": 24},
    learn_tasks=len(FAMILIES),
    learn_from=0.25,
)
BUDGET: Final = Budget("calibrated", (PANEL,), update_tasks=6, updates=20, seeds=5)

ROUNDS: Final = 8
"""Rounds of calibration at most."""
DELTA: Final = 0.02
"""Correlations with success up to it say nothing: over some 1,500 turns their standard error is 0.026."""
ETA: Final = 2.0
"""How far a weight moves in a round, times its correlation."""
JUDGED: Final = ("gtpo_hybrid", "mt_grpo", "grpo")
"""The estimators whose credit is held against the polarities of the tags."""


@dataclass(frozen=True)
class Variant:
    """What a policy learns from.

    Attributes:
        name: how tables call it.
        estimator: in `agentgym.credit`.
        pays: turn rewards: "nothing", "naive", "calibrated", or "progress", the world's own.
        against: the variant that it is held against.
        options: of the estimator.
    """

    name: str
    estimator: str
    pays: str
    against: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


PLAIN: Final = "grpo, outcome alone"
VARIANTS: Final = (
    Variant(PLAIN, "grpo", "nothing"),
    Variant("grpo, naive", "grpo", "naive", PLAIN),
    Variant("grpo, calibrated", "grpo", "calibrated", "grpo, naive"),
    Variant("mt_grpo, naive", "mt_grpo", "naive", PLAIN),
    Variant("mt_grpo, calibrated", "mt_grpo", "calibrated", "mt_grpo, naive"),
    Variant("gtpo_hybrid, naive", "gtpo_hybrid", "naive", PLAIN),
    Variant("gtpo_hybrid, calibrated", "gtpo_hybrid", "calibrated", "gtpo_hybrid, naive"),
    Variant("gtpo_hybrid, progress", "gtpo_hybrid", "progress", "gtpo_hybrid, calibrated"),
    Variant("traces over grpo, outcome alone", "traces", "nothing", PLAIN, {"base": "grpo", "costs": "true"}),
)

Say = Callable[[str], None]


def paid(batch: TurnBatch, pays: str, weights: Mapping[str, float]) -> TurnBatch:
    """Return the batch with other turn rewards, by the turns' tags: none, the naive ones, or `weights`; or its own.

    Args:
        batch: with a column `tag`.
        pays: "nothing", "naive", "calibrated" or "tags" (both: `weights`), or "progress", which leaves them.
        weights: tag → what a turn with it is paid.
    """
    if pays == "progress":
        return batch
    pay = {"nothing": dict.fromkeys(weights, 0.0), "naive": NAIVE}.get(pays, weights)
    return batch.with_columns(turn_reward=[pay[tag] for tag in batch["tag"]])


def calibrate(
    world: AgentEnv[Any], policy: LogLinearPolicy, budget: Budget, seed: int
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Return the calibrated weight of each tag, and what each round found: a row a tag.

    Every round collects anew, pays the weights so far and calibrates them, until no tag is paid, or credited by one of
    `JUDGED`, against its polarity: the sign of its correlation with success.
    """
    tasks = [task.id for task in world.panel["train"]]
    weights, rows = dict(NAIVE), []
    for number in range(ROUNDS):
        start = 100_000_000 + seed * 100_000 + number * 1_000
        batch = paid(collect(world, policy, tasks=tasks, group_size=budget.group_size, seed=start), "tags", weights)
        policy.features.forget()
        made = credit.calibrate(batch["tag"], batch["success"], weights, delta=DELTA, eta=ETA)
        reports = {name: made.check(batch["tag"], credit.estimate(name, batch).total) for name in JUDGED}
        against = {tag for report in reports.values() for tag in report.mismatches}
        against |= {tag for tag, weight in weights.items() if weight * made.reward[tag] < 0.0}
        for place, tag in enumerate(weights):
            advantage = {name: report.lines[place].mean_advantage for name, report in reports.items()}
            about = {"round": number, "tag": tag, "turns": int((batch["tag"] == tag).sum()), "paid": weights[tag]}
            rows.append({**about, "rho": made.rho[tag], "advantage": advantage, "against": tag in against})
        if not against:
            break
        weights = made.weight
    return weights, rows


def learn(
    world: AgentEnv[Any],
    start: LogLinearPolicy,
    variant: Variant,
    weights: Mapping[str, float],
    budget: Budget,
    seed: int,
) -> dict[str, list[float]]:
    """Return what the rollouts of every update came to: "success", "cost" (rules broken an episode) and "turns".

    Tasks, seeds and draws follow from `seed` and the update alone, so that variants meet the same talks.
    """
    policy, estimator = start.copy(), credit.as_estimator(variant.estimator)
    curves: dict[str, list[float]] = {"success": [], "cost": [], "turns": []}
    for update in range(budget.updates):
        batch = play(world, policy, budget, seed, update)
        curves["success"].append(float(batch["success"][batch["turn"] == 0].mean()))
        curves["cost"].append(float(batch["cost"].sum()) / batch.num_rollouts)
        curves["turns"].append(len(batch) / batch.num_rollouts)
        advantage = estimator(paid(batch, variant.pays, weights), **variant.options).total
        policy.update(batch, scaled(advantage), budget.step)
        policy.features.forget()
    return curves


def measure(
    panel: Panel = PANEL, budget: Budget = BUDGET, variants: Sequence[Variant] = VARIANTS, say: Say = lambda _: None
) -> dict[str, Any]:
    """Return the results, JSON: "naive", by seed "rounds" and "weights", and "rows", one a variant."""
    world = build(panel.env, panel.kwargs, signals=("menu", "describe"))
    runs: dict[str, list[dict[str, list[float]]]] = {variant.name: [] for variant in variants}
    weights, rounds = [], []
    for seed in range(budget.seeds):
        start = beginner(panel, seed)
        found, lines = calibrate(world, start.copy(), budget, seed)
        weights.append(found)
        rounds.append(lines)
        for variant in variants:
            say(f"seed {seed}: {variant.name}")
            runs[variant.name].append(learn(world, start, variant, found, budget, seed))
    sizes = {name: getattr(budget, name) for name in ("group_size", "update_tasks", "updates", "step", "seeds")}
    about = {"schema": 1, "panel": asdict(panel), "sizes": sizes, "delta": DELTA, "eta": ETA, "naive": dict(NAIVE)}
    return {**about, "rounds": rounds, "weights": weights, "rows": [row_of(variant, runs) for variant in variants]}


def row_of(variant: Variant, runs: Mapping[str, Sequence[Mapping[str, Sequence[float]]]]) -> dict[str, Any]:
    """Return a variant's figures over its seeds and their paired differences to what it is held against.

    "success" is the mean over all updates, "last" and "cost" (success, and rules broken an episode) over the last
    quarter of them.
    """

    def figures(name: str) -> dict[str, list[float]]:
        ends = [max(len(run["success"]) // 4, 1) for run in runs[name]]
        last = {
            key: [float(np.mean(run[what][-end:])) for run, end in zip(runs[name], ends, strict=True)]
            for key, what in (("last", "success"), ("cost", "cost"))
        }
        return {"success": [float(np.mean(run["success"])) for run in runs[name]], **last}

    mine = figures(variant.name)
    row: dict[str, Any] = {"name": variant.name, "against": variant.against}
    row |= {key: t_interval(values) for key, values in mine.items()}
    if variant.against:
        other = figures(variant.against)
        apart = {key: [a - b for a, b in zip(values, other[key], strict=True)] for key, values in mine.items()}
        row["minus"] = {key: t_interval(values) for key, values in apart.items()}
    return row


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m agentgym.baselines.calibrated", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", default="runs/calibrated", help="folder of the run (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see whether it runs")
    parser.add_argument("--render", metavar="RESULTS", help="results to render; computes nothing")
    parser.add_argument("--docs", metavar="DIR", help="where the page goes (default: the folder of the run)")
    given = parser.parse_args(arguments)
    console = Console(stderr=True, highlight=False, markup=False)
    if given.render:
        results = read_json(Path(given.render))
    else:
        panel, budget = PANEL, BUDGET
        if given.quick:
            few = {**PANEL.kwargs, "families": list(FAMILIES[:2])}
            panel = replace(PANEL, kwargs=few, learn_tasks=2, learn_from=0.1)
            budget = replace(BUDGET, group_size=2, update_tasks=1, updates=2, seeds=2)
        found = measure(panel, budget, say=console.print)
        command = f"python -m agentgym.baselines.calibrated --out {given.out}{' --quick' if given.quick else ''}"
        Path(given.out).mkdir(parents=True, exist_ok=True)
        write_json(Path(given.out) / "results.json", {**found, "run": {"command": command, **about_run()}})
        results = read_json(Path(given.out) / "results.json")  # as --render will find it
    page = Path(given.docs or given.out) / calibrated_page.NAME
    write_text(page, calibrated_page.render(results))
    console.print(f"page: {page}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
