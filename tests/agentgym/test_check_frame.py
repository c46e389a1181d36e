"""The checker itself: what it reports, and that nothing a world does stops it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from broken_envs.sound import SOUND, Sound, SoundTools
from worlds import Counter

from agentgym import AgentEnv, Task
from agentgym.check import RULES, Broken, NotChecked, Rule, check, require, rule
from agentgym.check.run import look
from agentgym.check.subject import Subject, Trace, difference, record_difference, require_same, spread


@pytest.fixture
def own_rules() -> Iterator[None]:
    before = dict(RULES)
    yield
    RULES.clear()
    RULES.update(before)


@pytest.mark.parametrize("world", SOUND)
def test_sound_worlds_pass(world: type[AgentEnv[Any]]) -> None:
    report = check(world)
    assert report.broken == [], str(report)
    assert world is not Sound or report.not_checked == []  # it has every hook


def test_made_is_the_first_rule_and_every_rule_says_what_it_promises() -> None:
    assert next(iter(RULES)) == "made"
    assert all(found.summary.endswith(".") and len(found.summary) < 120 for found in RULES.values())


def test_a_world_that_cannot_be_made_is_one_clear_report() -> None:
    report = check(Counter, kwargs={"levle": 1})
    (first,) = report.results
    assert not report.ok
    assert (first.rule, first.status) == ("made", "broken")
    assert first.note.startswith("it cannot be built: TypeError: unknown argument 'levle' of Counter; ")
    assert " at /" not in first.note  # nothing but agentgym's own lines raised it
    assert str(report).splitlines()[0] == "Counter"
    assert str(report).splitlines()[-1] == "0 passed, 1 broken, 0 not checked; nothing else was looked at"


def test_results_notes_and_errors(own_rules: None) -> None:
    @rule("one")
    def one(subject: Subject) -> str:
        """Looks."""
        return "looked\n at two   things"

    @rule("two")
    def two(subject: Subject) -> str | None:
        """Breaks."""
        require(True, "never said")
        require(subject is None, lambda: "there is a subject: take it away")
        return None

    @rule("three", hook="menu secrets")
    def three(subject: Subject) -> None:
        """Needs hooks."""

    @rule("four")
    def four(subject: Subject) -> None:
        """Meets an error."""
        {}["key"]

    @rule("five")
    def five(subject: Subject) -> None:
        """Has nothing to do."""
        raise NotChecked("no tools")

    class Hookless(Counter):
        secrets = AgentEnv.secrets

    report = check(Hookless, rules=["one", "two", "three", "four", "five"])
    assert [(result.rule, result.status) for result in report.results] == [
        ("made", "passed"), ("one", "passed"), ("two", "broken"), ("three", "not checked"), ("four", "broken"),
        ("five", "not checked"),
    ]  # fmt: skip
    notes = [result.note for result in report.results]
    assert notes[1:4] == ["looked at two things", "there is a subject: take it away", "the world has no secrets(state)"]
    assert notes[4].startswith("the world raised KeyError: 'key' at ")
    assert notes[4].endswith(" in four")
    assert notes[5] == "no tools"


def test_ctrl_c_stops_the_check(own_rules: None) -> None:
    @rule("stops")
    def stops(subject: Subject) -> None:
        """Is interrupted."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(Counter, rules=["stops"])


def test_two_rules_of_one_name_are_refused(own_rules: None) -> None:
    with pytest.raises(ValueError, match="there is a rule 'made' already"):
        rule("made")(lambda subject: None)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown rule 'mad'; did you mean 'made'"):
        check(Counter, rules=["mad"])
    for count in (0, True, 1.5):
        with pytest.raises(ValueError, match="tasks must be a number of tasks"):
            check(Counter, tasks=count)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed must be an integer"):
        check(Counter, seed=-1)


def test_equal_arguments_give_equal_reports_and_json_says_the_same() -> None:
    first, second = check(Counter, rules=["spaces"], seed=3), check(Counter, rules=["spaces"], seed=3)
    assert first == second
    told = json.loads(first.to_json())
    assert (told["world"], told["panel"], told["tasks"], told["seed"], told["ok"]) == (
        "Counter (version 1)", "numbers", [3, 3], 3, True,
    )  # fmt: skip
    assert [result["rule"] for result in told["results"]] == ["made", "spaces"]


def test_what_a_world_prints_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    class Loud(Counter):
        def initial(self, task: Any, rng: Any) -> Any:
            print("ready", file=sys.stderr)
            return super().initial(task, rng)

        def transition(self, state: Any, action: Any, rng: Any) -> Any:
            print("moved")
            return super().transition(state, action, rng)

    report = check(Loud, rules=["ends", "hostile"])
    assert report.broken == ["hostile"] and "the world printed 'ready\\nmoved" in report.results[2].note, str(report)
    assert capsys.readouterr() == ("", "")


def test_a_method_named_nearly_like_a_hook_that_is_absent_is_asked_about() -> None:
    class Misspelt(SoundTools):
        def experts(self, state: Any) -> str:  # has the hook, so that this may be a helper of it
            return ""

        def describes(self, state: Any) -> str:
            return ""

        def secret(self, state: Any) -> str:
            return ""

        def describes_nothing_of_the_kind(self) -> None: ...

    note = check(Misspelt, rules=["made"]).results[0].note
    asked = "Misspelt defines 'describes': did you mean the hook 'describe'?; Misspelt defines 'secret': did you mean "
    assert note == f"2 of 2 tasks started; {asked}the hook 'secrets'?"
    assert check(SoundTools, rules=["made"]).results[0].note == "2 of 2 tasks started"


def test_records_are_compared_by_what_their_parts_are_called() -> None:
    first = ["o", 0.5, False, False, {"x": 1}]
    assert record_difference(first, ["o", 0.5, True, False, {"x": 2}]) == "terminated is False against True"
    assert record_difference(first, ["o", 1.5, False, False, {"x": 2}]) == "the reward is 0.5 against 1.5"
    assert record_difference(["o", {"x": 1}], ["p", {}]) == "the observation is 'o' against 'p'"
    assert record_difference(["o", False, False, {}], ["o", False, True, {}]) == "truncated is False against True"
    assert record_difference(first, ["raised", "OSError: no"]) == "'o' against the error 'OSError: no'"
    assert record_difference(["raised", "A"], ["raised", "B"]) == "the error 'A' against the error 'B'"


def test_the_table() -> None:
    lines = str(check(Counter, rules=["made"])).splitlines()
    assert lines == [
        "Counter (version 1), panel numbers: 3 of 3 tasks, seed 0",
        "  made  passed       3 of 3 tasks started",
        "1 passed, 0 broken, 0 not checked",
    ]


def test_progress_is_told_before_each_rule() -> None:
    told: list[tuple[str, int, int]] = []
    check(Counter, rules=["made", "spaces"], progress=lambda *given: told.append(given))
    assert told == [("made", 0, 2), ("spaces", 1, 2)]


def test_tasks_are_spread_over_all_splits() -> None:
    assert [task.id for task in Subject(Counter, tasks=2).tasks] == ["two", "three"]
    assert [task.id for task in Subject(Counter, tasks=None).tasks] == ["two", "minus", "three"]
    numbers: Any = list(range(10))
    # 4 of 10 items at even distances: 0 · 9/3, 1 · 9/3, …
    assert spread(numbers, 4) == [0, 3, 6, 9]
    assert spread(numbers, 1) == [0]
    assert spread(numbers, 20) == numbers


def test_play_is_a_function_of_the_seed_and_replay_repeats_it() -> None:
    subject = Subject(Sound, seed=5)
    task, seed = subject.few(1)[0]
    first = subject.play(subject.make(), task, seed)
    assert first.lines() == subject.play(subject.make(), task, seed).lines()
    assert first.lines() == subject.replay(subject.make(), task, seed, first.actions).lines()
    other = Subject(Sound, seed=6)
    assert other.play(other.make(), task, seed).actions != first.actions


def test_an_error_of_the_world_ends_the_trace() -> None:
    class Faulty(Counter):
        def transition(self, state: Any, action: Any, rng: Any) -> Any:
            raise RuntimeError("out of paper")

    subject = Subject(Faulty)
    task, seed = subject.few(1)[0]
    trace = subject.replay(subject.make(), task, seed, ["up", "up"])
    assert trace.records[1:] == [["raised", "RuntimeError: out of paper"]]
    assert trace.over and isinstance(trace.error, RuntimeError) and len(trace.infos) == 1


def test_the_first_difference_is_named() -> None:
    assert difference({"a": [1, 2.0]}, {"a": [1, 2]}) == "['a'][1] is 2.0 against 2"
    assert difference({"a": 1}, {"b": 1}) == "['a'] is there only in the first"
    assert difference({"a": 1}, {"a": 1, "b": 1}) == "['b'] is there only in the second"
    assert difference([1], [1, 2], "list") == "list is [1] against [1, 2]"
    assert difference({"a": [True]}, {"a": [True]}) == ""
    one = Trace("task 't'", ["up"], [["o", {"x": 1}], ["p", {"x": 1}]])
    other = Trace("task 't'", ["up"], [["o", {"x": 1}], ["p", {"x": 2}]])
    require_same(one, one, "never")
    with pytest.raises(Broken, match=r"two worlds: task 't', turn 1, after 'up': info\['x'\] is 1 against 2"):
        require_same(one, other, "two worlds")
    with pytest.raises(Broken, match="two worlds: task 't': 1 turns against 0"):
        require_same(one, Trace("task 't'", [], one.records[:1]), "two worlds")
    assert Subject(Counter, tasks=2).few(3) == [
        (Task("two", {"goal": 2}), 0),
        (Task("three", {"goal": 3}), 1),
        (Task("two", {"goal": 2}), 2),
    ]


def test_look_measures_no_part_of_equality() -> None:
    slow = Rule("slow", "Is slow.", (), lambda subject: "done")
    first, second = look(slow, Subject(Counter)), look(slow, Subject(Counter))
    assert first == second
    assert first.seconds >= 0.0


def test_an_expert_that_has_given_up_may_say_what_no_menu_holds() -> None:
    class GivesUp(Sound):
        def expert(self, state: Any) -> str:
            return "dial 0" if state.tries < 2 else super().expert(state)

    report = check(GivesUp, rules=["menu"])
    assert report.ok, str(report)
