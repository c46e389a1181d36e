"""A TurnBatch holds the inputs of every published estimator, and brings them back from every format to the bit."""

import os
import re
from pathlib import Path

import pytest

from agentgym import credit
from agentgym.batch import COLUMNS, TurnBatch

# Five turns: group "q1" with rollouts "a" and "b" of two turns, group "q2" with "a" of one.
VALUES = {
    "group": ["q1", "q1", "q1", "q1", "q2"],
    "trajectory": ["a", "a", "b", "b", "a"],
    "turn": [0, 1, 0, 1, 0],
    "task": ["t1"] * 4 + ["t2"],
    "seed": [7, 7, 7, 7, 8],
    "branch": [0, 0, 0, 0, 3],
    "prefix": [("t1", 0), ("t1", 1), ("t1", 0), ("t1", 2), ("t2", 0)],
    "state": ["s0", "s1", "s0", "s2", "u0"],
    "next_state": ["s1", "s3", "s2", "s4", "u1"],
    "anchor": ["s0", "s1", "s0", "s2", "u0"],
    "turn_reward": [0.1, 0.2, -0.3, 0.0, 0.5],
    "outcome_reward": [0.0, 1.0, 0.0, 0.0, 1.0],
    "components": [{"progress": 0.1}, {"progress": 0.2, "format": 0.0}, {"progress": -0.3}, {}, {"format": 0.5}],
    "success": [True, True, False, False, True],
    "terminated": [False, True, False, False, True],
    "truncated": [False, False, False, True, False],
    "end_reason": ["", "solved", "", "turn_limit", "solved"],
    "valid": [True, True, True, False, True],
    "kind": ["plan", "execute", "plan", "execute", "plan"],
    "tag": ["gold", "read", "error", "duplicate", "state"],
    "tool_result": [True, False, False, True, False],
    "potential": [0.0, 0.1, 0.0, -0.3, 0.0],
    "next_potential": [0.1, 0.3, -0.3, -0.3, 0.5],
    "step_score": [0.4, 1.0, 0.0, 0.8, 1.0],
    "critique": [1.0, -1.0, 0.0, -1.0, 1.0],
    "channel": ["facts", "style", "facts", "facts", ""],
    "switch": [True, False, True, True, False],
    "subgoal": ["find the key", "find the key", "open the door", "go home", ""],
    "value_low": [0.3, 0.5, 0.2, 0.1, 0.9],
    "value_high": [0.35, 0.45, 0.25, 0.15, 0.8],
    "value_term": [0.2, 0.4, 0.1, 0.0, 0.7],
    "value": [0.3, 0.6, 0.3, 0.2, 0.9],
    "bootstrap_value": [0.0, 0.0, 0.0, 0.15, 0.0],
    "observation": ["you see a key", "you hold a key", "you see a key", "you see a wall", "señor 😀"],
    "action": ["take key", "open door", "go north", "go north", "take key"],
    "logprob": [-0.5, -0.25, -1.5, -0.75, -0.1],
    "tokens": [2, 1, 3, 0, 2],
    "hindsight_logprob": [-0.4, -0.2, -1.75, -0.8, -0.1],
    "hindsight_table": [[0.6], [], [0.5], [], []],
    "menu": [["take key", "go north"], ["open door"], ["take key", "go north"], ["go north", "wait"], ["take key"]],
    "menu_logprobs": [[-0.5, -0.9], [0.0], [-0.5, -0.9], [-0.7, -0.7], [0.0]],
    "menu_hindsight_logprobs": [[[-0.1, -2.3], [-0.2, -1.7]], [[0.0]], [[-1.2, -0.4]], [[-0.6, -0.8]], [[0.0], [0.0]]],
    "plan": [["find key", "open door"], [], ["go north"], [], []],
    "gold_plan": [["find key", "open door", "leave"], [], ["find key"], [], []],
    "plan_similarity": [[[0.9, 0.1, 0.2], [0.1, 0.8, 0.3]], [], [[0.4]], [], []],
    "revision_ok": [[True, False], [True, False], [], [], [True]],
    "revision": ["take the key", "", "go south", "", ""],
    "rubric_scores": [[1.0, 0.5], [1.0, 0.5], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0]],
    "rubric_relevance": [
        [[0.9, 0.1], [0.0, 1.0]],
        [[1.0], [0.0]],
        [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]],
        [],
        [[0.5, 0.5], [0.1, 0.9]],
    ],
    "log_safe": [-0.1, -0.2, -3.0, -7.0, 0.0],
    "safe": [True, True, False, False, True],
    "cost": [0.0, 0.0, 1.0, 2.0, 0.0],
    "entropy": [0.7, 0.1, 0.9, 0.6, 0.0],
    "milestone": ["key", "door", "key", "key", "key"],
    "ref_logprob": [-0.6, -0.3, -1.4, -0.8, -0.2],
    "masked_logprob": [-0.9, -0.5, -1.6, -0.7, -0.3],
    "token_ids": [[11, 12], [13], [14, 15, 16], [], [11, 12]],
    "token_logprobs": [[-0.5, -0.5], [-0.25], [-1.0, -2.0, -1.5], [], [-0.1, -0.1]],
    "teacher_logprobs": [[-0.25, -0.5], [-0.5], [-3.0, -2.0, -1.0], [], [-0.2, -0.1]],
    "token_mask": [[True, True], [True], [True, False, True], [], [True, True]],
    "revision_token_ids": [[11, 17, 12], [], [18, 19], [], []],
}  # fmt: skip

REWARDS = ("turn_reward", "outcome_reward")
ENDS = ("terminated", "truncated")
NODES = (*REWARDS, "state", "anchor", "next_state", "success", *ENDS, "action")

# Estimator → the columns it reads with any of its options and presets; all read group, trajectory and turn.
NEEDS = {
    # trajectory level
    "grpo": REWARDS,
    "dr_grpo": REWARDS,
    "rloo": REWARDS,
    "reinforce_pp": (*REWARDS, "tokens"),
    "reinforce_pp_baseline": (*REWARDS, "tokens"),
    # turn level
    "mt_grpo": (*REWARDS, "tool_result"),
    "mt_grpo_unbiased": REWARDS,
    "gtpo_hybrid": REWARDS,
    "mica": ("potential", "next_potential"),
    "hian": (*REWARDS, "components"),
    "stepwise_gain": ("potential", "next_potential"),
    "atr": ("step_score",),
    "arew": (*REWARDS, "critique", "channel"),
    "turn_return": REWARDS,
    "igpo": ("potential", "next_potential", "outcome_reward", "logprob"),
    "vine": (*REWARDS, "prefix", "branch", "seed", "task", "state", "next_state", "value"),
    "potential_shaping": (*REWARDS, "potential", "next_potential"),
    "gae": (*REWARDS, "value", "bootstrap_value", *ENDS),
    # step groups
    "gigpo": (*REWARDS, "anchor", "state", "valid", "observation"),
    "hgpo": (*REWARDS, "anchor"),
    "proxmo": (*REWARDS, "observation", "success"),
    "slate": ("turn_reward", "prefix", "state"),
    "tstar": (*REWARDS, "next_state"),
    # state graphs
    "state_graph": NODES,
    "gagpo": NODES,
    "g2po": (*NODES, "valid"),
    "graphgpo": NODES,
    "bipace": NODES,
    # hindsight
    "hca": (*REWARDS, "logprob", "hindsight_logprob", "tokens", "hindsight_table"),
    "hcapo": (*REWARDS, "hindsight_logprob", "logprob", "success"),
    "ricl": ("menu", "menu_logprobs", "menu_hindsight_logprobs", "action"),
    "ibpo": (*REWARDS, "success", "revision_ok", "revision", "token_ids", "revision_token_ids"),
    # hierarchy
    "hae": (*REWARDS, "switch", "subgoal", "value_low", "value_high", "value_term", *ENDS),
    "apex_plan": ("kind", "plan", "gold_plan", "plan_similarity"),
    # constraints, rubrics, teachers
    "traces": (*REWARDS, "log_safe", "safe", "cost"),
    "rtt": ("rubric_scores", "rubric_relevance", "token_mask"),
    "scope": ("success", "token_logprobs", "teacher_logprobs"),
}  # fmt: skip
FUNCTIONS = {"calibrate": ("tag", "success", "step_score", "end_reason")}
RESERVED = ("entropy", "milestone", "ref_logprob", "masked_logprob")


def batch_of(*columns):
    return TurnBatch({name: VALUES[name] for name in dict.fromkeys(("group", "trajectory", "turn", *columns))})


def same_after_files(batch, tmp_path):
    """The batch read back from each format that can be written here."""
    again = []
    for form in ("jsonl", "npz", "parquet"):
        if form == "parquet":
            pytest.importorskip("pyarrow", reason="Parquet is an extra")
        getattr(batch, f"to_{form}")(tmp_path / form)
        again.append(getattr(TurnBatch, f"from_{form}")(tmp_path / form))
    return again


@pytest.mark.parametrize("name", [*NEEDS, *FUNCTIONS])
def test_the_inputs_of_every_estimator_come_back(name, tmp_path):
    columns = {**NEEDS, **FUNCTIONS}[name]
    batch = batch_of(*columns)
    for again in same_after_files(batch, tmp_path):
        assert again == batch
        assert again.to_rows() == batch.to_rows()
        for column in ("group", "trajectory", "turn", *columns):
            assert again.need(column, who=name).tolist() == batch[column].tolist()


@pytest.mark.parametrize("name", [name for name in credit.names() if name in NEEDS])
def test_an_estimator_at_hand_finds_its_columns_and_says_the_same_after_files(name, tmp_path):
    assert set(credit.info(name).needs) <= {"group", "trajectory", "turn", *NEEDS[name]}
    batch = batch_of(*NEEDS[name])
    before = credit.estimate(name, batch).total
    for again in same_after_files(batch, tmp_path):
        assert credit.estimate(name, again).total.tobytes() == before.tobytes()


def test_all_columns_at_once(tmp_path):
    batch = batch_of(*VALUES)
    assert batch.columns == tuple(COLUMNS)
    for again in same_after_files(batch, tmp_path):
        assert again == batch


def test_every_column_of_the_schema_has_a_reader():
    read = {column for columns in [*NEEDS.values(), *FUNCTIONS.values(), RESERVED] for column in columns}
    assert read | {"group", "trajectory", "turn"} == set(COLUMNS)


def test_the_list_is_the_published_one():
    reference = os.environ.get("AGENTGYM_REFERENCE")
    if reference is None:
        pytest.skip("AGENTGYM_REFERENCE is unset: the list of estimators is not at hand")
    text = (Path(reference) / "ESTIMATORS.md").read_text("utf-8")
    body = text[text.index("\n## 2.") : text.index("\n## 8.")]
    ids = set(re.findall(r"^(?:\| |\*\*)`(\w+)`", body, re.MULTILINE)) | set(re.findall(r"\*\*`(\w+)`\*\*", body))
    ids |= set(re.findall(r"no groups\. `(\w+)`", body))
    assert set(NEEDS) == ids
