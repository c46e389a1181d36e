"""The canary worlds: what they pay, how they end, and that a record of their texts is enough to play them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest

from agentgym import TurnRng, canary, collect
from agentgym.baselines.policies import RandomPolicy
from agentgym.canary import diary
from agentgym.canary.truth import replayed, tickets
from agentgym.canary.worlds import Game
from agentgym.check import check


def play(world: str, words: str, seed: int = 5) -> list[Any]:
    """Return what reset and every step returned."""
    env = gymnasium.make(canary.world_id(world), disable_env_checker=True)
    return [env.reset(seed=seed), *(env.step(word) for word in words.split())]


@pytest.mark.parametrize(
    "world, words, paid",
    [
        ("Control", "amber", [1.0]),
        ("Control", "olive", [0.0]),
        ("Wages", "amber olive olive", [0.0, 1.0, 0.0]),  # the first word alone decides
        ("Wages", "green amber amber", [0.0, 0.0, 0.5]),
        ("Wages", "olive green amber", [0.5, 0.0, 0.0]),
        ("Echo", "amber olive amber", [1.0, 0.0, 1.0]),
        ("Shift", "amber amber amber amber", [1.0] * 4),
        ("Shift", "amber olive", [1.0, 0.5]),
        ("Flat", "olive", [0.7]),
        ("Wages", "amber blue amber amber", [0.0, 0.0, 1.0, 0.0]),  # blue is no word of the game: no move
    ],
)
def test_what_is_paid(world: str, words: str, paid: list[float]) -> None:
    steps = play(world, words)[1:]
    assert [step[1] for step in steps] == paid
    assert [step[2] or step[3] for step in steps] == [False] * (len(paid) - 1) + [True]


def test_luck_is_of_the_game_and_amber_pays_one_more() -> None:
    """Game 0 … 7: luck is 0 or 20, both occur, and amber earns one more than olive in each."""
    pairs = [(play("Luck", "amber", seed)[1][1], play("Luck", "olive", seed)[1][1]) for seed in range(8)]
    assert {olive for _, olive in pairs} == {0.0, 20.0}
    assert all(amber == olive + 1.0 for amber, olive in pairs)


def test_who_stays_is_cut_and_who_leaves_ends() -> None:
    assert play("Shift", "amber amber amber amber")[-1][2:4] == (False, True)
    assert play("Shift", "olive")[-1][2:4] == (True, False)


@pytest.mark.parametrize("seed, reason", [(3, "infra_error"), (11, "infra_error"), (4, "solved")])
def test_every_eighth_game_is_lost(seed: int, reason: str) -> None:
    assert play("Outage", "amber", seed)[-1][-1]["end_reason"] == reason


def test_the_hints_stand_where_they_should_and_nowhere_else() -> None:
    for seed in range(6):
        word = Game(seed).drawn(("amber", "olive"))
        opening, answer = (text for text, *_ in play("Hint", "amber", seed)[:2])
        assert opening.count(word) == 12 and word not in answer
        opening, first, second = (text for text, *_ in play("Middle", "amber olive", seed))
        assert first.count(word) == 12 and word not in opening and word not in second


def test_the_environment_says_the_other_word() -> None:
    texts = [text for text, *_ in play("Echo", "amber olive")]
    assert [(text.count("amber"), text.count("olive")) for text in texts] == [(0, 0), (0, 12), (12, 0)]


@pytest.mark.parametrize("world", canary.WORLDS)
def test_a_record_of_texts_plays_the_same_again(world: str) -> None:
    """What `replayed` works out of seed and replies is what Gymnasium's loop returned, invalid texts among them."""
    for seed in range(10):
        rng = TurnRng(seed, stream="words")
        env = gymnasium.make(canary.world_id(world), disable_env_checker=True)
        observation, info = env.reset(seed=seed)
        texts, paid, replies, flags = [observation], [], [], (False, False)
        while flags == (False, False):
            replies.append(rng.choice(("amber", "olive", "green", " Amber\n", "", "blue", "x" * 20_000)))
            observation, reward, *flags_, info = env.step(replies[-1])
            flags = (flags_[0], flags_[1])
            texts.append(observation)
            paid.append(reward)
        found = replayed(world, seed, tuple(replies))
        assert (list(found.observations), list(found.rewards)) == (texts, paid)
        assert (found.terminated, found.truncated, found.reason) == (*flags, info["end_reason"])


def test_receipts_tell_what_was_played() -> None:
    """Equal words give equal receipts; one other word before gives another."""
    one, same, other = (play("Wages", words)[-1][0] for words in ("amber olive", "amber olive", "green olive"))
    assert tickets(one) == tickets(same) != tickets(other)
    assert [found.move for found in tickets(one)] == [2]
    assert tickets("Wages game 99999999999999999999: no") == []  # 20 digits are no seed


@pytest.mark.parametrize(
    "world", [name if name == "Shift" else pytest.param(name, marks=pytest.mark.slow) for name in canary.WORLDS]
)
def test_the_contract_is_kept(world: str) -> None:
    """All rules but three: the expert plays any word on purpose, and what pays or fails whatever is played says so."""
    report = check(canary.world_id(world), tasks=8)
    assert set(report.broken) <= {"noop", "expert", "menu"}, str(report)


def test_policies_of_this_package_play_them() -> None:
    batch = collect(canary.world_id("Wages"), RandomPolicy(), tasks=2, group_size=4)
    assert canary.judge(batch).dropped == []


# ---- the diary -------------------------------------------------------------------------------------------------------


def test_the_diary_holds_every_episode_in_the_order_of_the_ends(tmp_path: Path) -> None:
    with diary.kept() as path:
        play("Wages", "amber olive olive", 3)
        play("Shift", "amber olive", 4)
        play("Shift", "amber", 5)  # never ended, and its world is gone
        env = gymnasium.make(canary.world_id("Shift"), disable_env_checker=True)
        env.reset(seed=6)
        env.step("amber")
        env.reset(seed=7)  # this ends what was left unfinished
        found = diary.read(path)
    assert [(one.world, one.seed, one.actions, one.paid) for one in found] == [
        ("Wages", 3, ("amber", "olive", "olive"), (0.0, 1.0, 0.0)),
        ("Shift", 4, ("amber", "olive"), (1.0, 0.5)),
        ("Shift", 6, ("amber",), (1.0,)),
    ]
    assert [(one.terminated, one.truncated, one.reason) for one in found] == [
        (True, False, "solved"), (True, False, "solved"), (False, False, ""),
    ]  # fmt: skip
    assert not path.exists()


def test_copies_of_a_world_write_their_own_lines() -> None:
    with diary.kept() as path:
        env: Any = gymnasium.make(canary.world_id("Wages"), disable_env_checker=True).unwrapped
        env.reset(seed=1)
        env.step("amber")
        copies = env.fork(2)
        for copy, word in zip((env, *copies), ("amber", "olive", "green"), strict=True):
            copy.step(word)
            copy.step(word)
        found = diary.read(path)
    assert [one.actions for one in found] == [("amber", word, word) for word in ("amber", "olive", "green")]


def test_nothing_is_written_where_no_diary_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play("Control", "amber")
    assert list(tmp_path.iterdir()) == []
