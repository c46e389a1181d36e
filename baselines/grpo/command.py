"""`agentgym train`: checks everything, warm-starts, trains, and leaves checkpoints, metrics and a page with curves."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agentgym.baselines.benchmark.store import write_json, write_text
from agentgym.baselines.grpo import checkpoint, events, report
from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.logs import Journal, told
from agentgym.baselines.grpo.prepare import prepare
from agentgym.baselines.grpo.train import Trainer, plain
from agentgym.baselines.grpo.warmstart import imitate


def train(
    config: Config, out: str, *, resume: bool = False, tensorboard: bool = False, console: Console | None = None
) -> dict[str, Any]:
    """Run a training run in the folder `out` and return its summary, which `summary.json` holds too.

    The folder then holds warm.pt and latest.pt (checkpoints before the first and after the last update), metrics.jsonl
    (one line an update), summary.json and report.html, with `tensorboard` event files too.

    Args:
        config: of the run.
        out: folder; new, or that of the same run with `resume`.
        resume: go on from latest.pt.
        tensorboard: write TensorBoard's event files; may differ from one part of a run to the next.
        console: where lines go; None: standard error.

    Raises:
        TrainError, ValueError: the run cannot start, raised before any rollout; or it cannot go on, and latest.pt is
            whole.
        KeyboardInterrupt: stopped; `resume` goes on after the last finished update.
    """
    report.check()
    if tensorboard:
        events.check()
    shown = console or Console(stderr=True, highlight=False, markup=False)
    say = shown.print
    folder = Path(out)
    latest = folder / "latest.pt"
    if latest.exists() and not resume:
        raise TrainError(f"{folder} holds a run already: add --resume to go on with it, or choose another --out")
    state = checkpoint.load(latest, plain(config.as_json()), config.device) if resume else None
    source = None
    if config.warm_from and state is None:
        source = checkpoint.load(Path(config.warm_from), None, config.device)
        checkpoint.check_model(config.warm_from, source["config"], config)
    held_words = next((held["words"] for held in (state, source) if held is not None), None)
    parts = prepare(config, held_words)
    trainer = Trainer(parts, config, folder)
    if state is None or (not state["done"] and not (folder / "warm.json").exists()):
        _begin(trainer, source or state, say)  # a state: memory ran out in the evaluation of its warm start
        trainer.save()
    else:
        trainer.resume(state)
        trainer.begin(checkpoint.load(folder / "warm.pt")["model"] if trainer.reads_first else None)
    journal = Journal(folder, trainer.done)
    begin = perf_counter()
    if journal.records and "held_success" not in journal.records[-1]:  # memory ran out in the evaluation of it
        journal.records[-1] |= _held(trainer)
        journal.write()
    with events.Events(folder, journal.records) if tensorboard else nullcontext() as written:
        _updates(trainer, journal, written, shown)
    summary = report.summary(folder, config, journal.records, parts.held_split)
    summary["seconds"] = perf_counter() - begin
    write_text(folder / "report.html", report.render(config, summary, journal.records))
    write_json(folder / "summary.json", summary)  # last: where it is, the run is whole
    say(f"held-out success {summary['before']:.1%} → {summary['after']:.1%}   report: {folder / 'report.html'}")
    return summary


def _updates(trainer: Trainer, journal: Journal, written: events.Events | None, console: Console) -> None:
    """Take the updates that are left, each with its record, its line and, as often as asked, its checkpoint."""
    config = trainer.config
    with _bars(console) as bars:
        whole = bars.add_task("updates", total=config.updates, completed=trainer.done)
        bar = bars.add_task("rollouts", total=config.rollouts)
        while trainer.done < config.updates:
            record = trainer.update(lambda done, total: bars.update(bar, completed=done, total=total))
            try:
                record |= _held(trainer)
            finally:  # an evaluation that memory is too short for leaves a checkpoint that knows of this update
                journal.add(record)
            if written is not None:
                written.add(record)
            if trainer.done == config.updates or trainer.done % config.save_every == 0:
                trainer.save()
            console.print(told(record, config.updates), soft_wrap=True)
            bars.update(whole, completed=trainer.done)


def _held(trainer: Trainer) -> dict[str, float]:
    """Return the success and return on held-out tasks after an update that is to be evaluated; {} after others."""
    if trainer.done != trainer.config.updates and trainer.done % trainer.config.eval_every:
        return {}
    found = trainer.evaluate()
    return {"held_success": found["success"], "held_return": found["return"]}


def warm_start(config: Config, out: str, *, console: Console | None = None) -> float:
    """Make a warm start alone, warm.pt and warm.json in the folder `out`; return its held-out success.

    Raises:
        TrainError, ValueError: it cannot start; raised before any rollout.
    """
    shown = console or Console(stderr=True, highlight=False, markup=False)
    return float(_begin(Trainer(prepare(config), config, Path(out)), None, shown.print)["success"])


def _begin(trainer: Trainer, source: dict[str, Any] | None, say: Any) -> dict[str, Any]:
    """Make the warm start of a run and its first checkpoints."""
    begin = perf_counter()
    warm = _warm_start(trainer, source, say)
    warm["seconds"] = perf_counter() - begin
    write_json(trainer.folder / "warm.json", warm)
    trainer.begin()
    trainer.save("warm.pt")
    return warm


def _bars(console: Console) -> Progress:
    """Return progress bars, which only a terminal shows."""
    columns = (TextColumn("{task.description:<9}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _warm_start(trainer: Trainer, source: dict[str, Any] | None, say: Any) -> dict[str, Any]:
    """Imitate the expert, or take over the weights of a checkpoint; return the curve and the success it led to."""
    config, parts = trainer.config, trainer.parts
    curve: dict[str, list[float]] = {"train": [], "held_out": []}
    if source is not None:
        try:
            parts.model.load_state_dict(source["model"])
        except RuntimeError as error:
            first = str(error).splitlines()[-1].strip()
            raise TrainError(f"{config.warm_from} holds another model ({first}): give its width and layers") from error
    elif config.warm_episodes:

        def tell(epoch: int, mine: float, held: float) -> None:
            say(f"imitation {epoch + 1:>2}  loss {mine:.4f}  held-out {held:.4f}")

        curve = imitate(parts, config, tell)
    found = trainer.evaluate()
    size = sum(parameter.numel() for parameter in parts.model.parameters())
    say(f"warm start: held-out success {found['success']:.1%} with {size:,} parameters, {parts.tokens.size} token ids")
    if not torch.isfinite(torch.tensor(list(found.values()))).all():
        raise TrainError("the evaluation of the warm start is not finite")
    return {"curve": curve, "success": found["success"], "return": found["return"], "parameters": size}
