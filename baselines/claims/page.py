"""docs/systems.md from the stored results of a run; renders, computes nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from agentgym.baselines.claims.registry import CLAIMS
from agentgym.baselines.claims.systems import CONTROLS, SYSTEMS, System
from agentgym.baselines.claims.tables import TABLES, plain, table
from agentgym.baselines.claims.verdicts import WORDS, direction, safer, signed, together
from agentgym.baselines.claims.worlds import PANELS

Results = Mapping[str, Any]
fill = partial(textwrap.fill, width=140, break_long_words=False, break_on_hyphens=False)

TRACKS = {"fidelity": "fidelity", "learning": "learning", "safety": "broken rules a rollout", "calls": "calls a tool"}
"""What is measured of an estimator on a panel, and how a table calls it."""
ELSEWHERE = {"reinforce_pp_baseline": "reinforce_pp"}
"""Estimators that stand on another one's page."""
FIGURES = {
    "names": "How near each estimator comes to the truth on the grid, by the naming of the states",
    "prefixes": "The variance of whole rollouts' advantages to that of shared prefixes, over the number of turns",
}
"""Claims with a figure, docs/images/systems-NAME.svg, and what it says to those who do not see it."""


def render(results: Results, *others: Results) -> str:
    """Return the page.

    Args:
        results: of the main panel: "run", "sizes", "fidelity", "learning" and "claims", as `agentgym.baselines.systems`
            writes them; or of another panel alone.
        others: of other panels.
    """
    if results["fidelity"]["panel"] in PANELS:
        return "\n\n".join(["# The systems", *(_elsewhere(each) for each in (results, *others))]) + "\n"
    claims = claims_of(results, others)
    parts = [
        _opening(results, others),
        "## Every system",
        _numbers(SYSTEMS, results, others),
        "## What each paper says, and what came out",
        *(_told(system, results, others) for system in SYSTEMS),
        *(_elsewhere(each) for each in others),
        "## Claims measured apart",
        *(_claim(name, claims[name]) for name in CLAIMS if name in claims),
        "## Baselines and controls",
        "The common baselines of the field, and controls of this project, on the same rollouts.",
        _numbers(CONTROLS, results, ()),
        _closing(results, others),
    ]
    return "\n\n".join(parts) + "\n"


def verdict(system: System, results: Results, others: Sequence[Results] = ()) -> tuple[str, str]:
    """Return the word on the direction of a system's paper, and the figures beside it, or why nothing decides.

    Args:
        system: the row.
        results: of the main panel.
        others: of further panels, whose figures decide where only they have what the system reads.
    """
    words, figures = [], []
    elsewhere = _only_on(system, results, others)
    if elsewhere is not None:
        return direction_on(system, elsewhere)
    if system.by:
        claims = claims_of(results, others)
        if system.by not in claims:
            return "not tested", f"because the claim {system.by!r} was not measured"
        word, figure = CLAIMS[system.by].decide(claims[system.by], system.estimator, system.against)
        words.append(word)
        figures.append(figure)
    beside = _differences(system, results)
    words += [direction(beside[track]) for track in system.on if track in beside]
    if beside:
        figures.append(_figures(system, results, beside))
    return (together(words), "; ".join(figures)) if words else ("not tested", f"because {_lacks(system, results)}")


def claims_of(results: Results, others: Sequence[Results]) -> dict[str, Any]:
    """Return the rows of all claims that were measured, with the main panel or with another, by name."""
    return {name: rows for each in (results, *others) for name, rows in each.get("claims", {}).items()}


def _only_on(system: System, results: Results, others: Sequence[Results]) -> Results | None:
    """Return the first further panel on which a system ran that nothing on the main one decides."""
    if system.by or _ran(system, results):
        return None
    return next((each for each in others if _ran(system, each)), None)


def _differences(system: System, results: Results) -> dict[str, Mapping[str, Any]]:
    """Return a system's differences to what it is held against, by track; of safety where that decides."""
    tracks = ("fidelity", "learning", *(("safety",) if "safety" in system.on else ()))
    rows = {track: results.get(track, {"rows": {}})["rows"].get(system.estimator, {}) for track in tracks}
    key = f"minus_{system.against}"
    return {track: row[key] for track, row in rows.items() if key in row}


def _figures(system: System, results: Results, beside: Mapping[str, Mapping[str, Any]]) -> str:
    names = {"safety": "broken rules a rollout"}
    told = ", ".join(f"{names.get(track, track)} {signed(row)}" for track, row in beside.items())
    return f"on {_panel(results)}, minus {system.against}: {told}"


def _panel(results: Results) -> str:
    name = results["fidelity"]["panel"]
    return PANELS[name].title if name in PANELS else f"BabyAI {name}"


def _elsewhere(results: Results) -> str:
    """Return the section of another panel: what it is, and every system that was measured on it."""
    world, cells, sizes = PANELS[results["fidelity"]["panel"]], results["fidelity"]["policies"], results["sizes"]
    rates = ", ".join(f"{cell['exact_success']:.0%}" for cell in cells)
    setting = (
        f"Fidelity: policies that succeed in {rates} of the episodes, {cells[0]['tasks']} tasks and "
        f"{cells[0]['rollouts']} rollouts each, ceiling {min(cell['ceiling'] for cell in cells):.2f}. Learning: the "
        f"first {sizes['updates']} updates, {sizes['seeds']} seeds. Intervals and words as above."
    )
    held_out = [row.get("held_out") for row in results.get("learning", {"rows": {}})["rows"].values()]
    if held_out and not any(value is None or value for value in held_out):
        setting += (
            " On the tasks that are held out none of them serves anybody in the talks that were played: what is "
            "learned is the tasks that come again, and nothing is shown about others."
        )
    tracks = [track for track in TRACKS if results.get(track, {"rows": {}})["rows"]]
    lines = []
    for system in (*SYSTEMS, *CONTROLS):
        if _ran(system, results):
            rows = [results[track]["rows"].get(system.estimator) for track in tracks]
            word = f"*{direction_on(system, results)[0]}*" if system in SYSTEMS else ""
            word += " (is it safer)" if "safety" in system.on else ""
            lines.append([_name(system), *(_beside(row) for row in rows), word])
    head = ["system", *(f"{TRACKS[track]}; minus grpo" for track in tracks), "does it train better"]
    return "\n\n".join([f"## On {world.title}", fill(world.about), fill(setting), table(head, lines), _made(results)])


def direction_on(system: System, results: Results) -> tuple[str, str]:
    """Return whether a system trains better than what it is held against on one panel, or safer, and the figures."""
    beside = _differences(system, results)
    if not beside:
        return "not tested", f"because {_lacks(system, results)}"
    decides, word = "safety" if "safety" in system.on else "learning", "not tested"
    if decides in beside:
        word = safer(beside[decides]) if decides == "safety" else direction(beside[decides])
    return word, _figures(system, results, beside)


def _lacks(system: System, results: Results) -> str:
    reasons = [results[track]["missing"].get(system.estimator, "") for track in ("fidelity", "learning")]
    why = next((reason for reason in reasons if reason), f"{system.estimator} was not run")
    return why + (f"; the world to come is {system.later}" if system.later else "")


def _ran(system: System, results: Results) -> bool:
    return any(system.estimator in results[track]["rows"] for track in ("fidelity", "learning"))


def _name(system: System) -> str:
    page = ELSEWHERE.get(system.estimator, system.estimator)
    paper = f", arXiv {system.paper}" if system.paper else ""
    return f"{system.name}{paper}: [{system.estimator}](estimators/{page}.md)"


def _numbers(systems: Sequence[System], results: Results, others: Sequence[Results]) -> str:
    told = systems is SYSTEMS
    head = ["system", "reference cases passed", "its inputs come from", "fidelity; minus grpo", "learning; minus grpo"]
    lines = []
    for system in systems:
        shown = next((each for each in (results, *others) if _ran(system, each)), None)
        where = _panel(shown) if shown else _claimed(system, results, others)
        rows = [(shown or results)[track]["rows"].get(system.estimator) for track in ("fidelity", "learning")]
        line = [_name(system), str(system.passed or "derived by hand"), where, *map(_beside, rows)]
        lines.append(line + ([f"*{verdict(system, results, others)[0]}*"] if told else []))
    return table(head + (["its direction"] if told else []), lines)


def _claimed(system: System, results: Results, others: Sequence[Results]) -> str:
    """Return the world in whose claim an estimator ran that runs on no panel, or which world there would have to be."""
    worlds = [world.title for world in PANELS.values() if system.by in world.claims]
    if worlds and system.by in claims_of(results, others):
        return worlds[0]
    return f"no world yet: {system.later or 'its columns are not made'}"


def _beside(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "–"
    return f"{row['value']:.2f}" + (f"; {signed(row['minus_grpo'])}" if "minus_grpo" in row else "")


def _told(system: System, results: Results, others: Sequence[Results] = ()) -> str:
    word, figures = verdict(system, results, others)
    mark = "," if word == "not tested" else ":"
    lines = [f"**{system.name}** (arXiv {system.paper}). {system.says} *{word.capitalize()}*{mark} {figures}."]
    claims = claims_of(results, others)
    for name in system.also:
        if name in claims:
            found = CLAIMS[name].decide(claims[name], system.estimator, system.against)
            lines.append(f"{CLAIMS[name].title}: {found[1]}.")
    for other in others:
        if _ran(system, other) and other is not _only_on(system, results, others):
            found = direction_on(system, other)
            lines.append(f"Does it train better {found[1]}: *{found[0]}*.")
    if any(_ran(system, each) for each in (results, *others)):
        lines.append(f"It reads {system.reads}.")
        lines += [system.note] if system.note else []
    return fill(" ".join(lines))


def _claim(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    claim = CLAIMS[name]
    parts = [f"### {claim.title}", fill(claim.setting), TABLES.get(name, plain)(rows)]
    if name in FIGURES:
        parts.append(f"![{FIGURES[name]}](images/systems-{name}.svg)")
    return "\n\n".join(parts)


def _opening(results: Results, others: Sequence[Results]) -> str:
    cells, sizes = results["fidelity"]["policies"], results["sizes"]
    rates = ", ".join(f"{cell['exact_success']:.0%}" for cell in cells)
    tasks, rollouts = cells[0]["tasks"], cells[0]["rollouts"]
    found = [verdict(system, results, others)[0] for system in SYSTEMS]
    counted = ", ".join(f"{found.count(word)} {word}" for word in WORDS if word in found)
    made = (
        f"{len(SYSTEMS)} papers with a method of their own for credit, one row each; the common baselines and "
        "controls of this project stand at the end and are not counted. Of each: how many reference cases its "
        "estimator passes (computed apart from this library; the tests repeat them to 1e-6), where its inputs "
        "come from, two figures beside grpo, and whether what its paper says was seen here. Of the "
        f"directions: {counted}."
    )
    if others:
        *most, last = [f"on {_panel(each)}" for each in others]
        where = f"{', '.join(most)} and {last}" if most else last
        made += f" What was measured {where} stands in a section apart."
    safety = any("safety" in system.on and verdict(system, results, others)[0] != "not tested" for system in SYSTEMS)
    fidelity = (
        f"- **Fidelity** is Spearman's rank correlation with the [true advantages](truth.md) on {_panel(results)}: "
        f"the mean over policies that succeed in {rates} of the episodes, {tasks} tasks and {rollouts} rollouts "
        "each. Differences have a 95 % interval from a bootstrap over tasks."
    )
    learning = (
        f"- **Learning** is the mean success of the log-linear menu policy over its first {sizes['updates']} updates "
        f"on the same panel, over {sizes['seeds']} seeds. Differences are paired by seed, with Student's 95 % "
        "interval."
    )
    words = (
        "- **Shown** means: here, in this setting, a 95 % interval lies on the paper's side of 0, and none on "
        "the other; *refuted* the reverse, *mixed* one of each, *not told apart* neither. Learning decides "
        "where a paper says that its method trains better, fidelity too where it says that its values are "
        "nearer to the truth, and where the claim was measured apart its own figures, those of step groups and state "
        "graphs on clean names."
        + (" Where a paper promises a safe policy, the rules broken in learning decide." if safety else "")
    )
    caveat = (
        "A verdict speaks of one small panel or toy world, of small policies, and of defaults; papers speak "
        f"of language models on large tasks. Nothing corrects for the number of rows: of {len(SYSTEMS)} "
        "estimators that differ in nothing, one or two would be told apart by chance. What else such numbers "
        "do not say stands on the page of [the benchmark](benchmark.md#what-the-numbers-do-not-say)."
    )
    points = "\n".join(fill(text, subsequent_indent="  ") for text in (fidelity, learning, words))
    return "\n\n".join(["# The systems", fill(made), points, fill(caveat)])


def _made(results: Results) -> str:
    run = results["run"]
    return fill(
        f"`{run['command']}`, {run['date']} ({run['machine']}), agentgym {run['agentgym']} ({run['commit']}); the "
        f"numbers lie in `baselines/results/systems/{results['fidelity']['panel']}.json`."
    )


def _closing(results: Results, others: Sequence[Results]) -> str:
    run = results["run"]
    commands = "\n".join(each["run"]["command"] for each in (results, *others))
    files = " ".join(f"baselines/results/systems/{each['fidelity']['panel']}.json" for each in (results, *others))
    return f"""## Repeat it

```bash
{commands}
```

computes everything into that folder, cell by cell, and goes on where it was stopped; `--quick` is a look at whether it
runs, with numbers that say nothing. `--render` writes this page and its figures anew from stored results, without
computing:

```bash
python -m agentgym.baselines.systems --docs docs --render {files}
```

Made on {run["date"]} ({run["machine"]}), agentgym {run["agentgym"]} ({run["commit"]}), numpy {run["numpy"]}, minigrid
{run["minigrid"]}; the numbers lie in `baselines/results/systems/{results["fidelity"]["panel"]}.json`."""
