"""Chat logs of other programs as a TurnBatch."""

import json

import pytest

from agentgym.batch import BatchError, TurnBatch

CALL = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": '{"key": "señor"}'}}
TALK = [
    {"role": "system", "content": "You are a clerk."},
    {"role": "user", "content": [{"type": "text", "text": "Where is "}, {"type": "text", "text": "my order?"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "on its way"},
    {"role": "assistant", "content": "It is on its way."},
    {"role": "user", "content": "Thanks."},
]
SHORT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Bye"}]


def test_one_turn_an_assistant_message():
    batch = TurnBatch.from_messages([TALK, SHORT], meta={"source": "clerk"})
    assert batch.to_rows() == [
        {
            "group": 0, "trajectory": 0, "turn": 0, "tool_result": True,
            "observation": "You are a clerk.\n\nWhere is my order?",
            "action": '<tool_call>{"name": "get", "arguments": {"key": "señor"}}</tool_call>',
        },
        {
            "group": 0, "trajectory": 0, "turn": 1, "tool_result": False,
            "observation": "on its way", "action": "It is on its way.",
        },
        {"group": 0, "trajectory": 1, "turn": 0, "tool_result": False, "observation": "Hi", "action": "Bye"},
    ]  # fmt: skip
    assert batch.meta == {"source": "clerk"}


def test_ids_and_outcomes_are_taken_where_they_are_given():
    logs = [
        {"messages": TALK, "group": "g", "trajectory": "x", "task": "t7", "outcome": 1.0, "success": True},
        {"messages": SHORT, "group": "g", "trajectory": "y", "task": "t7", "outcome": 0.25, "success": False},
    ]
    batch = TurnBatch.from_messages(logs)
    assert batch.outcome_reward.tolist() == [0.0, 1.0, 0.25]
    assert batch.success.tolist() == [True, True, False]
    assert batch.task.tolist() == ["t7"] * 3
    assert batch.trajectory.tolist() == ["x", "x", "y"]


def test_text_and_several_calls_stand_one_a_line_and_broken_arguments_stay_as_they_are():
    calls = [CALL, {"function": {"name": "put", "arguments": "{oops"}}, {"function": {"name": "end"}}]
    said = [{"role": "assistant", "content": "Let me look.", "tool_calls": calls}]
    assert TurnBatch.from_messages([said]).action[0].split("\n") == [
        "Let me look.",
        '<tool_call>{"name": "get", "arguments": {"key": "señor"}}</tool_call>',
        '<tool_call>{"name": "put", "arguments": "{oops"}</tool_call>',
        '<tool_call>{"name": "end", "arguments": {}}</tool_call>',
    ]


def test_the_older_spelling_of_calls_and_results():
    said = [
        {"role": "assistant", "content": "", "function_call": {"name": "get", "arguments": "{}"}},
        {"role": "function", "name": "get", "content": "7"},
        {"role": "assistant", "content": "7"},
    ]
    batch = TurnBatch.from_messages([said])
    assert batch.action.tolist() == ['<tool_call>{"name": "get", "arguments": {}}</tool_call>', "7"]
    assert batch.tool_result.tolist() == [True, False]
    assert batch.observation.tolist() == ["", "7"]


def test_a_tool_result_after_the_last_message_counts_and_one_before_the_first_does_not():
    late = [*SHORT, {"role": "tool", "content": "done"}]
    early = [{"role": "tool", "content": "ready"}, *SHORT]
    assert TurnBatch.from_messages([late, early]).tool_result.tolist() == [True, False]


def test_no_rollouts_no_rows():
    assert len(TurnBatch.from_messages([])) == 0


REFUSED = [
    ([SHORT, SHORT[:1]], "rollout 1 has no assistant message"),
    ([{"messages": SHORT, "outcom": 1.0}], "rollout 0: unknown entry 'outcom'; did you mean 'outcome'"),
    ([{"group": 1}], "rollout 0 has no list of messages"),
    (["hello"], "rollout 0 has no list of messages"),
    ([SHORT, {"messages": SHORT, "outcome": 1.0}], "rollout 1 and rollout 0 differ in outcome"),
    ([[{"role": "bot", "content": ""}]], "rollout 0, message 0: unknown role 'bot'"),
    ([["hello"]], "rollout 0, message 0: unknown role 'None'"),
    ([[{"role": "assistant", "content": 7}]], "rollout 0, message 0: content must be a text"),
    ([[{"role": "assistant", "content": [7]}]], "message 0: content must be a text"),
    ([[{"role": "assistant", "tool_calls": [{"function": {}}]}]], r"message 0: a tool call needs function\.name"),
    ([{"messages": SHORT, "outcome": None}], "column 'outcome_reward' takes a finite float, got None"),
    ([{"messages": SHORT, "trajectory": 0}, {"messages": SHORT, "trajectory": 0}], "this turn is also in row 0"),
]


@pytest.mark.parametrize(("logs", "message"), REFUSED)
def test_what_cannot_be_read_is_named(logs, message):
    with pytest.raises(BatchError, match=message):
        TurnBatch.from_messages(logs)


def test_it_survives_json_lines(tmp_path):
    batch = TurnBatch.from_messages(json.loads(json.dumps([TALK, SHORT])))
    batch.to_jsonl(tmp_path / "b")
    assert TurnBatch.from_jsonl(tmp_path / "b") == batch
