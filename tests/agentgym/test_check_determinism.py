"""The checker's rules for determinism, hashes, moments and outcomes: what they say, and what they leave to others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from broken_envs.determinism import (
    BlurredAnchor,
    Corridor,
    Entropy,
    EntropyLate,
    ForgetsTheCode,
    OwnMenu,
    RandomLate,
    Scratched,
    TellsTheOwner,
    TellsTheTime,
)
from broken_envs.moments import ForgetsWhatWasSaid, HashOfText, LostExpert, OwnDraws
from broken_envs.sound import SAFES, Safe, Sound
from processes import run_python
from worlds import Counter, Dice, Shop

import agentgym
from agentgym import AgentEnv, Opening, Outcome, RewardSpec, Say, Task, TaskPanel, Turn, TurnRng
from agentgym.check import RULES, Broken, NotChecked, Report, Result, check
from agentgym.check.child import described, packed, rebuilt_subject, unpacked
from agentgym.check.explore import explored, starts
from agentgym.check.facts import ORDER, builds_upon, needs, once, told
from agentgym.check.moments import kept
from agentgym.check.subject import Subject, Trace
from agentgym.check.values import Told, apart, spot

ELSEWHERE = ("panel", "processes", "elsewhere")
"""Rules that start processes."""


def said(report: Report, rule: str) -> Result:
    return next(result for result in report.results if result.rule == rule)


def broken(world: Any, rule: str) -> str:
    """Return what a rule says of a world that breaks it."""
    with pytest.raises(Broken) as caught:
        RULES[rule].look(Subject(world))
    return str(caught.value)


# ---- what is said ----------------------------------------------------------------------------------------------------


def test_late_randomness_is_found_at_its_turn() -> None:
    assert "turn 29, after 'on': the observation is 'At " in broken(EntropyLate, "deterministic")
    assert broken(RandomLate, "generators").startswith("task 'corridor', seed 0: playing draws from or seeds random: ")


def test_messages_name_the_fault_and_the_remedy() -> None:
    assert broken(Entropy, "deterministic").startswith("a second new world, given the same actions, differs: task ")
    assert broken(TellsTheTime, "clock").endswith("take times from the task, never from a clock")
    assert "restore must set all that later turns depend on" in broken(ForgetsWhatWasSaid, "snapshot")
    assert "draw from the rng that is passed in" in broken(OwnDraws, "branches")
    assert "hand out a new object on each call" in broken(OwnMenu, "callers")
    assert broken(HashOfText, "processes").startswith("in a fresh process under PYTHONHASHSEED=1 it differs: task ")


def test_a_forgotten_field_is_named() -> None:
    class Forgets(Sound):
        def canonical(self, state: Safe) -> Any:
            return replace(state, tries=0)

    text = broken(Forgets, "futures")
    assert "they differ in tries: 2 against 1" in text
    assert text.endswith("let canonical(state) hold all that decides what follows")


def test_states_of_several_starts_are_compared() -> None:
    text = broken(ForgetsTheCode, "futures")
    assert text.startswith("task 'digits-4', seed 0 and task 'digits-4', seed 1: two states have the hash ")
    assert "but after 'read' the observation is 'The note says " in text
    assert "they differ in code: '" in text
    text = broken(TellsTheOwner, "hooks")
    assert "the secrets are {'code': '1357', 'owner': '" in text
    assert "anchor(state) is the same: let it hold all that the agent can read" in broken(BlurredAnchor, "hooks")
    starts_of = starts(Subject(Sound))
    # three of the four tasks, the first and the last among them, with six seeds each
    assert [(one.where, one.seed) for one in starts_of] == [
        (f"task 'digits-{digits}', seed {seed}", seed) for digits in (4, 5, 7) for seed in range(6)
    ]
    counts = [sum(map(len, one.states.values())) for one in starts_of]
    assert max(counts) > 2 and all(1 <= count <= 7 for count in counts)  # one before the first turn, six turns at most


def test_that_no_two_states_share_a_hash_is_said() -> None:
    report = check(Sound, rules=["futures", "hooks"])
    assert said(report, "futures").note.startswith("no two of ") and said(report, "futures").note.endswith(
        " states share a hash"
    )
    assert "; no two of " in said(report, "hooks").note
    assert " pairs with equal hash compared" in said(check(Scratched, rules=["futures"]), "futures").note


def test_values_compare_by_content_and_are_shown_as_written() -> None:
    nan = float("nan")
    assert Told([nan, 0.1]) == Told([nan, 0.1]) and Told(1.0) != Told(1) and Told(0.0) != Told(-0.0)
    assert apart({"menu": Told(("a", "b"))}, {"menu": Told(("a",))}) == "the menu is ('a', 'b') against ('a',)"
    assert apart({"rewards": Told({"x": 1.0})}, {}) == "the rewards are {'x': 1.0} against None"
    assert apart({"valid": True}, {"valid": True}) == ""
    assert spot(Safe("1", clicks=2), Safe("1", clicks=3)) == "clicks: 2 against 3"
    assert spot({"a": 1, "b": 2}, {"a": 1}) == "b: 2 against None"
    assert spot((1, 2), (1, 3)) == "their content: (1, 2) against (1, 3)"


def test_notes_say_how_many_tasks_were_looked_at_of_how_many() -> None:
    report = check(Sound, tasks=2, rules=["noop", "expert"])
    assert said(report, "noop").note == "succeeds in 0 of 2 tasks, 3 ways"
    assert said(report, "expert").note == "2 of 2 tasks solved, of 4 in the panel"


def test_failing_tasks_are_counted_and_the_first_three_named() -> None:
    text = broken(LostExpert, "expert")
    assert text == "the expert solves 0 of 4 tasks; it fails in 4 tasks (digits-4, digits-5, digits-6, …)"


# ---- one fault, one report -------------------------------------------------------------------------------------------


def test_rules_that_build_upon_a_broken_one_say_so() -> None:
    report = check(Entropy, rules=["generators", "clock", "deterministic", "pure", "snapshot", "fork", "reset"])
    assert report.broken == ["deterministic"]
    assert [said(report, rule).status for rule in ("generators", "clock")] == ["passed", "passed"]
    for rule in ("pure", "snapshot", "fork", "reset"):
        note = "the rule 'deterministic' comes first, and is broken"
        assert (said(report, rule).status, said(report, rule).note) == ("not checked", note)


def test_the_order_names_rules_and_each_builds_upon_those_before_alone() -> None:
    assert set(ORDER) <= set(RULES)
    subject = Subject(Entropy)
    builds_upon(subject, "deterministic")
    with pytest.raises(NotChecked, match="'deterministic' comes first"):
        builds_upon(subject, "pure")
    with pytest.raises(NotChecked, match="'deterministic' comes first"):
        needs(subject, "deterministic")
    with pytest.raises(NotChecked, match="'expert' comes first"):
        needs(Subject(LostExpert), "expert")  # by looking
    needs(Subject(Dice), "expert")  # has none, so nothing is broken


def test_facts_are_found_out_once_a_subject() -> None:
    asked = []

    @once
    def fact(subject: Subject) -> int:
        asked.append(subject)
        return len(asked)

    one, other = Subject(Counter), Subject(Counter)
    assert [fact(one), fact(one), fact(other), fact(one)] == [1, 1, 2, 1]


def test_the_first_difference_of_two_traces() -> None:
    first = Trace("task 't'", ["up"], [["o", {"x": 1}], ["p", 0.0, False, False, {"x": 1}]])
    assert told(first, first) == ""
    second = Trace("task 't'", ["up"], [["o", {"x": 1}], ["p", 0.0, False, False, {"x": True}]])
    assert told(first, second) == "task 't', turn 1, after 'up': info['x'] is 1 against True"
    assert told(first, Trace("task 't'", [], first.records[:1])) == "task 't': 1 turns against 0"


# ---- what is looked at -----------------------------------------------------------------------------------------------


def test_moments_are_the_first_a_middle_the_last_running_and_the_ended_one() -> None:
    for one in kept(Subject(Corridor)):
        assert list(one.moments) == [0, 20, 39, 40]  # cut after 40 turns of an episode of 50
    for one in kept(Subject(Sound)):
        last = len(one.trace.actions)
        assert list(one.moments) == sorted({0, last // 2, last - 1, last})
        assert one.moments[last].over


def test_states_of_equal_hash_and_different_content_are_met() -> None:
    _, found = explored(Subject(Scratched))
    twins = [pair for one in found for pair in one.twins()]
    assert len(twins) > 20
    for pair in twins:
        assert pair.first != pair.second
        assert replace(pair.first, mark="") == replace(pair.second, mark="")


def test_states_are_found_by_breadth_and_with_the_authors_actions() -> None:
    env, found = explored(Subject(Counter))
    # from 0, five ups and downs or more lead to every number from −40 to 40 short of the goal that ends it
    places = {state[0] for one in found for known in one.states.values() for _, state in known}
    assert places >= {-5, -4, -3, -2, 0, 1}
    assert env.offers("menu")
    _, found = explored(Subject(Shop, actions=['<sell>{"key": "item4"}</sell>']))
    assert any(state.stock["item4"]["count"] == 3 for known in found[0].states.values() for _, state in known)


@pytest.mark.slow
def test_babyai_passes_without_other_processes() -> None:
    rules = [rule for rule in RULES if rule not in ELSEWHERE]
    report = check("agentgym/BabyAI-v0", kwargs={"level": "goto", "num_dists": 2}, tasks=2, rules=rules)
    assert report.broken == [], str(report)


# ---- other processes -------------------------------------------------------------------------------------------------


def test_a_world_from_a_function_or_a_script_is_not_checked_elsewhere_and_told_why() -> None:
    class Local(Counter):
        pass

    with pytest.raises(NotChecked, match=r"Local is defined in a function: put it at the top of a module"):
        RULES["panel"].look(Subject(Local))
    code = """
from worlds import Counter
from agentgym.check import check
class Mine(Counter): pass
print(check(Mine, rules=["panel", "processes"]))
"""
    told = run_python(code)
    note = "not checked  Mine is defined in a script or a notebook: put it into a module that can be imported"
    assert told.count(note) == 2


def test_arguments_that_cannot_travel_are_told() -> None:
    with pytest.raises(NotChecked, match=r"cannot be handed to another process .*: register an id whose defaults"):
        RULES["panel"].look(Subject(Counter, {"codec": lambda text, tools: Say(text)}))


WORLD = """
from agentgym import AgentEnv, Opening, Outcome, Task, Turn, register
print("hello from a module")

class Own(AgentEnv[int]):
    panel = (Task("a"), Task("b"))
    max_turns = 4

    def initial(self, task, rng):
        print("hello from a world")
        return Opening(rng.integers(3), "Guess.")

    def transition(self, state, action, rng):
        return Turn(state, "No.", outcome=Outcome(True, 1.0) if action.text == str(state) else None)

register("own/Own-v0", "own_world:Own")
"""


def test_a_users_module_in_the_working_folder_is_found_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_world.py").write_text(WORLD)
    monkeypatch.syspath_prepend(tmp_path)
    report = check("own_world:own/Own-v0", kwargs={"max_turns": 3}, rules=list(ELSEWHERE))
    assert report.broken == report.not_checked == [], str(report)
    assert said(report, "panel").note == "2 tasks, 2 processes"
    (tmp_path / "own_world.py").write_text("raise OSError('gone')")
    report = check("own_world:own/Own-v0", rules=list(ELSEWHERE))
    note = said(report, "processes").note
    assert report.not_checked == list(ELSEWHERE)
    assert "another process cannot rebuild own_world:Own (OSError: gone): put it into a module" in note


def test_a_subject_is_rebuilt_from_its_description() -> None:
    panel = TaskPanel("mine", {"train": [Task("one", {"digits": 4})], "test": [Task("two", {"digits": 5})]})
    kwargs = {"tasks": panel, "max_turns": 4, "reward": {"note": 2.0}, "signals": ("menu",)}
    first = Subject(Sound, kwargs, seed=3, tasks=1, actions=["read", agentgym.ToolCall("x", {"a": 1})])
    again = rebuilt_subject(described(first))
    assert again.world.panel.hash == first.world.panel.hash
    assert (again.seed, again.wanted, again.given) == (first.seed, first.wanted, first.given)
    assert again.world._init_kwargs == {**kwargs, "tasks": again.world.panel}
    assert (again.world.env_id, again.world.max_turns) == ("Sound", 4)
    named = rebuilt_subject(described(Subject("agentgym/BabyAI-v0", {"level": "goto"})))
    assert named.world.env_id == "agentgym/BabyAI-v0"
    tasks = unpacked(packed({"tasks": [Task("one", {"digits": 4})]}))["tasks"]
    assert tasks == [Task("one", {"digits": 4})]
    # canonical bytes sort what they hold, but the order of splits and of a task's data is the world's to use
    panel = TaskPanel("p", {"train": [Task("t", {"b": {"d": 1, "c": (b"x", None)}, "a": 1})], "dev": [Task("d")]})
    arrived = unpacked(packed({"tasks": panel}))["tasks"]
    assert arrived.hash == panel.hash and list(arrived) == ["train", "dev"]
    assert list(arrived.task("t").data) == ["b", "a"] and list(arrived.task("t").data["b"]) == ["d", "c"]
    with pytest.raises(TypeError, match="cannot encode"):
        packed({"reward": RewardSpec()})
    assert unpacked(packed({"tasks": SAFES}))["tasks"].hash == SAFES.hash


def test_a_world_that_leaves_the_other_process_is_not_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leaving_world.py").write_text(
        "import os, sys\nif 'worlds' not in sys.modules: os._exit(3)\n" + WORLD.replace("own", "leaving")
    )
    monkeypatch.syspath_prepend(tmp_path)
    report = check("leaving_world:leaving/Own-v0", rules=["panel"])
    assert "another process cannot rebuild leaving_world:Own (exit status 3)" in said(report, "panel").note


# ---- draws -----------------------------------------------------------------------------------------------------------


class Rare(AgentEnv[int]):
    """Hardly ever draws anything that matters: too little to judge branches by."""

    panel: ClassVar[Any] = (Task("rare"),)
    max_turns = 3

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        return Opening(0, "Say go.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        lucky = TurnRng(rng.seed, 0, rng.turn).random() < 0.01
        return Turn(state, "Luck!" if lucky else "Nothing.", outcome=Outcome(True, 1.0) if lucky else None)


def test_too_few_draws_are_no_evidence() -> None:
    report = check(Rare, rules=["branches"], actions=["go"])
    assert report.ok and said(report, "branches").note.startswith("its turns hardly ever draw: ")
    assert said(check(Dice, rules=["branches"], actions=["roll"]), "branches").note.endswith(
        "results follow from the branch"
    )
    assert said(check(Counter, rules=["branches"]), "branches").note == "its turns draw nothing"
