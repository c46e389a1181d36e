"""The page from results that are made up, so that every verdict is known beforehand."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from agentgym.baselines.claims import page
from agentgym.baselines.claims.figures import FIGURES
from agentgym.baselines.claims.registry import CLAIMS
from agentgym.baselines.claims.systems import CONTROLS, SYSTEMS
from agentgym.baselines.claims.tables import TABLES, horizons, names, plain, table
from tests.layering import ROOT

BY_NAME = {system.name: system for system in SYSTEMS}


def spread(value, half=0.1):
    return {"value": value, "low": value - half, "high": value + half}


def track(**differences):
    rows = {
        name: {**spread(0.5), "minus_grpo": spread(value), "minus_gigpo": spread(-value)}
        for name, value in differences.items()
    }
    return {"panel": "goto", "rows": rows, "missing": {"atr": "estimator 'atr' needs the column 'step_score'"}}


def made(**changes):
    policies = [{"exact_success": share, "tasks": 10, "rollouts": 160} for share in (0.2, 0.5)]
    run = {"command": "python -m x", "date": "2026-01-01", "machine": "m", "agentgym": "0", "commit": "c"}
    results = {
        "run": {**run, "numpy": "2", "minigrid": "3"},
        "sizes": {"updates": 12, "seeds": 8},
        "fidelity": {**track(grpo=0.0, mica=0.3, hca=0.3), "policies": policies},
        "learning": track(grpo=0.0, mica=0.2, hca=-0.2, ibpo=-0.3, igpo=0.01),
        "claims": {},
    }
    return {**results, **changes}


@pytest.mark.parametrize(
    "name, word",
    [
        ("MICA", "shown"),
        ("IBPO", "refuted"),
        ("IGPO", "not told apart"),
        ("HCA", "mixed"),  # nearer to the truth, and learns worse
        ("TraCeS", "not tested"),
    ],
)
def test_the_figures_give_the_word(name, word):
    found, figures = page.verdict(BY_NAME[name], made())
    assert found == word
    assert (
        figures.startswith("because traces was not run") if word == "not tested" else "+" in figures or "-" in figures
    )


def test_fidelity_alone_does_not_show_that_something_trains_better():
    results = made(learning=track(grpo=0.0, mica=0.0))
    assert page.verdict(BY_NAME["MICA"], results)[0] == "not told apart"


def test_what_is_held_against_another_base_reads_that_difference():
    results = made(learning=track(grpo=0.0, hgpo=0.3))
    assert BY_NAME["HGPO"].against == "gigpo"
    assert page.verdict(BY_NAME["HGPO"], results) == (
        "refuted", "on BabyAI goto, minus gigpo: learning -0.30 (-0.40 to -0.20)"
    )  # fmt: skip


def test_a_missing_column_is_the_reason():
    system = replace(BY_NAME["SQL-ASTRA (ATR)"], by="")
    word, figures = page.verdict(system, made())
    assert word == "not tested"
    assert figures == "because estimator 'atr' needs the column 'step_score'; the world to come is one of SQL questions"


def test_a_claim_decides_where_it_was_measured():
    atr = BY_NAME["SQL-ASTRA (ATR)"]
    assert page.verdict(atr, made())[0] == "not tested"
    rows = CLAIMS["cycles"].measure(seeds=2, cycles=20)
    word, figures = page.verdict(atr, made(claims={"cycles": rows}))
    assert word == "refuted" and "+0.495 a round" in figures


@pytest.fixture(scope="module")
def claims():
    return {name: CLAIMS[name].measure(**CLAIMS[name].quick) for name in CLAIMS}


def test_the_page_has_a_row_and_a_paragraph_for_every_system(claims):
    text = page.render(made(claims=claims))
    for system in SYSTEMS:
        assert len(re.findall(rf"^\| {re.escape(system.name)}, arXiv {system.paper}: ", text, re.M)) == 1
        assert len(re.findall(rf"^\*\*{re.escape(system.name)}\*\* \(arXiv", text, re.M)) == 1
    for system in CONTROLS:
        assert f"| {system.name}" in text
    assert f"\n{len(SYSTEMS)} papers" in text
    for link in re.findall(r"\]\((estimators/\w+\.md)\)", text):
        assert (ROOT / "docs" / link).exists(), link
    for name in claims:
        assert f"### {CLAIMS[name].title}" in text
    assert page.FIGURES.keys() == FIGURES.keys()
    for name in FIGURES:
        assert f"images/systems-{name}.svg" in text
        ElementTree.fromstring(FIGURES[name](claims[name]))


def on_sql(**differences):
    results = made(learning={**track(**differences), "panel": "sql"}, claims={})
    cells = [{**cell, "ceiling": 1.0} for cell in results["fidelity"]["policies"]]
    fidelity = {**track(**differences), "panel": "sql", "policies": cells}
    return {**results, "fidelity": fidelity, "run": {**results["run"], "command": "python -m x --panel sql"}}


def test_another_world_has_its_section_and_fills_the_row_that_had_none(claims):
    atr = BY_NAME["SQL-ASTRA (ATR)"]
    other = on_sql(grpo=0.0, atr=0.3, arew=-0.2)
    alone, text = page.render(made(claims=claims)), page.render(made(claims=claims), other)
    assert "no world yet: one of SQL questions" in alone and "## On Text-to-SQL" not in alone
    assert "no world yet: one of SQL questions" not in text
    section = text[text.index("## On Text-to-SQL") : text.index("## Claims measured apart")]
    [line] = [line for line in section.splitlines() if line.startswith(f"| {atr.name},")]
    assert line.endswith("| 0.50; +0.30 (+0.20 to +0.40) | 0.50; +0.30 (+0.20 to +0.40) | *shown* |")
    assert "*refuted*" in next(line for line in section.splitlines() if line.startswith("| AReW,"))
    assert "learning +0.30 (+0.20 to +0.40): *shown*." in " ".join(text.split())
    assert "--panel sql" in text[text.index("## Repeat it") :]
    # of that panel alone, the section is the page
    assert section.strip() in page.render(other)


def test_a_claim_of_another_world_fills_the_row_of_what_runs_there_alone(claims):
    apex = BY_NAME["APEX-Searcher"]
    mine = {name: rows for name, rows in claims.items() if name not in ("planning", "searching")}
    other = {**on_sql(grpo=0.0), "claims": {name: claims[name] for name in ("planning", "searching")}}
    assert page.verdict(apex, made(claims=mine)) == ("not tested", "because the claim 'planning' was not measured")
    word, figures = page.verdict(apex, made(claims=mine), [other])
    assert word in ("shown", "not told apart", "refuted") and figures.startswith("plans reach a likeness of ")
    alone, text = page.render(made(claims=mine)), page.render(made(claims=mine), other)
    row = next(line for line in text.splitlines() if line.startswith("| APEX-Searcher,"))
    assert f"| 2 | Wikipedia search | – | – | *{word}* |" in row
    assert "no world yet: one of search, with gold plans" in alone
    assert f"### {CLAIMS['searching'].title}" in text and f"### {CLAIMS['searching'].title}" not in alone
    assert f"{CLAIMS['searching'].title}: turn by turn" in " ".join(text.split())


def test_a_safer_policy_is_one_that_breaks_fewer_rules(claims):
    traces = BY_NAME["TraCeS"]
    other = on_sql(grpo=0.0, traces=-0.3, mica=0.2)
    fewer = {"grpo": 0.0, "traces": -0.4}
    broken = {name: {**spread(1.0), "minus_grpo": spread(value)} for name, value in fewer.items()}
    other = {**other, "safety": {"panel": "sql", "rows": broken, "missing": {}}}
    # Success falls by 0.3, and so do the broken rules by 0.4: the paper speaks of the latter.
    assert page.direction_on(traces, other) == (
        "shown",
        "on Text-to-SQL, minus grpo: fidelity -0.30 (-0.40 to -0.20), learning -0.30 (-0.40 to -0.20), "
        "broken rules a rollout -0.40 (-0.50 to -0.30)",
    )
    assert page.verdict(traces, made(), [other])[0] == "shown" and page.verdict(traces, made())[0] == "not tested"
    assert page.direction_on(BY_NAME["MICA"], other)[1].endswith("learning +0.20 (+0.10 to +0.30)")
    text = page.render(made(claims=claims), other)
    assert "the rules broken in learning decide" in " ".join(text.split())
    section = text[text.index("## On Text-to-SQL") : text.index("## Claims measured apart")]
    [line] = [line for line in section.splitlines() if line.startswith("| TraCeS,")]
    assert line.endswith("| 1.00; -0.40 (-0.50 to -0.30) | *shown* (is it safer) |")
    assert "| – | *shown* |" in next(line for line in section.splitlines() if line.startswith("| MICA,"))
    assert "| system | fidelity; minus grpo | learning; minus grpo | broken rules a rollout; minus grpo |" in section
    paragraph = " ".join(text[text.index("**TraCeS**") : text.index("**RTT**")].split())
    assert "*Shown*: on Text-to-SQL" in paragraph and "Does it train better" not in paragraph
    more = {name: {**row, "minus_grpo": spread(0.4)} for name, row in broken.items()}
    assert page.direction_on(traces, {**other, "safety": {**other["safety"], "rows": more}})[0] == "refuted"


def test_rendering_needs_nothing_but_the_json(claims):
    results = made(claims=claims)
    assert page.render(json.loads(json.dumps(results))) == page.render(results)


def test_every_line_of_a_table_has_the_width_of_its_head(claims):
    for text in (plain(claims["bandit"]), horizons(claims["horizons"]), *names(claims["names"]).split("\n\n")):
        assert len({line.count("|") for line in text.splitlines()}) == 1
    for name in ("hierarchy", "prefixes"):
        assert len({line.count("|") for line in TABLES[name](claims[name]).splitlines()}) == 1
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_numbers_of_names_carry_their_shares(claims):
    [row] = [
        row for row in claims["names"]
        if (row["policy"], row["naming"], row["estimator"]) == ("all", "merged", "state_graph")
    ]  # fmt: skip
    text = names(claims["names"])
    assert f"merged: {row['aliasing']:.0%} aliased, {row['singletons']:.0%} alone" in text
    assert f"{row['value']:.2f}; " in text
