"""The record under other trainers' names: the right moment, the right sums, the right order."""

import json
from typing import Any

import pytest
from worlds import Counter, Talk

from agentgym import MissingColumn, Reply, TurnBatch, collect
from agentgym.batch import COLUMNS
from agentgym.keys import MAPS, from_batch, from_infos

# Two rollouts of one group, their rows out of order. Paid a turn: a 1 + 0 and then 0.5 + 2, b 0 − 1.
BATCH = TurnBatch.from_rows(
    [
        {"group": "g", "trajectory": "a", "turn": 1, "turn_reward": 0.5, "outcome_reward": 2.0, "anchor": "s1"},
        {"group": "g", "trajectory": "b", "turn": 0, "turn_reward": 0.0, "outcome_reward": -1.0, "anchor": "s0"},
        {"group": "g", "trajectory": "a", "turn": 0, "turn_reward": 1.0, "outcome_reward": 0.0, "anchor": "s0"},
    ]
).with_columns(valid=[True, False, True])


def test_one_dict_a_turn_in_the_order_of_the_rows() -> None:
    assert from_batch(BATCH, "trinity") == [
        {"env_state_hash": "s1", "step_reward": 2.5},
        {"env_state_hash": "s0", "step_reward": -1.0},
        {"env_state_hash": "s0", "step_reward": 1.0},
    ]
    assert from_batch(BATCH, "verl-agent") == [
        {"anchor_obs": "s1", "rewards": 2.5, "is_action_valid": True},
        {"anchor_obs": "s0", "rewards": -1.0, "is_action_valid": False},
        {"anchor_obs": "s0", "rewards": 1.0, "is_action_valid": True},
    ]


@pytest.mark.parametrize(("trainer", "total"), [("nemo-gym", "reward"), ("ms-swift", "total_reward")])
def test_one_dict_a_rollout_first_turn_first(trainer: str, total: str) -> None:
    assert from_batch(BATCH, trainer) == [
        {"step_rewards": [1.0, 2.5], total: 3.5},
        {"step_rewards": [-1.0], total: -1.0},
    ]


def test_turn_rewards_score_the_state_after_the_turn() -> None:
    scored = BATCH.with_columns(step_score=[0.5, 0.0, 0.25])
    assert from_batch(scored, "prime-rl") == [{"turn_rewards": [0.25, 0.5]}, {"turn_rewards": [0.0]}]
    both = scored.with_columns(next_potential=[-1.0, -3.0, -2.0], potential=[-2.0, -9.0, -9.0])
    assert from_batch(both, "prime-rl") == [{"turn_rewards": [-2.0, -1.0]}, {"turn_rewards": [-3.0]}]


@pytest.mark.parametrize(
    ("trainer", "dropped"),
    [
        ("trinity", "anchor"), ("trinity", "turn_reward"), ("verl-agent", "valid"), ("nemo-gym", "outcome_reward"),
        ("prime-rl", "next_potential"),
    ],
)  # fmt: skip
def test_a_column_that_is_not_there_is_never_made_up(trainer: str, dropped: str) -> None:
    batch = BATCH.without(dropped) if dropped in BATCH else BATCH
    with pytest.raises(MissingColumn, match=rf"the map to {trainer} needs the column '{dropped}'"):
        from_batch(batch, trainer)


class Typist:
    """Writes the same words in every rollout."""

    signals = ("potential",)
    markov = False

    def __call__(self, views: Any) -> list[Reply]:
        return [Reply(("up", "sideways", "stay", "up", "up")[view.turn]) for view in views]


def infos() -> list[Any]:
    env = Counter(signals=("potential",))
    found: list[Any] = [env.reset(seed=3, options={"task": "two"})[1]]
    return found + [env.step(action)[4] for action in ("up", "sideways", "stay", "up")]


@pytest.mark.parametrize("trainer", MAPS)
def test_infos_and_batch_give_the_same(trainer: str) -> None:
    batch = collect("test/Counter-v0", Typist(), tasks=["two"], group_size=1, seed=3)
    assert len(batch) == 4
    assert from_infos(infos(), trainer) == from_batch(batch, trainer)


@pytest.mark.parametrize("trainer", MAPS)
def test_what_comes_out_is_plain_json_with_the_names_of_the_map(trainer: str) -> None:
    for made in from_infos(infos(), trainer):
        assert list(made) == list(MAPS[trainer].names)
        assert json.loads(json.dumps(made)) == made


def test_infos_by_hand() -> None:
    episode = infos()
    # up pays progress 1; sideways nothing; stay −0.5 · 1; up pays 1 and the outcome 1.
    assert from_infos(episode, "ms-swift") == [{"step_rewards": [1.0, 0.0, -0.5, 2.0], "total_reward": 2.5}]
    assert from_infos(episode, "prime-rl") == [{"turn_rewards": [-1.0, -1.0, -1.0, 0.0]}]  # −|2 − place| after each
    hashes = [turn["env_state_hash"] for turn in from_infos(episode, "trinity")]
    assert hashes == [info["anchor_hash"] for info in episode[:4]]
    assert hashes[0] != hashes[1] == hashes[2] == hashes[3]  # before up, then the same place three times
    assert [turn["is_action_valid"] for turn in from_infos(episode, "verl-agent")] == [True, False, True, True]
    assert from_infos(episode[:1], "ms-swift") == [{"step_rewards": [], "total_reward": 0.0}]
    assert from_infos(episode[:1], "trinity") == []


def test_a_turn_without_a_score_is_none() -> None:
    env = Talk()
    episode: list[Any] = [env.reset(seed=0)[1]]
    episode += [env.step(action)[4] for action in ("hello", "", "bye")]  # only hello is scored
    assert from_infos(episode, "prime-rl") == [{"turn_rewards": [1.0, None, None]}]


def test_caller_errors_name_the_remedy() -> None:
    for make in (lambda: from_batch(BATCH, "trinty"), lambda: from_infos(infos(), "trinty")):
        with pytest.raises(ValueError, match=r"unknown trainer 'trinty'; did you mean 'trinity'\?"):
            make()
    for broken in ([], infos()[1:], infos()[:1] + infos()[2:], infos()[::-1]):
        with pytest.raises(ValueError, match="that of reset and of every step after it"):
            from_infos(broken, "trinity")


def test_every_map_speaks_of_columns_and_cites_a_repository() -> None:
    for trainer, names in MAPS.items():
        assert names.per in ("turn", "rollout")
        for what in names.names.values():
            words = what.replace(",", "").split()
            assert set(words) - {"sum", "of", "+", "or"} <= set(COLUMNS), trainer
        owner, _, rest = names.source.partition("/")
        assert owner and ": " in rest
