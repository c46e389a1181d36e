"""The command line: `agentgym list | play | bench`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import gymnasium

from agentgym.errors import AgentGymError, unknown
from agentgym.rng import TurnRng
from agentgym.rollout import build


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status: 0 done, 1 refused with a reason, 130 stopped by Ctrl-C."""
    options = _parser().parse_args(arguments)
    if "" not in sys.path:
        sys.path.insert(0, "")  # worlds and estimators in the working folder, as under `python -m agentgym`
    try:
        options.run(options)
    except KeyboardInterrupt:
        return 130
    except (AgentGymError, ValueError, TypeError, KeyError, gymnasium.error.Error) as error:
        if options.traceback:
            raise
        reason = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"agentgym {options.command}: {reason}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agentgym", description=__doc__)
    parser.add_argument("--traceback", action="store_true", help="show where an error was raised")
    commands = parser.add_subparsers(dest="command", required=True)

    worlds = commands.add_parser("list", help="worlds, their panels, sizes, hashes, success of random choice")
    worlds.add_argument("--env", help="one world only")
    worlds.set_defaults(run=_list)

    play = commands.add_parser("play", help="play an episode yourself, or watch a policy")
    play.add_argument("env", help="world id, such as agentgym/BabyAI-v0")
    play.add_argument("--policy", choices=("expert", "random"), help="watch this policy instead of playing")
    play.add_argument("--task", help="task id; drawn by the seed where it is not given")
    play.add_argument("--seed", type=int, default=0)
    play.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="constructor argument of the world"
    )
    play.set_defaults(run=_play)

    bench = commands.add_parser("bench", help="judge estimators by the true advantages and by what a policy learns")
    bench.add_argument("--budget", help="quick (minutes, the default) or standard (hours)")
    bench.add_argument("--envs", action="append", default=[], metavar="PANEL", help="panel or world id; repeatable")
    bench.add_argument("--estimator", action="append", default=[], help="name or file.py:function; repeatable")
    bench.add_argument("--seeds", type=int, help="learning runs of each estimator")
    bench.add_argument("--out", help="folder of the results; the first free runs/bench-N where not given")
    bench.add_argument("--resume", action="store_true", help="go on with the run in --out")
    bench.add_argument("--jobs", type=int, default=1, help="processes")
    bench.set_defaults(run=_bench)
    return parser


def _bench(options: argparse.Namespace) -> None:
    bench: Callable[..., Any] = import_module("agentgym.baselines.benchmark.command").bench
    bench(
        budget=options.budget,
        envs=options.envs,
        estimators=options.estimator,
        seeds=options.seeds,
        out=options.out,
        resume=options.resume,
        jobs=options.jobs,
    )


def _list(options: argparse.Namespace) -> None:
    found = _worlds()
    if options.env is not None:
        if options.env not in found:
            raise ValueError(unknown("world", options.env, found))
        found = [options.env]
    for name in found:
        world = build(name)
        print(f"{name}  (version {world.version})")
        for panel, success in world.panels():
            sizes = ", ".join(f"{len(panel[split])} {split}" for split in panel)
            random = "not measured" if success is None else f"{success:.1%}"
            print(f"  {panel.name:<28} {panel.hash[:16]}  {sizes}; random choice succeeds in {random}")


def _worlds() -> list[str]:
    return sorted(name for name, spec in gymnasium.registry.items() if spec.namespace == "agentgym")


def _play(options: argparse.Namespace) -> None:
    signals = {"expert": ("expert",), "random": ("menu",), None: ()}[options.policy]
    world = build(options.env, _arguments(options.set), signals=signals)
    _, info = world.reset(seed=options.seed, options={"task": options.task})
    for message in info["messages"]:
        print(f"{message['content']}\n")
    over = False
    while not over:
        action = _typed(info) if options.policy is None else _chosen(options.policy, info)
        if action is None:
            print("stopped")
            return
        _, reward, terminated, truncated, info = world.step(action)
        over = terminated or truncated
        print(f"> {action}\n{world.render()}\n")
    print(f"{info['end_reason']} after {info['turn']} turns; reward {reward:.3f}")


def _typed(info: Any) -> str | None:
    try:
        return input(f"turn {info['turn']} > ")
    except EOFError:
        return None


def _chosen(policy: str, info: Any) -> str:
    if policy == "expert":
        return str(info["expert"])
    return str(TurnRng(info["seed"], turn=info["turn"], stream="play").choice(info["menu"]))


def _arguments(pairs: Sequence[str]) -> dict[str, Any]:
    """Return NAME=VALUE pairs as arguments; a value is JSON where it can be, else text."""
    out: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"--set takes NAME=VALUE, not {pair!r}")
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out
