"""What the rules of the contract leave alone, and the words with which they answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from broken_envs import contract
from broken_envs.sound import Safe, Sound, SoundTools
from worlds import WORLDS

from agentgym import AgentEnv, EndReason, Opening, Outcome, RewardSpec, Task, Turn, TurnRng
from agentgym.check import RULES, check
from agentgym.check.leak import _secrets
from agentgym.check.menu import _spelled_alike
from agentgym.check.rule import Broken


def note(world: type[AgentEnv[Any]], name: str) -> str:
    return next(result.note for result in check(world, rules=[name]).results if result.rule == name)


BROKEN = {
    "Talk": ["noop", "exploits"],  # pays whoever says anything until the end
    "Ledger": ["noop"],  # is solved by any three texts
}


HERE = [name for name in RULES if name not in ("panel", "processes", "elsewhere")]
"""Rules that start no process; that these worlds are the same in others, the golden chains say too."""


@pytest.mark.parametrize("rules", [HERE, pytest.param(None, marks=pytest.mark.slow)], ids=["here", "all"])
@pytest.mark.parametrize("name", WORLDS)
def test_the_worlds_of_the_other_tests_keep_the_contract_but_for_these(name: str, rules: list[str] | None) -> None:
    report = check(WORLDS[name], rules=rules)
    assert report.broken == BROKEN.get(name, []), str(report)


@pytest.mark.parametrize(
    ("name", "world", "words"),
    [
        ("info", contract.OwnKey, "has the key 'mood', which is not in the schema"),
        ("info", contract.TwoTurnsAStep, "info['turn'] is 2: every step counts one turn"),
        ("hostile", contract.ReadsDigits, "the world raised ValueError: Exceeds the limit (4300 digits)"),
        ("hostile", contract.Leaves, "the world raised SystemExit: 3"),
        ("leak", contract.CodeInTheOpening, "on reset: messages holds '"),
        ("leak", contract.CodeInTheRefusal, "turn 1, after '<tool_response>"),
        ("menu", contract.MenuTwice, "the menu holds ['wait'] more than once"),
        ("menu", contract.MenuOfTheImpossible, "the menu offers ['dance'], which the world refuses"),
        ("unmarked", contract.MarkedByAForm, "punctuation at the end marks the right entry"),
        ("unmarked", contract.MarkedByASpelling, "the menu spells 'read' as 'Read' where it is the right one"),
        ("unmarked", contract.MenuInOrder, "at place 0 of the menu"),
        ("rewards", contract.UnnamedReward, "the rewards ['charm'] are paid but not named"),
        ("refused", contract.Impatient, "the episode ended with 'failed' by a refused action"),
        ("limit", contract.NoLimit, "7 turns of doing nothing did not end the episode: max_turns is 6"),
        ("signals", contract.EndlessPotential, "potential(state) is inf"),
        ("made", contract.TaskWithoutDigits, "in reset of TaskWithoutDigits, task 'none'"),
    ],
)
def test_a_broken_rule_says_what_and_where(name: str, world: type[AgentEnv[Any]], words: str) -> None:
    found = note(world, name)
    assert words in found, found


def test_a_world_that_ends_badly_or_by_its_own_limit_keeps_the_rules() -> None:
    class Other(Sound):
        def limit(self, state: Safe) -> int:
            return min(3, self.max_turns)

        def timeout(self, state: Safe) -> Outcome:
            return Outcome(False, -0.5, EndReason.GAVE_UP, "no time")

    report = check(Other)
    assert report.ok, str(report)


def test_fair_menus_of_other_lengths_and_spellings_are_not_marked() -> None:
    class Long(Sound):
        def menu(self, state: Safe) -> list[str]:
            more = [f"dial {number}" for number in range(100_000, 100_000 + 3 * (1 + state.tries))]
            return [*super().menu(state), *more]

    report = check(Long, rules=["menu", "unmarked"])
    assert report.ok, str(report)
    _spelled_alike([(f"Say {number}.", [f"Say {number + 1}."]) for number in range(20)])  # wrong ones alike
    _spelled_alike([("Yes.", ["no"]), ("no", ["Yes."])])  # too few to speak of a form
    _spelled_alike([("1.5", ["15"]), ("15", ["1.5"])])  # punctuation within makes another entry
    with pytest.raises(Broken, match="white space at an end marks"):
        _spelled_alike([(f"take {number} ", [f"take {number + 1}"]) for number in range(0, 40, 2)])
    with pytest.raises(Broken, match="the menu spells 'go' as 'GO' where it is the right one"):
        _spelled_alike([("GO", ["stay"]), ("stay", ["go"])])


def test_an_order_that_is_marked_at_times_is_found() -> None:
    class Leaning(Sound):
        """Moves the right entry to the front in a third of the menus."""

        def offer(self, state: Safe, seed: int, turn: int) -> list[str]:
            fair = super().offer(state, seed, turn)
            right = self.expert(state)
            lean = TurnRng(seed, 0, turn, "lean").random() < 1 / 3
            return sorted(fair, key=lambda entry: entry != right) if lean else fair

    assert "where a fair order puts it" in note(Leaning, "unmarked")


def test_secrets_are_found_at_any_depth() -> None:
    value = {"a": ["Gold", {"b": "abc"}], "c": ("LOUD", 12345, 12, True, 0.125), "long key": None}
    # Texts of four letters or more, and whole numbers of four digits or more; "true" is no number, keys are no secrets.
    assert sorted(_secrets(value)) == ["12345", "Gold", "LOUD"]


def test_a_secret_that_other_starts_read_too_is_not_told() -> None:
    report = check(contract.Candidates, rules=["leak"])
    # twelve starts with one code each; all four codes stand in every opening
    assert report.ok and report.results[-1].note == "12 secrets of at least 4 characters", str(report)
    found = note(contract.RightOneFirst, "leak")
    assert "no other start with another secret reads the same: tell it nowhere, or, where it may be read" in found

    class Always(contract.Candidates):
        """Has the same code at every start, so that no other start shows that the list tells nothing."""

        def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
            return super().initial(task, TurnRng(0))

    assert "let secrets(state) hold the sentence that would give it away" in note(Always, "leak")


def test_secrets_too_short_to_be_looked_for_are_not_checked_but_what_is_privileged_is() -> None:
    class Short(Sound):
        def secrets(self, state: Safe) -> Any:
            return {"digits": len(state.code), "code": [state.code[:3]]}

    result = check(Short, rules=["leak"]).results[-1]
    assert result.status == "not checked"
    assert result.note == "secrets(state) holds no text of at least 4 characters, so none was looked for"

    class Told(Short):
        def reset(self, **kwargs: Any) -> Any:  # type: ignore[override]
            observation, info = super().reset(**kwargs)
            return observation, {"privileged": "{}", **info}

    assert check(Told, rules=["leak"]).broken == ["leak"]


def test_secrets_are_told_as_they_are_written() -> None:
    class Shouted(Sound):
        def secrets(self, state: Safe) -> Any:
            return {"what": "a NOTE"}

    assert "observation holds 'a NOTE', which" in note(Shouted, "leak")  # "A safe, a note."


def test_a_name_with_a_weight_that_nothing_pays_is_told() -> None:
    class Misspelt(Sound):
        rewards = RewardSpec({"note": 0.5, "noise": -0.25, "nois": 1.0})

    report = check(Misspelt, rules=["rewards"])
    assert report.ok and report.results[-1].note.endswith("; named but never paid: nois"), str(report)
    assert "never" not in note(Sound, "rewards")
    assert "seed 0, after 'wait': the rewards ['charm'] are paid" in note(contract.RarelyUnnamed, "rewards")


def test_a_reward_that_is_no_number_is_the_fault_of_the_turn_that_pays_it() -> None:
    class Undefined(Sound):
        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            turn = super().transition(state, action, rng)
            turn.rewards = {"note": float("nan")}
            return turn

    report = check(Undefined, rules=["pure", "futures", "hostile"])
    assert report.broken == ["hostile"], str(report)
    assert "paid rewards that are not finite: {'note': nan}" in report.results[-1].note


def test_a_refusal_on_the_last_turn_may_end_the_episode() -> None:
    report = check(SoundTools, kwargs={"max_turns": 1}, rules=["refused", "ends", "limit"])
    assert report.ok, str(report)


def test_every_draw_of_a_world_may_be_played() -> None:
    class Noisy(Sound):
        def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
            turn = super().transition(state, action, rng)
            turn.state = replace(turn.state, clicks=rng.integers(7))
            return turn

    report = check(Noisy)
    assert report.ok, str(report)
