"""The harness of `make perf`: what is compared does the same work, and a miss is a miss. No speed is tested here."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from agentgym import TurnBatch, collect, credit
from agentgym.credit import estimate
from agentgym.envs.babyai import levels, rewards, text
from agentgym.turn import InvalidAction
from tests.agentgym import credit_families
from tests.envs.babyai.minigrid_twin import facts, minigrid_facts
from tests.perf import babyai, baselines, estimators, imports, measure, records, run, worlds
from tests.perf.measure import Clock, Line, Setting, Work

TINY = Setting(
    rounds=1, sample=0.0, turns=40, text=1000, records=10, episodes=1, steps=10, rows=3, passages=200, million=200
)


@pytest.fixture(scope="module")
def result():
    said = []
    return run.measure(list(run.ROWS), TINY, said.append) | {"said": said}


def test_every_row_runs_and_gives_finite_numbers(result):
    assert len(result["lines"]) > 2 * len(run.ROWS)
    # A difference (shell, vector, import, collect) may come out negative: so short a run says nothing.
    for line in result["lines"]:
        assert math.isfinite(line["ratio"]) and line["baseline"] >= 0, line
        assert line["verdict"] in ("pass", "MISS", "shown")
    heading, header, *rest = result["said"]
    assert heading.startswith("calibration: a bare Gymnasium step takes")
    assert "verdict" in header and len(rest) == len(result["lines"])


def test_the_json_names_date_machine_class_and_versions(result):
    plain = json.loads(json.dumps(result))
    assert {"schema", "date", "machine", "cpus", "python", "versions", "calibration", "busy", "lines"} <= plain.keys()
    assert set(plain["versions"]) == {"numpy", "gymnasium", "minigrid"}


def test_every_target_of_the_table_is_there(result):
    bounds = {(line["row"], line["against"]): line["bound"] for line in result["lines"]}

    def bound(row, against):
        return [found for (name, other), found in bounds.items() if row in name and against in other]

    # 5 µs / 0.08 µs a calibration step = 62.5; 20 µs: 250; 3 µs: 37.5; 0.5 s: 6,250,000.
    assert bound("shell", "calibration") == [pytest.approx(62.5)]
    assert bound("vector of 64", "calibration") == [pytest.approx(62.5)]
    assert bound("vector of 64", "SyncVectorEnv") == [4, None, None]
    assert bound("step with text, hash, info", "raw") == [4, 4]
    assert bound("step with text, hash, info", "BALROG") == [8, 8]
    assert bound("fork", "deepcopy") == [60, 60]
    assert bound("fork", "calibration") == bound("restore", "calibration") == pytest.approx([250] * 5)
    assert bound("GoToObjS4-v0: state hash", "minigrid") == [6]
    assert bound("BossLevel-v0: state hash", "minigrid") == [25]
    assert bound("proxmo, 40 turns", "dense") == [30]
    assert bound("gigpo", "naive") == [500] and bound("gigpo", "40 turns") == [14]
    assert bound("TurnBatch", "calibration") == [pytest.approx(37.5)] * 2 and bound("TurnBatch", "40 rows") == [14]
    assert bound("over numpy and gymnasium", "calibration") == [pytest.approx(6.25e6)]
    # 25 µs in one room: 312.5; 1 ms for 1,000 records, so 10 µs for these 10: 125.
    assert bound("step with text, hash, info", "calibration") == [pytest.approx(312.5), None]
    assert bound("records", "calibration") == [pytest.approx(125), None]
    assert bound("parse", "a tenth") == [15]
    # 50 µs for a query of one row: 625; 100 µs for many: 1,250; a reset in 20 µs: 250; a hash in 10 µs: 125.
    assert bound("step, 1 row", "SkyRL") == [12, *[None] * 3] and bound("step, 3 rows", "SkyRL") == [35, *[None] * 3]
    assert bound("step, 1 row", "calibration") == [pytest.approx(625), *[None] * 3]
    assert bound("step, 3 rows", "calibration") == [pytest.approx(1250), *[None] * 3]
    assert bound("sql guards", "no guards") == [None, 1.05, 1.05, 1.05, None, None]
    assert bound("shipped queries", "SkyRL") == [None, None]
    assert bound("text_to_sql: reset", "calibration") == [pytest.approx(250)]
    assert bound("text_to_sql: state hash", "calibration") == [pytest.approx(125)]
    assert bound("ten times the rows", "a tenth") == [1.5] * 4 and bound("step, 30 rows", "3 rows") == [14]


# ---- the same work


def test_naive_gigpo_and_grpo_give_what_ours_give():
    rows = records.rows(331)  # the last rollout is cut
    batch = TurnBatch.from_rows(rows)
    for naive, name in ((baselines.gigpo(records.arrays(rows), rows), "gigpo"), (baselines.grpo(rows), "grpo")):
        ours = estimate(name, batch).terms
        assert list(ours) == list(naive)
        for term in ours:
            np.testing.assert_allclose(ours[term], naive[term], rtol=1e-9, atol=1e-12)
            assert np.any(ours[term] != 0.0)


def test_the_dense_form_of_proxmo_gives_what_ours_gives():
    rows = records.rows(331)
    step = estimate("proxmo", TurnBatch.from_rows(rows)).terms["step"]
    np.testing.assert_allclose(baselines.proxmo(rows), step, rtol=0, atol=1e-10)
    assert np.any(step != 0.0)


def test_every_estimator_has_its_rows_on_a_record_with_every_column(result):
    batch = estimators.record(40)
    assert all(name in batch for estimator in estimators.OURS for name in credit.info(estimator).needs)
    assert set(estimators.OURS) | {"apex_plan"} == credit_families.OURS | {"apex_plan"}
    for name in set(estimators.OURS) - {"gigpo"}:
        lines = {line["against"]: line["bound"] for line in result["lines"] if line["row"] == f"{name}, 400 turns"}
        per_turn = None if name in ("rtt", "scope") else 6
        assert lines == {"gigpo": per_turn, "40 turns": 14}


def test_works_of_estimators_start_on_batches_that_have_computed_nothing():
    work = estimators.work(estimators.record(40), "proxmo")
    work.run(work.prepare())
    assert ("observation",) not in work.prepare()._codes


def test_records_have_the_size_asked_for_uneven_rollouts_and_states_met_again():
    rows = records.rows(1000)
    batch = TurnBatch.from_rows(rows)
    # 31 + 7 + 44 + 12 + 23 + 60 + 3 + 18 = 198 turns a group: five groups and the 10 first turns of a sixth.
    assert len(batch) == 1000 and batch.num_groups == 6 and batch.lengths[:8].tolist() == list(records.LENGTHS)
    met = np.bincount(batch.codes("group", "anchor"))
    assert len(met) <= 6 * records.STATES and (met > 1).mean() > 0.5
    assert rows == records.rows(1000)


def test_an_estimate_starts_on_batches_that_have_computed_nothing():
    work = records.on(records.rows(40), "gigpo")
    first, second = work.prepare(), work.prepare()
    assert len(first) == records.FRESH == work.units
    work.run(first)
    first[0].codes("group", "state")
    assert all(("group", "state") not in batch._codes for batch in (*first[1:], *second))


@pytest.mark.parametrize(
    "level", [babyai.SMALLEST, babyai.ROOM, babyai.MAZE, "BabyAI-UnlockPickup-v0", "BabyAI-KeyInBox-v0"]
)
def test_the_stand_in_for_balrog_tells_what_ours_tells(level):
    told = set()
    for play in babyai.plays(level, Setting(episodes=4, steps=60)):
        theirs, ours = baselines.Teller(play.minigrid), play.world
        assert theirs.text() == text.describe(ours.state)
        for action, name in play:
            seen, reward, terminated, truncated = theirs.step(action)
            observation, paid, *flags, _ = ours.step(name)
            assert (seen, reward, [terminated, truncated]) == (observation, paid, flags)
            told.add(seen)
    assert len(told) > 5


def test_the_stand_in_tells_doors_and_what_is_carried():
    said = set()
    for play in babyai.plays("BabyAI-UnlockPickup-v0", Setting(episodes=8, steps=200)):
        teller = baselines.Teller(play.minigrid)
        said |= {word for action, _ in play for word in teller.step(action)[0].split()}
    assert {"You", "carry", "locked", "door", "wall", "key", "left", "right", "forward", "steps", "step", "and"} <= said


def test_steps_of_ours_and_of_minigrid_are_prepared_anew_and_texts_forgotten():
    works = babyai.stepping(babyai.plays(babyai.ROOM, TINY))
    for name, work in works.items():
        first = work.prepare()
        if name == "ours":
            assert not text._texts and not rewards._fields
        work.run(first)
        work.run(work.prepare())  # raises where the first run had moved what the second starts from
    assert len({work.units for work in works.values()}) == 1


def test_moments_are_the_same_halfway():
    for env, world in babyai.moments(babyai.plays(babyai.MAZE, Setting(episodes=3, steps=30))):
        assert minigrid_facts(env) == facts(world.state)
        assert env.step_count == 15


def test_the_grids_are_the_smallest_and_the_largest():
    size = {level: level_size(level) for level in levels.names()}
    assert size[babyai.SMALLEST] == min(size.values()) == 4 * 4
    assert size[babyai.MAZE] == max(size.values()) == 22 * 22


def level_size(level):
    env = levels.make_minigrid(level)
    return env.width * env.height


def test_collect_plays_the_turns_of_the_loop():
    world = babyai.small_world(Setting(episodes=2, steps=20))
    batch = collect(world, babyai.policy, group_size=3)
    assert len(batch) == babyai.play_all(world, 3)
    assert [babyai.chosen(turn) for turn in batch.turn] == list(batch.action)


def test_the_still_world_never_hashes_a_state_again(monkeypatch):
    env = worlds.Still()
    _, first = env.reset(seed=0)
    monkeypatch.setattr(worlds.Still, "canonical", None)  # a call would raise
    info = env.step("wait")[4]
    assert info["state_hash"] == first["state_hash"] and info["components"] == {"progress": 0.0}


def test_texts_have_the_size_asked_for_and_reach_every_part_of_the_parser():
    env = worlds.Reader()
    outcomes = {}
    for name, written in worlds.texts(3000).items():
        assert 2950 <= len(written) <= 3050, name
        try:
            outcomes[name] = type(env.parse(written)).__name__
        except InvalidAction as error:
            outcomes[name] = str(error).split(":")[0]
    assert outcomes == {
        "prose": "Say",
        "blanks": "empty",
        "think blocks": "empty",
        "opened think blocks": "empty",
        "closed think blocks": "empty",
        "opened calls": "unclosed",
        "a call with a long text": "ToolCall",
        "a call that nests": "json_depth",
        "a call with many keys": "ToolCall",
    }


# ---- measuring and judging


def test_works_take_turns_and_what_prepare_does_is_not_run_again():
    calls = []
    works = {
        "a": Work(lambda thing: calls.append(thing), 1, lambda: "a"),
        "b": Work(lambda thing: calls.append(thing), 2, lambda: "b"),
    }
    times = Clock().alternate(Setting(rounds=3, sample=0.0), works)
    assert calls == ["a", "b"] + ["a", "b"] * 3  # one unmeasured run each comes first
    assert {name: len(rounds) for name, rounds in times.items()} == {"a": 3, "b": 3}


def test_lines_take_the_median_of_the_rounds_ratios():
    # 2/1, 6/2, 12/3 = 2, 3, 4; the medians are 2 and 6.
    made = measure.line("row", "step", [1.0, 2.0, 3.0], "other", [2.0, 6.0, 12.0], "≥", 3)
    assert (made.ours, made.baseline, made.ratio, made.verdict) == (2.0, 6.0, 3.0, "pass")
    assert replace(made, bound=3.1).verdict == "MISS"
    assert replace(made, bound=None).verdict == "shown"
    made = measure.line("row", "step", [2.0, 6.0, 12.0], "other", [1.0, 2.0, 3.0], "≤", 3)
    assert (made.ratio, made.verdict, replace(made, bound=2.9).verdict) == (3.0, "pass", "MISS")


def test_targets_in_microseconds_are_multiples_of_the_calibration():
    # A machine three times slower than that of reference: 15 µs there are the 5 µs of the target here.
    slow = [3 * measure.REFERENCE] * 3
    assert measure.cost("row", "step", [14.9e-6] * 3, slow, 5e-6).verdict == "pass"
    assert measure.cost("row", "step", [15.1e-6] * 3, slow, 5e-6).verdict == "MISS"


def test_the_exit_status_tells_a_miss(monkeypatch, tmp_path, capsys):
    fine = Line("fine", "step", 1e-6, "other", 2e-6, "≥", 2.0, 1.5)
    monkeypatch.setattr(
        run, "ROWS", {"fine": lambda *_: iter([fine]), "slow": lambda *_: iter([replace(fine, bound=3.0)])}
    )
    assert run.main(["fine"]) == 0
    path = tmp_path / "deep" / "perf.json"
    assert run.main(["--rounds", "1", "--json", str(path)]) == 1
    assert [line["verdict"] for line in json.loads(path.read_text("utf-8"))["lines"]] == ["pass", "MISS"]
    assert "2 lines, 1 missed" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        run.main(["sloow"])
    assert "unknown row 'sloow'" in capsys.readouterr().err


def test_a_heavy_module_is_a_miss(monkeypatch):
    monkeypatch.setattr(imports, "seconds", lambda code: 0.1)
    monkeypatch.setattr(imports, "HEAVY", ("torch", "json"))  # json stands in for a heavy one that is there
    *_, last = imports.importing(Clock(), TINY)
    assert last.verdict == "MISS" and "json" in last.row and "torch" not in last.row


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(2.5e-6, "2.5 µs"), (8e-8, "0.08 µs"), (0.0123, "12.3 ms"), (0.9996, "1000 ms"), (1.5, "1.5 s")],
)
def test_durations_are_told_with_three_digits(seconds, told):
    assert run.time_text(seconds) == told


def test_cells_tell_ratios_to_the_calibration_as_time_too():
    made = measure.cost("row", "step", [5e-6], [0.1e-6], 5e-6)  # 50 steps of 0.1 µs: 4 µs at 0.08
    assert run.cells(made.as_dict())[4:6] == ["50 × = 4 µs", "≤ 5 µs"]
    shown = measure.cost("row", "step", [5e-6], [0.1e-6])
    assert run.cells(shown.as_dict())[4:] == ["50 × = 4 µs", "–", "shown"]


def test_the_command_writes_the_page(result, monkeypatch, tmp_path):
    page, numbers = tmp_path / "page.md", tmp_path / "perf.json"
    page.write_text(f"Before.\n\n{run.BEGIN}\nbefore last\n{run.END}\n\nAfter.\n", "utf-8")
    numbers.write_text(json.dumps(result), "utf-8")
    monkeypatch.setattr(run, "PAGE", page)
    assert run.main(["--markdown", str(numbers)]) == 0
    written = page.read_text("utf-8")
    assert written.startswith("Before.") and written.endswith("After.\n") and "before last" not in written
    assert written.count("\n| ") == len(result["lines"]) + 2  # the table's head and the line below it


def test_the_page_is_filled_between_its_marks_and_again(result):
    page = run.PAGE.read_text("utf-8")
    once = run.filled(page, result)
    assert run.filled(once, result) == once
    assert once.count(run.BEGIN) == once.count(run.END) == 1
    assert once.partition(run.BEGIN)[0] == page.partition(run.BEGIN)[0]
    assert "| shell: step less the bare transition |" in once
    with pytest.raises(SystemExit, match="lacks the marks"):
        run.filled("no marks", result)


def test_minigrids_hash_overlooks_what_is_carried_and_what_a_box_holds():
    from minigrid.core.world_object import Box, Key

    env, world = babyai.moments(babyai.plays(babyai.ROOM, TINY))[0]
    env.carrying = None
    env.grid.set(1, 1, Box("red"))
    empty = env.hash()
    env.carrying = Key("blue")
    env.grid.get(1, 1).contains = Key("green")
    assert env.hash() == empty
    hands = [world.state._replace(carry=code) for code in (0, 20)]
    assert len({state.canonical() for state in hands}) == 2
