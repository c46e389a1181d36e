"""Command line: `agentgym list | play | check | new | bench | credit | train | rollout | replay | data | canary`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from typing import Any

import gymnasium

from agentgym._options import parser
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, DataError, unknown
from agentgym.rollout import build

ESTIMATING = "while estimating with "  # how the note begins that estimators add to what they raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, or show the help where none is given; return the exit status.

    0: done; 1: refused with a reason, or a rule is broken; 130: Ctrl-C; 141: nobody reads what is printed any more,
    so the command was not finished, or its result not heard.
    """
    options = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no «•» shows a question mark
    if "" not in sys.path:
        sys.path.insert(0, "")  # worlds and estimators in the working folder, as under `python -m agentgym`
    try:
        status = COMMANDS.get(options.command, _help)(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except Exception as error:
        reason = _reason(error)
        if options.traceback or not reason:
            raise
        print(f"agentgym {options.command}: {' '.join(reason.splitlines())}", file=sys.stderr)
        return 1
    return status or 0


def _help(_: argparse.Namespace) -> None:
    parser().print_help()


def _reason(error: Exception) -> str:
    """Return a refusal in one line; "" for an error that is a fault of the program."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(ESTIMATING)]
    if notes:
        return f"{type(error).__name__}: {error}, {notes[0]} (--traceback shows the whole way)"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or type(error).__name__}"
    refused = AgentGymError | ValueError | TypeError | KeyError | ImportError | OSError | gymnasium.error.Error
    if not isinstance(error, refused):
        return ""
    return str(error.args[0] if isinstance(error, KeyError) and error.args else error)


def _bench(options: argparse.Namespace) -> None:
    for env in options.envs:
        _import(env)
    bench: Callable[..., Any] = import_module("agentgym.baselines.benchmark.command").bench
    bench(
        budget=options.budget,
        envs=options.envs,
        estimators=options.estimator,
        only=options.only,
        track=options.track,
        seeds=options.seeds,
        out=options.out,
        resume=options.resume,
        jobs=options.jobs,
        policy=options.policy,
    )


def _rollout(options: argparse.Namespace) -> None:
    _import(options.env)
    rollout: Callable[..., str] = import_module("agentgym.baselines.rollouts").rollout
    with _Progress("rollout") as progress:
        done = rollout(
            options.env,
            options.policy,
            options.out,
            tasks=options.tasks,
            group_size=options.group_size,
            seed=options.seed,
            kwargs=_arguments(options.set),
            append=options.append,
            progress=progress,
        )
    print(done)


def _replay(options: argparse.Namespace) -> int:
    replay: Callable[..., list[Any]] = import_module("agentgym.log").replay
    with _Progress("replayed rollout") as progress:
        found = replay(options.file, progress=progress)
    print(found[0] if found else f"{options.file}: all {progress.done} rollouts come out as they were logged")
    if found:
        print(f"{options.file}: {len(found)} of {progress.done} rollouts differ; above is the first")
    return 1 if found else 0


class _Progress:
    """Shows on stderr how many are done: in one line that changes on a terminal, else in a line every tenth.

    Where nobody knows how many there are, a total of 0, it is a line every 100,000.

    Warnings that come meanwhile, as of a file that was cut short, are lines without a place in the source.
    """

    def __init__(self, what: str) -> None:
        self.what, self.done, self._shown = what, 0, 0
        self._warnings = warnings.catch_warnings()

    def __call__(self, done: int, total: int) -> None:
        self.done = done
        steps = done * (100 if _on_terminal() else 10) // total if total else done // 100_000
        if steps > self._shown:
            self._shown = steps
            text = f"{self.what} {done}" + (f" of {total}" if total else "")
            _say(f"\r{text}" if _on_terminal() else f"{text}\n")

    def __enter__(self) -> _Progress:
        self._warnings.__enter__()
        warnings.showwarning = lambda message, *_: _say(f"warning: {message}\n")
        return self

    def __exit__(self, *error: Any) -> None:
        self._warnings.__exit__(*error)
        if self._shown and _on_terminal():
            _say("\n")  # what comes next begins a line of its own


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _say(text: str) -> None:
    """Write to stderr, if anybody reads it; the work goes on without."""
    if sys.stderr is not None:
        with suppress(BrokenPipeError):
            sys.stderr.write(text)
            sys.stderr.flush()


def _credit(options: argparse.Namespace) -> None:
    import_module("agentgym.baselines.conversations.command").command(
        options.log,
        estimators=options.estimator,
        options=_arguments(options.option, "--option"),
        keys={name: str(value) for name, value in _arguments(options.key, "--key").items()},
        tau=options.tau,
        success_at=options.success_at,
        run=options.run,
        rollout=options.rollout,
        out=options.out,
        values=options.values,
        say=print,
    )


def _train(options: argparse.Namespace) -> None:
    _import(options.env)
    grpo = import_module("agentgym.baselines.grpo")
    given = {"env_kwargs": _arguments(options.set), "options": _arguments(options.option, "--option")}
    given |= {name: getattr(options, name) for name in ("estimator", "seed", "control")}
    config = grpo.make(options.env, options.preset, **{**given, **_arguments(options.config, "--config")})
    grpo.run(config, options.out, resume=options.resume, tensorboard=options.tensorboard)


def _list(options: argparse.Namespace) -> int:
    found = _worlds()
    if options.env is not None:
        name = _import(options.env)
        if name not in gymnasium.registry:
            raise ValueError(unknown("world", name, found))
        found = [options.env]
    broken = 0
    for name in found:
        try:
            world = build(name)
        except DataError as error:
            if options.env is not None:
                raise
            print(f"{name}: {error}")  # the others are listed all the same
            broken += 1
            continue
        if options.quality:
            broken += _quality(name, world)
            continue
        print(f"{name}  (version {world.version})")
        for panel, success in world.panels():
            sizes = ", ".join(f"{len(panel[split])} {split}" for split in panel)
            random = "random choice: not measured" if success is None else f"random choice succeeds in {success:.1%}"
            print(f"  {panel.name:<28} {panel.hash[:16]}  {sizes}; {random}")
    return int(broken > 0)


def _quality(name: str, world: AgentEnv[Any]) -> int:
    """Print what was measured of a world's tasks, where it offers that; return how many bounds are broken."""
    if not world.offers("quality"):
        return 0
    print(f"{name}  (version {world.version})")
    rows = world.quality()
    for row in rows:
        value = row.value if isinstance(row.value, str) else f"{row.value:,}"
        print(f"  {row.name:<60} {value:>12}  {row.bound}{'' if row.holds else '  BROKEN'}".rstrip())
    return sum(not row.holds for row in rows)


def _worlds() -> list[str]:
    return sorted(name for name, spec in gymnasium.registry.items() if spec.namespace == "agentgym")


def _import(env: str) -> str:
    """Import the module of an id such as "my_module:me/World-v0"; return the rest of the id.

    Raises:
        ValueError: the module cannot be imported, or has not registered the id.
    """
    module, colon, name = env.rpartition(":")
    if not colon:
        return env
    try:
        import_module(module)
    except Exception as error:  # of a module that someone else wrote
        why = str(error) if isinstance(error, ImportError) else f"it raised {type(error).__name__}: {error}"
        raise ValueError(f"cannot import {module!r} for the world {env!r}: {why}") from error
    known = list(gymnasium.registry)
    if name not in known and not any(other.startswith(f"{name}-v") for other in known):  # without a version: the newest
        near = [other for other in known if other.partition("/")[0] == name.partition("/")[0]]
        hint = f" ({unknown('world', name, near)})" if near else ""
        raise ValueError(f"importing {module} registered no {name}{hint}: call agentgym.register({name!r}, …) in it")
    return name


def _play(options: argparse.Namespace) -> None:
    _import(options.env)
    signal = {"expert": "expert", "random": "menu", None: ""}[options.policy]
    world = build(options.env, _arguments(options.set))
    if signal:
        if not world.offers(signal):
            raise ValueError(f"this world has no {signal}; leave out --policy")
        world = build(world, signals=(signal,))
    import_module("agentgym._play_command").play(world, options.task, options.seed, options.policy, print)


def _check(options: argparse.Namespace) -> int:
    _import(options.env)
    command: Callable[..., int] = import_module("agentgym.check.command").command
    return command(
        options.env,
        kwargs=_arguments(options.set),
        rules=options.rule,
        tasks=options.tasks,
        panels=options.panels,
        seed=options.seed,
        actions=options.action,
        file=options.json,
        say=print,
    )


def _new(options: argparse.Namespace) -> None:
    scaffold = import_module("agentgym.scaffold")
    place = scaffold.create(options.name, tools=options.tools)
    world = scaffold.world_id(options.name)
    print(f"{place}{os.sep}: {', '.join(sorted(file.name for file in place.iterdir()))}")
    tests = "" if find_spec("pytest") else "  # needs pytest: python -m pip install pytest"
    print(f"next:\n  agentgym check {world}\n  agentgym play {world}\n  python -m pytest {place}{tests}")
    print(f"then replace, part by part, what {place / 'env.py'} and {place / 'tasks.py'} hold")


def _data(options: argparse.Namespace) -> int:
    command = import_module("agentgym._data_command")
    if options.deed == "list":
        return int(command.show(print))
    if options.deed == "remove":
        command.remove(options.name, print)
        return 0
    if options.deed == "index":
        command.index(options.name, options.file, options.out, options.dense, print, _Progress)
        return 0
    if options.deed == "serve":
        say = partial(print, flush=True)  # whoever started it reads the address in a pipe
        place = options.host, options.port, options.workers
        command.serve(options.folder, options.retriever, options.encoder, *place, say)
        return 0
    with _Progress("item") as progress:
        command.add(options.kind, options.folder, options.name, print, progress)
    return 0


def _canary(options: argparse.Namespace) -> int:
    command: Callable[..., int] = import_module("agentgym.canary.command").command
    return command(
        options.records,
        train=options.train,
        worlds=options.world,
        lessons=not options.no_lessons,
        file=options.json,
        progress=lambda name, done, total: _say(f"{done + 1}/{total} {name}\n"),
        say=print,
    )


def _arguments(pairs: Sequence[str], flag: str = "--set") -> dict[str, Any]:
    """Return NAME=VALUE pairs as arguments; a value is JSON where it can be, else text."""
    out: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"{flag} takes NAME=VALUE, not {pair!r}")
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int | None]] = {
    "list": _list,
    "play": _play,
    "check": _check,
    "new": _new,
    "bench": _bench,
    "credit": _credit,
    "train": _train,
    "rollout": _rollout,
    "replay": _replay,
    "data": _data,
    "canary": _canary,
}
