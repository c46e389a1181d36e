"""replay: nothing where the world is the same, and the first differing byte where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import worlds
from log_worlds import Draw, Frail, Scripted, Shown
from processes import run_python

from agentgym import LogError, RolloutLog, Task, TaskPanel, Turn, collect
from agentgym.log import replay


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rollouts.jsonl"


@pytest.mark.parametrize("noise", ["shared", "own"])
@pytest.mark.parametrize("name", worlds.WORLDS)
def test_a_log_of_today_has_no_differences(name: str, noise: str, path: Path) -> None:
    collect(f"test/{name}-v0", Scripted(name), tasks=1, group_size=4, seed=2, noise=noise, log=path)
    before = path.read_bytes()
    seen: list[tuple[int, int]] = []
    assert replay(path, progress=lambda done, total: seen.append((done, total))) == []
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert path.read_bytes() == before


def test_signals_arguments_and_replies_are_those_of_the_log(path: Path) -> None:
    arguments: dict[str, Any] = {"signals": ("potential", "expert", "describe"), "env_kwargs": {"max_turns": 3}}
    with RolloutLog(path) as log:
        collect(worlds.Counter, Draw(), tasks=2, group_size=2, log=log, **arguments)
        collect(worlds.Dice, Shown("roll"), group_size=2, log=log, env_kwargs={"privileged": False})
        collect("agentgym/BabyAI-v0", Draw(), tasks=1, group_size=2, log=log)
    assert replay(path) == []


def test_a_world_is_found_in_its_module_by_another_process(path: Path, tmp_path: Path) -> None:
    source = (
        "import agentgym, worlds\n\nagentgym.register('mine/Count-v0', 'replayed:Count')\n\n\n"
        "class Count(worlds.Counter):\n    pass\n\n\nclass Bare(worlds.Counter):\n    pass\n"
    )
    (tmp_path / "replayed.py").write_text(source)
    code = "import sys, agentgym; sys.path.insert(0, sys.argv[2]); import log_worlds; from agentgym import collect\n"
    code += "import agentgym.log\n"
    play = code + "import replayed\n" + "".join(
        f"collect({env}, log_worlds.Draw(), tasks=1, group_size=1, log=sys.argv[1])\n"
        for env in ("'replayed:mine/Count-v0'", "replayed.Bare")
    )  # fmt: skip
    run_python(play, str(path), str(tmp_path))
    assert [line["env"]["id"] for line in RolloutLog(path)] == ["mine/Count-v0", "Bare"]
    assert run_python(code + "print(agentgym.log.replay(sys.argv[1]))", str(path), str(tmp_path)) == "[]\n"


def changed(path: Path, number: int, change: Any) -> tuple[list[bytes], list[bytes]]:
    """Change a rollout of a log; return the lines before and after."""
    lines = path.read_bytes().splitlines(keepends=True)
    record = json.loads(lines[number])
    change(record)
    after = [*lines[:number], json.dumps(record, separators=(",", ":")).encode() + b"\n", *lines[number + 1 :]]
    path.write_bytes(b"".join(after))
    return lines, after


def put(value: Any, *place: Any) -> Any:
    def change(record: Any) -> None:
        for part in place[:-1]:
            record = record[part]
        record[place[-1]] = value

    return change


# Counter's "two" played with up, up: turns 0 to 2; messages 0 and 1 come with the start, 2 and 3 with the first turn.
CHANGES = [
    (put("At 1!", "turns", 1, "observation"), 1, "observation", '"At 1!"', '"At 1."'),
    (put("At 1!", "messages", 3, "content"), 1, "messages[3]", '"At 1!"', '"At 1."'),
    (put("assistent", "messages", 2, "role"), 1, "messages[2]", "assistent", "assistant"),
    (put(1.5, "turns", 2, "info", "turn_reward"), 2, "turn_reward", "1.5", "1.0"),
    (put({"progress": 0.5}, "turns", 1, "info", "components"), 1, "components", '{"progress":0.5}', '{"progress":1.0}'),
    (put("0" * 32, "turns", 0, "info", "state_hash"), 0, "state_hash", '"0000', '"'),
    (put("0" * 32, "turns", 2, "info", "history_hash"), 2, "history_hash", '"0000', '"'),
    (put(2, "turns", 1, "info", "turn"), 1, "turn", "2", "1"),
    (put("more", "turns", 1, "info", "note"), 1, "note", '"more"', "(nothing)"),
    (lambda record: record["turns"][2]["info"].pop("step_score"), 2, "step_score", "(nothing)", "0.5"),
    (put(False, "terminated"), 2, "terminated", "false", "true"),
    (put("failed", "end_reason"), 2, "end_reason", '"failed"', '"solved"'),
    (put(0.5, "rewards", 1), 2, "rewards", "[1.0,0.5]", "[1.0,1.0]"),
    (lambda record: record["messages"].append({"role": "user", "content": ""}), 2, "messages", '""}]', "}]"),
    (lambda record: record["messages"].pop(), 2, "messages[5]", "(nothing)", '{"role":"user","content":"At 2."}'),
    (put("down", "actions", 0), 1, "observation", '"At 1."', '"At -1."'),
    (put("stay", "actions", 1), 2, "observation", '"At 2."', '"You stay."'),
    (put(1, "branch"), 0, "branch", "0", "1"),
    (put("minus", "task"), 0, "observation", "Reach 2", "Reach -1"),
]


@pytest.mark.parametrize(("change", "turn", "key", "logged", "played"), CHANGES)
def test_the_first_difference_is_named(change: Any, turn: int, key: str, logged: str, played: str, path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=3, log=path)
    before, after = changed(path, 1, change)
    (found,) = replay(path)
    assert (found.line, found.rollout, found.turn, found.key) == (2, "two#0/1", turn, key)
    assert logged in (found.logged or "(nothing)")
    assert played in (found.played or "(nothing)")
    if found.logged and key not in ("note", "observation", "branch", "messages"):
        data, old = b"".join(after), b"".join(before)
        first = next(at for at in range(len(data)) if data[at] != old[at])
        assert found.offset == first  # the byte of the file at which it was changed


# What collect must have been called with: two tasks from seed 3, so seeds 3 and 4, and members 0 and 1.
CALLS = [
    ([put(7, "run", "seed")], "run", 1, '"seed":7', '"seed":3'),  # another than that of the run's other lines
    ([put(4, "run", "seed")] * 4, "run", 2, '"seed":4', '"seed":3'),  # a seed that the two of seed 3 contradict
    ([put(1, "run", "group_size")] * 4, "run", 2, '"group_size":1', '"group_size":2'),
    ([put("own", "run", "noise")] * 4, "branch", 2, "0", "1"),  # then member 1 would have had a branch of its own
    ([put("two#4", "group")], "group", 1, "two#4", "two#3"),
    ([put("two#3/0", "trajectory")], "trajectory", 1, "two#3/0", "two#3/1"),
]


@pytest.mark.parametrize(("changes", "key", "count", "logged", "played"), CALLS)
def test_a_call_that_cannot_have_made_the_line_is_named(
    changes: Any, key: str, count: int, logged: str, played: str, path: Path
) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two", "minus"], group_size=2, seed=3, log=path)
    # As they finish: two#3/0 and two#3/1, then minus#4/0 and minus#4/1.
    for number, change in enumerate(changes, 1 if len(changes) == 1 else 0):
        changed(path, number, change)
    found = replay(path)
    assert [one.key for one in found] == [key] * count
    assert logged in found[0].logged and played in found[0].played


def test_a_difference_reads_as_a_sentence_with_both_sides(path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=1, log=path)
    changed(path, 0, put("At 1!", "turns", 1, "observation"))
    (found,) = replay(path)
    at = path.read_bytes().index(b'"At 1!"') + 5
    assert found.byte == 5  # of "At 1!" with its quotes
    assert str(found) == (
        f"line 1, rollout 'two#0/0', turn 1, observation: first differing byte 5, byte {at} of the file\n"
        '  logged: "At 1!"\n  played: "At 1."'
    )


def test_long_values_are_shown_around_the_byte(path: Path) -> None:
    text = "a" * 100
    collect(worlds.Talk, Shown(text), tasks=1, group_size=1, log=path)
    changed(path, 0, put("Ada: " + "a" * 60 + "b" + "a" * 39 + "?", "turns", 1, "observation"))
    (found,) = replay(path)
    assert found.byte == 66  # a quote, «Ada: » and 60 letters before it
    assert found.logged == "…" + "a" * 40 + "b" + "a" * 39 + "…"
    assert found.played == "…" + "a" * 80 + "…"


def test_every_rollout_has_its_own_first_difference(path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=3, log=path)
    changed(path, 0, put("x", "turns", 2, "observation"))
    changed(path, 2, put("x", "turns", 1, "observation"))
    assert [(found.line, found.turn) for found in replay(path)] == [(1, 2), (3, 1)]


def test_a_line_spelt_by_other_means_is_compared_but_has_no_byte_in_the_file(path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=1, log=path)
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps(record, indent=None) + "\n")  # with spaces
    assert replay(path) == []
    record["turns"][1]["observation"] = "At 1!"
    path.write_text(json.dumps({**record, "label": "good"}) + "\n")  # an entry of one's own is no difference
    (found,) = replay(path)
    assert (found.offset, found.byte) == (-1, 5)
    assert "of the file" not in str(found)


def test_outages_are_replayed_up_to_their_last_turn(path: Path) -> None:
    collect(Frail, Shown("up", "break"), tasks=["two"], group_size=2, log=path, max_lost=1.0)
    changed(path, 0, put("hm", "turns", 2, "observation"))  # of the outage itself
    assert replay(path) == []
    changed(path, 1, put("hm", "turns", 1, "observation"))
    assert [(found.line, found.turn) for found in replay(path)] == [(2, 1)]


# Frail's "two" with up, break: one turn paid 1.0, then the outage. The line has to agree with its own last turn.
@pytest.mark.parametrize(
    ("change", "key"),
    [
        (put([9.0, 9.0], "rewards"), "rewards"),
        (put(1.0, "outcome"), "outcome"),
        (put(True, "success"), "success"),
        (put("solved", "end_reason"), "end_reason"),
        (put(True, "terminated"), "terminated"),
        (put(False, "truncated"), "truncated"),
        (put("x", "trajectory"), "trajectory"),
        (put([], "tools"), "tools"),
    ],
)
def test_the_line_of_an_outage_agrees_with_itself(change: Any, key: str, path: Path) -> None:
    collect(Frail, Shown("up", "break"), tasks=["two"], group_size=1, log=path, max_lost=1.0)
    changed(path, 0, change)
    assert [(found.turn, found.key) for found in replay(path)] == [(1, key)]


def test_no_line_is_excused_by_calling_it_an_outage(path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=1, log=path)

    def change(record: Any) -> None:
        record.update(end_reason="infra_error", rewards=[9.0, 9.0], outcome=7.0)
        record["turns"][2]["observation"] = "At 3."

    changed(path, 0, change)
    (found,) = replay(path)
    assert (found.turn, found.key, found.logged, found.played) == (2, "observation", '"At 3."', '"At 2."')


def test_a_world_that_raises_is_a_difference(path: Path) -> None:
    collect(Frail, Shown("up"), tasks=["two"], group_size=1, log=path)
    changed(path, 0, put("fall", "actions", 1))
    (found,) = replay(path)
    assert (found.turn, found.key, found.played) == (2, "error", "ZeroDivisionError: the floor gave way")
    assert found.logged == ""


REFUSED = [
    (put("2", "env", "version"), "line 1: played on version '2' of 'Counter', and this world has '1'"),
    (put("0" * 32, "env", "panel"), "line 1: played on panel hash '0+' of 'Counter', and this world has '"),
    (put(["tasks"], "env", "opaque"), "'Counter' was built with tasks, which a log cannot hold: pass env=the world"),
    (put("worlds:Nowhere", "world"), r"'Counter' cannot be rebuilt \(module 'worlds' has no attribute 'Nowhere'\)"),
    (put("nowhere:Counter", "world"), r"'Counter' cannot be rebuilt \(No module named 'nowhere'\): import the module"),
    (put("worlds:STOCK", "world"), "worlds:STOCK is no world"),
    (put("worlds:Dice", "world"), "played on id 'Counter' of 'Counter', and this world has 'Dice'"),
    (put({"max_turn": 3}, "env", "kwargs"), "cannot be rebuilt .*did you mean 'max_turns'"),
    (lambda record: record["env"].pop("panel"), "line 1: 'env' lacks 'panel', so the world cannot be rebuilt"),
    (lambda record: record.pop("world"), "'Counter' cannot be rebuilt"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_another_world_is_named_before_anything_is_played(change: Any, message: str, path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, log=path)
    changed(path, 0, change)
    seen: list[Any] = []
    with pytest.raises(LogError, match=message):
        replay(path, progress=lambda *now: seen.append(now))
    assert seen == []


def test_a_world_that_the_log_cannot_rebuild_is_given(path: Path) -> None:
    own = [Task("five", {"goal": 2})]
    collect(worlds.Counter, Shown("up"), group_size=2, env_kwargs={"tasks": own}, log=path)
    with pytest.raises(LogError, match="was built with tasks"):
        replay(path)
    assert replay(path, env=worlds.Counter(tasks=own)) == []
    with pytest.raises(LogError, match="played on panel hash"):
        replay(path, env=worlds.Counter(tasks=TaskPanel("Counter", {"train": [Task("five", {"goal": 1})]})))


def test_a_world_whose_rules_have_changed_is_found_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collect(worlds.Dice, Shown("roll"), group_size=3, noise="own", log=path)
    plain = worlds.Dice.transition

    def late(self: worlds.Dice, state: Any, action: Any, rng: Any) -> Turn[Any]:
        rng.random()  # one draw more
        return plain(self, state, action, rng)

    monkeypatch.setattr(worlds.Dice, "transition", late)
    found = replay(path)
    assert found
    assert {difference.key for difference in found} == {"observation"}


def test_a_torn_tail_is_left_out_of_a_replay(path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, log=path)
    path.write_bytes(path.read_bytes()[:-10])
    seen: list[Any] = []
    with pytest.warns(UserWarning, match="are no whole rollout"):
        assert replay(path, progress=lambda *now: seen.append(now)) == []
    assert seen == [(1, 1)]
