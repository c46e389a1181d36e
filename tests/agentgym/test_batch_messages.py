"""Chat logs of other programs as a TurnBatch."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import MissingColumn, credit
from agentgym.batch import BatchError, TurnBatch
from agentgym.batch.chat import ROLES, SPEAKERS

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
        {"group": 1, "trajectory": 1, "turn": 0, "tool_result": False, "observation": "Hi", "action": "Bye"},
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


def test_arguments_that_json_cannot_spell_stay_as_the_model_wrote_them():
    for written in ('{"x": NaN}', '{"x": 1e400}', '{"x": '):
        call = {"function": {"name": "f", "arguments": written}}
        action = TurnBatch.from_messages([[{"role": "assistant", "tool_calls": [call]}]]).action[0]
        inner = action.removeprefix("<tool_call>").removesuffix("</tool_call>")
        assert json.loads(inner, parse_constant=pytest.fail) == {"name": "f", "arguments": written}


def test_a_refusal_is_what_the_assistant_said():
    for message in ({"content": None, "refusal": "No."}, {"content": [{"type": "refusal", "refusal": "No."}]}):
        assert TurnBatch.from_messages([[{"role": "assistant", **message}]]).action.tolist() == ["No."]


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


def test_a_tool_result_after_the_last_message_counts():
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [CALL]}]
    late = [*said, {"role": "tool", "tool_call_id": "c1", "content": "done"}]
    assert TurnBatch.from_messages([said, late]).tool_result.tolist() == [False, True]


def test_a_call_that_is_written_into_the_text_may_be_answered():
    said = [
        {"role": "assistant", "content": 'I look. <tool_call>{"name": "get"}</tool_call>'},
        {"role": "tool", "content": "7"},
        {"role": "assistant", "content": "7"},
    ]
    batch = TurnBatch.from_messages([said])
    assert batch.tool_result.tolist() == [True, False]
    assert batch.observation.tolist() == ["", "7"]


def test_a_result_may_come_turns_after_its_call():
    said = [
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "user", "content": "Well?"},
        {"role": "assistant", "content": "It takes time."},
        {"role": "tool", "tool_call_id": "c1", "content": "on its way"},
    ]
    assert TurnBatch.from_messages([said]).tool_result.tolist() == [False, True]


def test_rewards_are_one_number_an_assistant_message():
    logs = [{"messages": TALK, "rewards": [0.5, 0]}, {"messages": SHORT, "rewards": np.array([-1.0])}]
    batch = TurnBatch.from_messages(logs)
    assert batch.turn_reward.tolist() == [0.5, 0.0, -1.0]
    assert "outcome_reward" not in batch


def test_content_parts_hold_calls_and_their_results():
    said = [
        {"role": "user", "content": [{"type": "text", "text": "Where is my order?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "u1", "name": "get", "input": {"key": 3}},
                {"type": "tool_use", "id": "u2", "name": "now", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "u1", "content": [{"type": "text", "text": "on its way"}]},
                {"type": "tool_result", "tool_use_id": "u2", "content": "noon"},
                {"type": "text", "text": "Well?"},
            ],
        },
        {"role": "assistant", "content": "It is on its way."},
    ]
    batch = TurnBatch.from_messages([said])
    calls = (
        '<tool_call>{"name": "get", "arguments": {"key": 3}}</tool_call>\n<tool_call>{"name": "now", "arguments": {}}'
    )
    assert batch.action[0] == f"I look.\n{calls}</tool_call>"
    assert batch.tool_result.tolist() == [True, False]
    assert batch.observation.tolist() == ["Where is my order?", "on its way\n\nnoon\n\nWell?"]


def test_conversations_of_from_and_value():
    said = [
        {"from": "system", "value": "You are a clerk."},
        {"from": "human", "value": "Where is my order?"},
        {"from": "function_call", "value": '{"name": "get", "arguments": {}}'},
        {"from": "observation", "value": "on its way"},
        {"from": "gpt", "value": "It is on its way."},
    ]
    batch = TurnBatch.from_messages([{"conversations": said, "outcome": 1.0}])
    assert batch.action.tolist() == [
        '<tool_call>{"name": "get", "arguments": {}}</tool_call>',
        "It is on its way.",
    ]
    assert batch.tool_result.tolist() == [True, False]
    assert batch.observation.tolist() == ["You are a clerk.\n\nWhere is my order?", "on its way"]
    assert batch.outcome_reward.tolist() == [0.0, 1.0]


def test_equal_openings_form_a_group_where_nothing_else_is_known():
    later = [*SHORT, {"role": "user", "content": "Where is it?"}, {"role": "assistant", "content": "Here."}]
    parts = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"role": "assistant", "content": "Ho"}]
    batch = TurnBatch.from_messages([SHORT, TALK, later, parts])
    # SHORT, later and parts open with "Hi", whatever follows; TALK does not.
    assert batch.group.tolist() == [0, 1, 1, 0, 0, 0]
    assert batch.num_groups == 2


def test_equal_tasks_form_a_group_where_none_is_given():
    logs = [{"messages": SHORT, "task": 7}, {"messages": TALK, "task": 7}, {"messages": SHORT, "task": "other"}]
    assert TurnBatch.from_messages(logs).group.tolist() == [7, 7, 7, "other"]
    named = [{**log, "group": "g"} for log in logs]
    assert TurnBatch.from_messages(named).group.tolist() == ["g"] * 4


def test_outcomes_alone_are_enough_for_most_estimators():
    logs = [{"messages": SHORT, "outcome": outcome} for outcome in (1.0, 0.0)]
    batch = TurnBatch.from_messages(logs)
    # Mean 0.5, deviation 0.5 + 1e-6.
    assert credit.estimate("grpo", batch, rewards="outcome").total.tolist() == pytest.approx([0.999998, -0.999998])
    with pytest.raises(MissingColumn, match=r"\('rewards' in chat logs\).* estimate with rewards=\"outcome\""):
        credit.estimate("grpo", batch)
    able = [name for name in credit.names() if "rewards" in credit.info(name).options]
    assert all("turn_reward" not in credit.info(name).needs_with(rewards="outcome") for name in able)
    with pytest.raises(MissingColumn, match=r"in every row \('outcome' in chat logs\)"):
        credit.estimate("grpo", TurnBatch.from_messages([SHORT]), rewards="outcome")


def test_thoughts_are_left_out():
    for kind in ("thinking", "redacted_thinking", "reasoning"):
        parts = [{"type": kind, kind: "hm", "text": "hm"}, {"type": "text", "text": "Bye"}]
        assert TurnBatch.from_messages([[{"role": "assistant", "content": parts}]]).action.tolist() == ["Bye"]


SILENT = SHORT[1:]
IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}
REFUSED = [
    ([], "there are no rollouts: give a list with at least one"),
    (iter([]), "there are no rollouts"),
    (
        [SHORT, SILENT, SILENT],
        "rollouts 1 and 2 begin with the assistant, so .* give every rollout its 'task' or 'group'",
    ),
    ([{"messages": SHORT, "task": [7]}], "'task'"),
    (
        [[{"role": "user", "content": [{"type": "text", "text": "Look"}, IMAGE]}, SHORT[1]]],
        "rollout 0, message 0: a part of the type 'image_url' holds no text, .*: put a text in its place, such as",
    ),
    (
        [[*TALK[:3], {"role": "tool", "tool_call_id": "c1", "content": [IMAGE]}]],
        "rollout 0, message 3: a part of the type 'image_url' holds no text",
    ),
    ([SHORT, SHORT[:1]], "rollout 1 has no assistant message"),
    ([{"messages": SHORT, "outcom": 1.0}], "rollout 0: unknown entry 'outcom'; did you mean 'outcome'"),
    ([{"group": 1}], "rollout 0 has no list of messages"),
    (["hello"], "rollout 0 has no list of messages"),
    ([SHORT, {"messages": SHORT, "outcome": 1.0}], "rollout 1 and rollout 0 differ in outcome"),
    ([[{"role": "bot", "content": ""}]], "rollout 0, message 0: unknown role 'bot'"),
    ([["hello"]], "rollout 0, message 0: a message is a dict with role and content, not 'hello'"),
    ([[{"content": "Hi"}]], "rollout 0, message 0: unknown role 'None'"),
    ([[{"role": "gpt", "content": ""}]], "message 0: unknown role 'gpt'.*; write 'assistant' for it"),
    ([[{"from": "narrator", "value": ""}]], "message 0: unknown speaker 'narrator'"),
    ([[{"from": "gpt", "value": None}]], "message 0: value must be a text"),
    ([{"messages": SHORT, "reward": 1.0}], "unknown entry 'reward'; did you mean 'rewards'.*; rename it or leave it"),
    (
        [[*SHORT, {"role": "tool", "content": "7"}]],
        "rollout 0, message 2: a tool result without a call: .* user message",
    ),
    ([[{"role": "tool", "content": "7"}, *SHORT]], "rollout 0, message 0: a tool result without a call"),
    (
        [SHORT, [*TALK[:3], {"role": "tool", "tool_call_id": "c2"}]],
        "rollout 1, message 3: a tool result of an unknown call 'c2'; did you mean 'c1'.*give a call this id",
    ),
    ([[*SHORT, {"role": "tool", "tool_call_id": "c1"}]], "unknown call 'c1'; known: none"),
    (
        [[{"role": "user", "content": [{"type": "tool_result", "content": "7"}]}, *SHORT]],
        "message 0: a tool result wit",
    ),
    (
        [{"messages": SHORT, "rewards": [1.0]}, {"messages": TALK, "rewards": [1.0]}],
        "rollout 1 has 1 rewards and 2 assistant messages: give one a message, 0.0 where",
    ),
    ([{"messages": SHORT, "rewards": 1.0}], "rollout 0: rewards must be a list with one number"),
    ([{"messages": SHORT, "rewards": ["x"]}], r"row 0 .*'turn_reward' takes a finite float, got 'x'"),
    ([[{"role": "assistant", "content": [{"type": "tool_use", "name": "get", "input": {1, 2}}]}]], "are no JSON"),
    ([[{"role": "assistant", "content": 7}]], "rollout 0, message 0: content must be a text"),
    ([[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"x": math.nan}}}]}]], "no JSON"),
    ([[{"role": "assistant", "content": None}]], 'message 0: neither content nor a call: write "" where nothing'),
    ([[{"role": "user", "contnet": "Hi"}, *SHORT]], "message 0: neither content nor a call"),
    ([[{"role": "user", "value": "Hi"}, *SHORT]], "message 0: neither content nor a call"),
    (
        [[{"role": "user", "content": "", "tool_calls": [CALL]}]],
        "tool_calls in a message of the role 'user': it belongs",
    ),
    ([[{"role": "assistant", "content": "", "tool_call_id": "c1"}]], "tool_call_id in .* to the role 'tool'"),
    (
        [[{"role": "user", "content": [{"type": "tool_use", "name": "f"}]}]],
        "a part of the type 'tool_use' in .* 'user'",
    ),
    ([[{"role": "assistant", "content": [{"type": "server_tool_use", "name": "f"}]}]], "the type 'server_tool_use'"),
    (
        [[{"role": "assistant", "content": [{"type": "tool_result", "content": "7"}]}]],
        "'tool_result' in .* 'assistant'",
    ),
    ([[{"role": "user", "content": [{"type": "text"}]}]], "message 0: content must be a text"),
    (None, "rollouts must be a list with one entry a rollout, not NoneType"),
    ({"messages": SHORT}, "rollouts must be a list with one entry a rollout, not dict"),
    (SHORT, "rollout 0 is a single message: give a list of rollouts, each a list of messages"),
    ([[{"role": "assistant", "content": [7]}]], "message 0: content must be a text"),
    ([[{"role": "assistant", "tool_calls": [{"function": {}}]}]], r"message 0: a tool call needs function\.name"),
    ([{"messages": SHORT, "outcome": None}], "column 'outcome_reward' takes a finite float, got None"),
    ([{"messages": SHORT, "trajectory": 0}, {"messages": SHORT, "trajectory": 0}], "this turn is also in row 0"),
]


@pytest.mark.parametrize(("logs", "message"), REFUSED)
def test_what_cannot_be_read_is_named(logs, message):
    with pytest.raises(BatchError, match=f"(?s){message}"):
        TurnBatch.from_messages(logs)


def test_it_survives_json_lines(tmp_path):
    batch = TurnBatch.from_messages(json.loads(json.dumps([TALK, SHORT])))
    batch.to_jsonl(tmp_path / "b")
    assert TurnBatch.from_jsonl(tmp_path / "b") == batch


def test_recorded_conversations_of_another_benchmark():
    reference = os.environ.get("AGENTGYM_REFERENCE")
    if not reference:
        pytest.skip("AGENTGYM_REFERENCE is unset: the recorded conversations are not at hand")
    path = Path(reference, "data/tau-bench/trajectories/gpt-4o-airline-first20.json")
    runs = json.loads(path.read_text("utf-8"))
    with pytest.raises(BatchError, match="rollout 0: unknown entry 'task_id'; did you mean 'task'"):
        TurnBatch.from_messages(runs)
    logs = [{"messages": run["traj"], "task": run["task_id"], "outcome": run["reward"]} for run in runs]
    batch = TurnBatch.from_messages(logs)
    # As counted in the file: 311 assistant messages, 182 of them with a call and its answer.
    assert (len(batch), batch.num_rollouts, int(batch.tool_result.sum())) == (311, 20, 182)
    assert sum("<tool_call>" in action for action in batch.action) == 182
    assert batch.outcome_reward.sum() == sum(run["reward"] for run in runs)
    calls = [message["tool_calls"][0] for run in runs for message in run["traj"] if message.get("tool_calls")]
    first = next(action for action in batch.action if "<tool_call>" in action)
    assert json.loads(first.split("<tool_call>")[1].split("</")[0]) == {
        "name": calls[0]["function"]["name"],
        "arguments": json.loads(calls[0]["function"]["arguments"]),
    }
    broken = [*logs[:3], {**logs[3], "messages": [m for m in logs[3]["messages"] if m["role"] != "assistant"]}]
    with pytest.raises(BatchError, match="rollout 3"):
        TurnBatch.from_messages(broken)


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["", "c1", "user", "assistant", "tool", "text", "gpt"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "tool_calls",
                    "tool_call_id",
                    "from",
                    "value",
                    "type",
                    "text",
                    "id",
                    "function",
                    "name",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.lists(JUNK | st.fixed_dictionaries({"role": st.sampled_from(ROLES), "content": JUNK, "tool_calls": JUNK})))
def test_whatever_stands_in_a_log_is_read_or_refused_by_name(messages):
    try:
        batch = TurnBatch.from_messages([messages])
    except BatchError:
        return
    roles = [message.get("role", SPEAKERS.get(message.get("from"))) for message in messages]
    assert len(batch) == roles.count("assistant")
