"""The made parts of the documentation, as a mapping of file to text; `python -m agentgym.baselines.pages` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentgym import TurnBatch, credit
from agentgym.baselines.pages.cost import COMMAND, cost, figures
from agentgym.baselines.pages.example import group
from agentgym.baselines.pages.strip import strip

__all__ = ["filled", "made", "own"]

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "Whole rollouts": ("trajectory", "reinforce"),
    "Turns and their rewards": ("turn", "turn_hybrid"),
    "Turns in the same state": ("step_group", "history_group", "soft_group"),
    "State graphs": ("state_graph", "graph_return", "graph_path"),
    "Forks and trees": ("tree",),
    "Potentials, scores, critiques and values": ("potential", "shaping", "transition", "critique", "value"),
    "Hindsight": ("hindsight", "hca", "reflection", "revision"),
    "Hierarchy and plans": ("hierarchy", "plan"),
    "Safety, rubrics and teachers": ("safety", "rubric", "teacher"),
}
"""Which modules of `agentgym.credit` stand together in the table."""
FACTS = ("state", "action", "next_state", "turn_reward", "outcome_reward", "next_potential", "value", "step_score")
"""Columns of the example that are shown; the others are read in its module."""


def own() -> tuple[str, ...]:
    """The estimators of this library, without those that others have registered."""
    return tuple(name for name in credit.names() if _module(name)[0] == "agentgym")


def made(docs: Path) -> dict[Path, str]:
    """Everything that the command writes under `docs`: pictures, and pages with their made parts filled in.

    Raises:
        ValueError: a page lacks the marks between which a part belongs, or a module has no family here.
        FileNotFoundError: an estimator has no page.
    """
    batch = group()
    files: dict[Path, str] = {}
    for name in own():
        title = f"{name} on the example group"
        files[docs / "images" / "estimators" / f"{name}.svg"] = strip(batch, credit.estimate(name, batch), title)
        page = docs / "estimators" / f"{name}.md"
        text = filled(page.read_text("utf-8"), "picture", _picture(name), page.name)
        files[page] = filled(text, "cost", f"**{cost(name)}** on 100,000 turns; see [all](index.md#cost).", page.name)
    index = docs / "estimators" / "index.md"
    text = index.read_text("utf-8")
    for part, content in (("estimators", _table()), ("example", _turns(batch)), ("measured", _measured())):
        text = filled(text, part, content, index.name)
    files[index] = text
    return files


def filled(text: str, part: str, content: str, page: str) -> str:
    """Put a made part between its two marks, `<!-- part -->` and `<!-- end of part -->`.

    Raises:
        ValueError: a mark is missing.
    """
    begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->"
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"{page} lacks the marks {begin.strip()} and {end}: put them where that part belongs")
    return f"{before}{begin}\n{content}\n\n{end}{after}"


def _module(name: str) -> list[str]:
    return credit.info(name).function.__module__.split(".")


def _picture(name: str) -> str:
    return (
        f"![What {name} gives the turns of the example group](../images/estimators/{name}.svg)\n\n"
        f"`{name}` with its default options on [the group that all pages share](index.md#the-example-group)."
    )


def _table() -> str:
    homes = {module: family for family, modules in FAMILIES.items() for module in modules}
    rows: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for name in own():
        module = _module(name)[-1]
        if module not in homes:
            raise ValueError(
                f"{name} stands in agentgym.credit.{module}, which has no family in baselines/pages/site.py"
            )
        rows[homes[module]].append(_row(name))
    head = "| estimator | what it is | arXiv | cost | presets | needs |\n| --- | --- | --- | --- | --- | --- |"
    return "\n\n".join("\n".join([f"### {family}", "", head, *lines]) for family, lines in rows.items() if lines)


def _row(name: str) -> str:
    found = credit.info(name)
    what = found.summary.partition(": ")[0].rstrip(".")
    needs, presets = (", ".join(f"`{word}`" for word in words) or "–" for words in (found.needs, found.presets))
    return f"| [{name}]({name}.md) | {what} | {found.paper or '–'} | {cost(name)} | {presets} | {needs} |"


def _turns(batch: TurnBatch) -> str:
    head = ["rollout", "turn", *(f"`{name}`" for name in FACTS)]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in range(len(batch)):
        cells = [batch.trajectory[row], batch.turn[row], *(batch[name][row] for name in FACTS)]
        lines.append(f"| {' | '.join(f'{cell:g}' if isinstance(cell, float) else str(cell) for cell in cells)} |")
    return "\n".join(lines)


def _measured() -> str:
    found = figures()
    said = f"Measured on {found['date']}, {found['machine']}, in CPU time; wall time over CPU time {found['busy']}."
    return f"{said}\n\n```bash\n{COMMAND}\n```"
