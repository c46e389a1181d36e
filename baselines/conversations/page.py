"""The page of one conversation: every turn coloured by its credit under the estimators chosen. One file, no script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from agentgym.batch import TurnBatch
from agentgym.credit import Credit

POSITIVE, NEGATIVE = (33, 102, 172), (178, 24, 43)
LONG = 600
"""Characters of a text that are shown, half of them its last; what is between is folded away."""


class Rollouts(NamedTuple):
    """The rollouts of a batch in words, with the outcome of each (None: not recorded)."""

    batch: TurnBatch
    outcome: np.ndarray | None

    def ids(self, rollout: int) -> str:
        """Return the ids of a rollout in words."""
        row = self.batch.order[self.batch.starts[rollout]]
        return f" (group {escape(str(self.batch.group[row]))}, trajectory {escape(str(self.batch.trajectory[row]))})"

    def length(self, rollout: int) -> str:
        """Return turns and outcome of a rollout in words."""
        turns = int(self.batch.lengths[rollout])
        said = f"{turns} turn{'' if turns == 1 else 's'}"
        return said if self.outcome is None else f"{said}, outcome {self.outcome[rollout]:g}"


def page(batch: TurnBatch, made: Mapping[str, Credit], rollout: int, title: str) -> str:
    """Return the HTML of a rollout.

    Args:
        batch: the record, with the columns `observation` and `action`.
        made: the credit of each estimator, in the order shown.
        rollout: the number of the rollout in the batch.
        title: what the record is called.

    Half a pair of surrogates, which no file can hold, is shown as its escape.

    Raises:
        MissingColumn: the record holds no texts. ValueError: there is no such rollout.
    """
    if not 0 <= rollout < batch.num_rollouts:
        raise ValueError(f"there is no rollout {rollout} among the {batch.num_rollouts} of the record, counted from 0")
    observations, actions = (batch.need(name, who="the page of a conversation") for name in ("observation", "action"))
    begin = int(batch.starts[rollout])
    rows = batch.order[begin : begin + int(batch.lengths[rollout])].tolist()
    values = {name: one.total[rows] for name, one in made.items()}
    scales = {name: float(np.abs(x).max(initial=0.0)) or 1.0 for name, x in values.items()}
    said = Rollouts(batch, _outcomes(batch))
    parts = [
        f"<p>{escape(title)}: rollout {rollout}{said.ids(rollout)}, {said.length(rollout)}.</p>",
        _group(said, made, rollout),
        _chooser(list(made)),
        _overview(values, scales),
    ]
    for turn, row in enumerate(rows):
        here = {name: (float(x[turn]), scales[name]) for name, x in values.items()}
        parts.append(_turn(turn, observations[row], actions[row], here))
    template = files("agentgym.baselines.conversations").joinpath("data/page.html").read_text(encoding="utf-8")
    choice = "\n".join(
        f"body:has(#e{n}:checked) .said{{border-color:var(--c{n});background:var(--b{n})}}" for n in range(len(made))
    )
    text = template.replace("{{choice}}", choice).replace("{{body}}", "\n".join(parts))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _outcomes(batch: TurnBatch) -> np.ndarray | None:
    if "outcome_reward" not in batch:
        return None
    return np.bincount(batch.rollout, batch["outcome_reward"], batch.num_rollouts)


def _group(said: Rollouts, made: Mapping[str, Credit], rollout: int) -> str:
    """Return the rollouts that it is compared with: turns, outcome, and the sum of each estimator's credit."""
    batch = said.batch
    members = np.flatnonzero(batch.rollout_group == batch.rollout_group[rollout])
    head = "".join(f"<th>Σ {escape(name)}</th>" for name in made)
    sums = [np.bincount(batch.rollout, one.total, batch.num_rollouts) for one in made.values()]
    lines = []
    for member in members.tolist():
        cells = "".join(f"<td class=number>{_number(float(total[member]))}</td>" for total in sums)
        mark = " class=this" if member == rollout else ""
        lines.append(f"<tr{mark}><td>rollout {member}{said.ids(member)}</td><td>{said.length(member)}</td>{cells}</tr>")
    return f"<table><thead><tr><th>its group</th><th></th>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _chooser(names: Sequence[str]) -> str:
    buttons = "".join(
        f"<label><input type=radio name=estimator id=e{n}{' checked' if n == 0 else ''}> {escape(name)}</label>"
        for n, name in enumerate(names)
    )
    return f"<p class=choose>Colour the turns by {buttons}</p>"


def _overview(values: Mapping[str, np.ndarray], scales: Mapping[str, float]) -> str:
    turns = range(len(next(iter(values.values()), ())))
    head = "".join(f"<th><a href='#turn{turn}'>{turn}</a></th>" for turn in turns)
    lines = []
    for name, x in values.items():
        cells = "".join(
            f"<td style='background:{_colour(v, scales[name], 0.9)}' title='{_number(v)}'></td>" for v in x.tolist()
        )
        lines.append(f"<tr><th>{escape(name)}</th>{cells}</tr>")
    return (
        f"<div class=wide><table class=overview><thead><tr><th>turn</th>{head}</tr></thead><tbody>{''.join(lines)}"
        "</tbody></table></div><p class=note>Blue: better than expected; red: worse; white: no credit. Each estimator "
        "is scaled to its largest value in this conversation.</p>"
    )


def _turn(turn: int, observation: str, action: str, here: Mapping[str, tuple[float, float]]) -> str:
    colours = "".join(
        f"--c{n}:{_colour(value, scale, 1.0)};--b{n}:{_colour(value, scale, 0.18)};"
        for n, (value, scale) in enumerate(here.values())
    )
    bars = "".join(
        f"<tr><td>{escape(name)}</td><td class=bar>{_bar(value, scale)}</td><td class=number>{_number(value)}</td></tr>"
        for name, (value, scale) in here.items()
    )
    return (
        f"<section id=turn{turn}><aside><b>turn {turn}</b><table>{bars}</table></aside><div>"
        f"<div class=heard>{_text(observation)}</div><div class=said style='{colours}'>{_text(action)}</div>"
        "</div></section>"
    )


def _text(text: str) -> str:
    if len(text) <= LONG:
        return f"<pre>{escape(text)}</pre>"
    head = text.rfind(" ", 0, LONG // 2) + 1 or LONG // 2
    tail = text.find(" ", len(text) - LONG // 2) + 1 or len(text) - LONG // 2
    return (
        f"<pre>{escape(text[:head])}</pre><details><summary>{tail - head:,} more characters</summary>"
        f"<pre>{escape(text[head:tail])}</pre></details><pre>{escape(text[tail:])}</pre>"
    )


def _bar(value: float, scale: float) -> str:
    share = 50.0 * min(abs(value) / scale, 1.0)
    side = f"left:{50.0 - share if value < 0 else 50.0:.1f}%"
    return f"<span style='{side};width:{share:.1f}%;background:{_colour(value, abs(value) or 1.0, 1.0)}'></span>"


def _colour(value: float, scale: float, most: float) -> str:
    red, green, blue = POSITIVE if value > 0 else NEGATIVE
    return f"rgba({red},{green},{blue},{most * min(abs(value) / scale, 1.0):.3f})"


def _number(value: float) -> str:
    return f"{value:+.3f}" if value else "0"
