"""The GPU recipe: one model, one warm start, four estimators that take turns, and results that a cut leaves whole.

`gpu_recipe.sh` calls it; see docs/gpu.md. Every update adds a line to curves.jsonl. summary.json and curves.svg
are written again every few seconds, so that even a kill leaves them. A signal ends the run as the end of its time does.
"""

# ruff: noqa: E402 - the time that imports take is part of the time there is
from __future__ import annotations

from time import perf_counter

BEGUN = perf_counter()

import argparse
import json
import platform
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from agentgym import __version__
from agentgym.baselines.grpo.config import Config, TrainError, make
from agentgym.baselines.grpo.prepare import Parts, prepare
from agentgym.baselines.grpo.recipe_results import Results
from agentgym.baselines.grpo.rollout import play
from agentgym.baselines.grpo.train import Trainer, plain
from agentgym.baselines.grpo.warmstart import imitate
from agentgym.errors import AgentGymError

ESTIMATORS = ("grpo", "mt_grpo", "gigpo", "hcapo")
WORLD = {"level": "goto", "num_dists": 2, "max_turns": 16, "outcome": "binary"}
"""The panel `goto` of the benchmark."""
SIZES: Mapping[str, Mapping[str, Any]] = {
    "100m": {
        "device": "cuda", "dtype": "bfloat16", "width": 1280, "layers": 6, "heads": 20, "rollouts": 128,
        "group_size": 8, "token_budget": 16384, "lr": 2.5e-5, "warm_lr": 2e-4, "eval_tasks": 100,
        "eval_rollouts": 2, "eval_every": 5,
    },
    "toy": {
        "width": 64, "layers": 2, "heads": 2, "rollouts": 32, "group_size": 8, "lr": 3e-4, "eval_tasks": 16,
        "eval_rollouts": 2, "eval_every": 5, "warm_epochs": 25, "warm_lr": 2e-3,
    },
}  # fmt: skip
"""What a size changes in the configuration for the CPU: a Llama of 122 million parameters, or of some 100,000."""
COMMON = {"env_kwargs": WORLD, "updates": 100_000, "decay": 1.0, "warmup": 2}
"""The time, not a number of updates, ends a run, so the step size does not fall."""
WARM_EPISODES = {"100m": (128, 256, 512, 1024), "toy": (64, 128)}
WARM_ENOUGH = 0.35
"""Held-out success at which the warm start is enough: more experts are imitated only below it."""
WARM_SHARE = 0.35
"""Of the time, what the warm start may take."""
MOST_APART = 0.05
"""Mean |difference| of log-probabilities between sampling and learning above which a way of computing is not used."""
MOST_MEMORY_ERRORS = 6
RESERVE = 5.0
"""Seconds kept for the last figures."""
LIBRARIES = ("torch", "transformers", "numpy", "gymnasium", "minigrid")
COMMAND = "baselines/grpo/gpu_recipe.sh SIZE={} TOTAL_SECONDS={:.0f}"


@dataclass(frozen=True)
class Clock:
    """The seconds that a run has, from the import of this module on."""

    seconds: float

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return perf_counter() - BEGUN

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self.seconds - self.spent


def run(size: str, seconds: float, out: str, given: Mapping[str, Any], say: Any) -> dict[str, Any]:
    """Run the recipe and return its summary.

    Args:
        size: one of SIZES.
        seconds: of everything.
        out: folder of the results.
        given: fields of the configuration that differ from the size's.
        say: where lines go.

    Raises:
        TrainError, ValueError: it cannot start, or no way of computing samples and learns alike.
    """
    clock = Clock(seconds)
    config = make("agentgym/BabyAI-v0", **{**COMMON, **SIZES[size], **given})
    results = Results(
        Path(out), ESTIMATORS, {"size": size, "seconds": seconds, "command": COMMAND.format(size, seconds)}
    )
    results.state = "stopped by an error"
    try:
        parts, config, way = computing(config, say)
        results.about |= described(parts, config, way)
        say(f"{results.about['parameters']:,} parameters on {results.about['device']}; {clock.spent:.0f} s")
        results.about["warm"] = warm = warm_start(parts, config, clock, WARM_EPISODES[size], say)
        trainers = {name: trainer(parts, config, name, Path(out)) for name in ESTIMATORS}
        for name in trainers:
            results.held(name, 0, warm["held_success"])
        results.about["seconds_until_training"] = clock.spent
        take_turns(trainers, clock, results, len(trainers) * warm["seconds_evaluation"], say)
        results.state = "finished"
    except KeyboardInterrupt:
        results.state = "cut by a signal"
        say(f"cut by a signal; {clock.spent:.0f} s")
    finally:
        results.about["seconds_spent"] = clock.spent
        summary: dict[str, Any] = results.write()
    return summary


def described(parts: Parts, config: Config, way: str) -> dict[str, Any]:
    """Return what a reader needs to know of machine and model."""
    cuda = config.device == "cuda"
    card = torch.cuda.get_device_properties(0) if cuda else None
    return {
        "device": card.name if card else f"CPU, {torch.get_num_threads()} threads",
        "device_memory_gib": round(card.total_memory / 2**30, 1) if card else None,
        "computed_with": way,
        "parameters": sum(weights.numel() for weights in parts.model.parameters()),
        "token_ids": parts.tokens.size,
        "config": plain(config.as_json()),
        "versions": {"python": platform.python_version(), **{name: metadata.version(name) for name in LIBRARIES}},
        "agentgym": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "evaluated_on": parts.held_split,
    }


def computing(config: Config, say: Any) -> tuple[Parts, Config, str]:
    """Return the parts of a run that samples and learns alike: the fastest such way of attention and precision.

    A driver whose attention returns NaN for padded rows, say, is found here and not after an update.
    """
    ways = [("sdpa", config.dtype), ("eager", config.dtype), ("eager", "float32")]
    for attention, dtype in dict.fromkeys(ways):
        tried = replace(config, dtype=dtype)
        parts = prepare(tried)
        parts.model.set_attn_implementation(attention)
        apart = apartness(parts, tried)
        way = f"{attention} attention, {dtype}"
        say(f"{way}: sampling and learning differ by {apart:.2g} in log-probability")
        if apart <= MOST_APART:
            return parts, tried, way
    raise TrainError("sampling and learning disagree in every way of computing: see the lines above")


def apartness(parts: Parts, config: Config) -> float:
    """Return the mean |difference| of the log-probabilities of sampled ids; infinite where one is not finite."""
    try:
        played = play(parts.world, parts.engine, parts.tokens, config, parts.train[:4], group_size=2, seed=0)
        scripts = list(played.transcripts.values())
        scored = parts.engine.score([script.ids for script in scripts])
    except ValueError:  # a record refuses what is not finite
        return float("inf")
    gaps = [
        abs(scores[place] - script.logprobs[place])
        for script, scores in zip(scripts, scored, strict=True)
        for begin, end in script.spans
        for place in range(begin, end)
    ]
    apart = float(np.mean(gaps))
    return apart if np.isfinite(apart) else float("inf")


def warm_start(parts: Parts, config: Config, clock: Clock, counts: Sequence[int], say: Any) -> dict[str, Any]:
    """Imitate the expert, from more episodes until success is enough or the time for it is over; return what came out.

    Every attempt begins with the first weights, so that its held-out episodes are ones it never saw.
    """
    until = clock.spent + WARM_SHARE * clock.left
    first = {name: value.clone() for name, value in parts.model.state_dict().items()}
    found: dict[str, Any] = {}
    for count in counts:
        tried = replace(config, warm_episodes=count)
        parts.model.load_state_dict(first)

        def tell(epoch: int, mine: float, held: float, count: int = count) -> bool:
            say(f"imitation of {count}, pass {epoch + 1}: loss {mine:.4f}, held-out {held:.4f}; {clock.spent:.0f} s")
            return clock.spent > until

        curve = imitate(parts, tried, tell)
        begin = clock.spent
        success = _measured(parts, config)
        found = {"episodes": count, "curve": curve, "held_success": success, "seconds_evaluation": clock.spent - begin}
        say(f"warm start from {count} episodes: held-out success {success:.1%}; {clock.spent:.0f} s")
        if success >= WARM_ENOUGH or clock.spent > until:
            break
    return found


def _measured(parts: Parts, config: Config) -> float:
    played = play(
        parts.world, parts.engine, parts.tokens, config, parts.held[: config.eval_tasks],
        group_size=config.eval_rollouts, seed=config.seed,
    )  # fmt: skip
    parts.engine.changed()
    return float(np.mean(played.batch.success[played.batch.last]))


def trainer(warm: Parts, config: Config, estimator: str, folder: Path) -> Trainer:
    """Return a trainer with a copy of the warm weights and an optimiser of its own."""
    mine = replace(config, estimator=estimator)
    words = getattr(warm.tokens, "words", None)
    parts = prepare(mine, words)
    parts.model.set_attn_implementation(warm.model.config._attn_implementation)
    parts.model.load_state_dict(warm.model.state_dict())
    return Trainer(parts, mine, folder / estimator)


def take_turns(trainers: dict[str, Trainer], clock: Clock, results: Results, evaluating: float, say: Any) -> None:
    """Train until the time is over, one update each in turn, so that curves are of equal length wherever a cut comes.

    Args:
        trainers: by estimator; one that cannot go on is taken out.
        clock: whose time it is.
        results: told every update.
        evaluating: seconds that an evaluation of all takes, to begin with.
        say: where lines go.
    """
    memory_errors, slowest, judged = 0, 0.0, 0
    while trainers:
        done = min(one.done for one in trainers.values())
        behind = [name for name, one in trainers.items() if one.done == done]
        every = trainers[behind[0]].config.eval_every
        if len(behind) == len(trainers) and done >= judged + every:
            evaluating, judged = evaluate(trainers, clock, results, say), done
        if clock.left < 1.2 * (len(behind) * slowest + evaluating) + RESERVE:
            break
        times = []
        for name in behind:
            begin = clock.spent
            try:
                record = trainers[name].update()
            except TrainError as error:
                memory_errors += 1
                if not isinstance(error.__cause__, torch.OutOfMemoryError) or memory_errors > MOST_MEMORY_ERRORS:
                    say(f"{name} ends here: {error}")
                    results.stopped[name] = str(error)
                    del trainers[name]
                else:
                    shrink(trainers, name, say)
                break  # who is behind has changed
            times.append(clock.spent - begin)
            results.add(name, {**record, "rollouts": trainers[name].config.rollouts})
            say(_line(name, record, clock))
        slowest = max(times, default=slowest)
    if any(one.done > judged for one in trainers.values()):
        evaluate(trainers, clock, results, say)


def _line(name: str, record: Mapping[str, Any], clock: Clock) -> str:
    return (
        f"{name:<8} {record['update']:>3}: success {record['success']:.1%}, entropy {record.get('entropy', 0.0):.3f}, "
        f"drift {record.get('drift', 0.0):.4f}, {record['seconds_rollout']:.1f} + {record['seconds_train']:.1f} s; "
        f"{clock.spent:.0f} s"
    )


def evaluate(trainers: Mapping[str, Trainer], clock: Clock, results: Results, say: Any) -> float:
    """Measure held-out success of all; return the seconds it took."""
    begin = clock.spent
    for name, one in trainers.items():
        results.held(name, one.done, one.evaluate()["success"])
    found = ", ".join(f"{name} {results.held_out[name][-1][1]:.1%}" for name in trainers)
    say(f"held-out success: {found}; {clock.spent:.0f} s")
    return clock.spent - begin


def shrink(trainers: Mapping[str, Trainer], name: str, say: Any) -> None:
    """Halve, for all alike, the tokens of a forward pass; where they are few already, the rollouts of an update."""
    held = trainers[name].config
    change: dict[str, Any] = {"token_budget": held.token_budget // 2}
    if change["token_budget"] < held.context and held.rollouts >= 2 * held.group_size * held.minibatches:
        change = {"rollouts": held.rollouts // 2}
    say(f"{name} ran out of memory: goes on with {change}")
    for one in trainers.values():
        one.config = replace(one.config, **change)
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the recipe from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=tuple(SIZES), required=True)
    parser.add_argument("--seconds", type=float, required=True, help="of everything")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("config", nargs="*", metavar="NAME=VALUE", help="fields of the configuration that differ")
    options = parser.parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    with (Path(options.out) / "log.txt").open("w", encoding="utf-8") as log:
        screen = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

        def say(text: str) -> None:
            log.write(f"{text}\n")
            log.flush()
            with suppress(OSError):  # who read the screen may be gone; the run goes on
                screen.print(text)

        try:
            given = dict(_field(word) for word in options.config)
            run(options.size, options.seconds, options.out, given, say)
        except (AgentGymError, ValueError, TypeError) as error:
            say(f"gpu_recipe: {error}")
            return 1
    return 0


def _interrupt(number: int, frame: Any) -> None:
    """End the run; what is there is written then, whatever signals follow."""
    for again in (signal.SIGTERM, signal.SIGINT):
        signal.signal(again, signal.SIG_IGN)
    raise KeyboardInterrupt


def _field(word: str) -> tuple[str, Any]:
    name, equals, text = word.partition("=")
    if not equals:
        raise ValueError(f"{word!r} is no NAME=VALUE")
    try:
        return name, json.loads(text)
    except ValueError:
        return name, text


if __name__ == "__main__":
    sys.exit(main())
