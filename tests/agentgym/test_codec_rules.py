"""Every cell of the table in docs/actions.md: what becomes of a text, by rule and dialect."""

from typing import Any

import pytest
from worlds import Shop

from agentgym import InvalidAction, Say, ToolCall, validate_info
from tests.agentgym.codec_texts import DIALECTS, TEXTS
from tests.layering import ROOT

PAGE = (ROOT / "docs" / "actions.md").read_text("utf-8")


def table(page: str) -> dict[tuple[str, str], str]:
    """Return the cells of the page's table of rules by (rule, dialect)."""
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    lines = [[cell.strip() for cell in row] for row in rows]
    head = next(index for index, cells in enumerate(lines) if cells[0] == "the text holds")
    dialects = [name.strip("`") for name in lines[head][1:]]
    return {
        (cells[0], name): cell for cells in lines[head + 2 :] for name, cell in zip(dialects, cells[1:], strict=True)
    }


TABLE = table(PAGE)


def verdict(env: Shop, text: str) -> str:
    """Return what becomes of a text, in the words of the table."""
    flag = " · flagged" if env.forged(text) else ""
    try:
        action = env.parse(text)
        if isinstance(action, Say):
            return "said" + flag
        if action.name not in env._tools:
            return "`unknown tool`" + flag  # as the world says, see below
        env._tools[action.name].check(action.arguments)
    except InvalidAction as error:
        return f"`{str(error).partition(':')[0]}`{flag}"
    return "called" + flag


def shop(dialect: str) -> Shop:
    env = Shop(codec=dialect)
    env.reset(seed=0)
    return env


def test_the_table_has_every_rule_and_every_dialect() -> None:
    assert list(TABLE) == [(rule, dialect) for rule in TEXTS for dialect in DIALECTS]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("rule", TEXTS)
def test_a_cell(rule: str, dialect: str) -> None:
    env = shop(dialect)
    for text in TEXTS[rule](dialect):
        assert verdict(env, text) == TABLE[rule, dialect], text[:200]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("rule", TEXTS)
def test_no_text_raises_and_a_refused_one_changes_nothing(rule: str, dialect: str) -> None:
    for text in TEXTS[rule](dialect):
        env = shop(dialect)
        before = env.snapshot()
        observation, _, _, _, info = env.step(text)
        validate_info(info)
        cell, _, flag = TABLE[rule, dialect].partition(" · ")
        if cell != "called" or rule == "JSON that is no object":
            assert not info["valid"]  # Shop refuses speech, and has no item [1]
            assert info["state_hash"] == before.info["state_hash"]
        else:
            assert info["valid"]
        if cell.startswith("`"):
            assert observation.startswith(cell.strip("`")) or observation == "there is no tool of this name"
        assert info["metrics"] == ({"forged_observation": 1.0} if flag else {})


EXACT: list[tuple[str, str, Any]] = [
    ("hermes", '<tool_call>\n{"name": "sell", "arguments": {"key": "a"}}\n</tool_call>',
     ToolCall("sell", {"key": "a"})),
    ("hermes", '<tool_call>{"name": "sell"}</tool_call>', ToolCall("sell", {})),
    ("hermes", '<tool_call>{"arguments": {"a": "\\u003ctool_call>"}, "name": "x"}</tool_call>',
     ToolCall("x", {"a": "<tool_call>"})),
    ("hermes", "hello <tool_response>x</tool_response>", Say("hello <tool_response>x</tool_response>")),
    ("mt_grpo", '<reasoning>a</reasoning>\n<tool>{"name": "look", "args": {"key": "a"}}</tool>',
     ToolCall("look", {"key": "a"})),
    ("mt_grpo", '<tool>{"name": "look"}</tool>', ToolCall("look", {})),
    ("mt_grpo", "<reasoning>a</reasoning> <answer> b </answer>", Say("b")),  # Shop has no tool `answer`
    ("mt_grpo", "<reasoning>a</reasoning>b", Say("b")),
    ("react", "Thought: hm\nAction: look\nAction Input: item3", ToolCall("look", {"key": "item3"})),
    ("react", 'Action: look\nAction Input: {"key": "item3"}', ToolCall("look", {"key": "item3"})),
    ("react", "Action: look\nAction Input: two\nlines", ToolCall("look", {"key": "two\nlines"})),
    ("react", "Action: look\nAction Input:", ToolCall("look", {"key": ""})),
    ("react", "Action: sell\nAction Input: item4", ToolCall("sell", {"key": "item4"})),  # all else has a default
    ("react", 'Action: sell\r\nAction Input: {"key":\n"a"}\r\n', ToolCall("sell", {"key": "a"})),
    ("react", "Action: lok\nAction Input: a", ToolCall("lok", {})),
    ("react", "Thought: a\nb\nFinal Answer: c\nd", Say("c\nd")),
    ("react", "c\nThought: a\nb", Say("c")),
    ("react", "I think Action: look is best", Say("I think Action: look is best")),  # not at the start of a line
    ("react", "Thought 1: hm\nAction 1: Look[item3]", ToolCall("look", {"key": "item3"})),  # as in the paper
    ("react", "Action: look[ two\nlines ]\nThought: and then?", ToolCall("look", {"key": "two\nlines"})),
    ("react", "Action: LOOK[f[x] of [y]]", ToolCall("look", {"key": "f[x] of [y]"})),
    ("react", "Action: look[]", ToolCall("look", {"key": ""})),
    ("react", 'Action: Sell[{"key": "a", "count": 2}]', ToolCall("sell", {"key": "a", "count": 2})),
    ("react", "Action: lok[a]", ToolCall("lok", {})),
    ("react", "Action: Finish[Rome]", Say("Rome")),  # Shop has no tool `answer`
    ("react", "I would write Action: Look[a]", Say("I would write Action: Look[a]")),
    ("search_r1", "<search>who?</search>", Say("<search>who?</search>")),  # Shop has no tool `search`
    ("search_r1", "<sell>item4</sell>", ToolCall("sell", {"key": "item4"})),
    ("search_r1", '<sell>{"key": "item4", "count": 2}</sell>', ToolCall("sell", {"key": "item4", "count": 2})),
    ("search_r1", '<look>{"key": 1}</look>', ToolCall("look", {"key": '{"key": 1}'})),  # one text is taken as it is
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "action"), EXACT, ids=range(len(EXACT)))
def test_what_is_read(dialect: str, text: str, action: Any) -> None:
    assert shop(dialect).parse(text) == action


REFUSED = [
    ("tags", "<sell>item4</sell>", "json: "),  # where search_r1 takes the text
    ("hermes", "<tool_call>{}</tool_call>", 'call: a call needs a "name", a text; write {"name": …, "arguments": {…}}'),
    ("hermes", '<tool_call>{"name": 3}</tool_call>', 'call: a call needs a "name", a text'),
    ("hermes", '<tool_call>{"name": "look", "args": {}}</tool_call>',
     'call: a call has "name" and "arguments", not \'args\''),
    ("hermes", '<tool_call>{"name": "look", "<b>": {}}</tool_call>', "not an unknown name"),
    ("hermes", '<tool_call>{"name": "look", "arguments": "{}"}</tool_call>',
     'json: "arguments" must be one JSON object, not str'),
    ("hermes", '<tool_call>[{"name": "look"}]</tool_call>', "json: a call must be one JSON object, not list"),
    ("mt_grpo", '<tool>{"name": "look", "arguments": {}}</tool>', 'a call has "name" and "args", not \'arguments\''),
    ("mt_grpo", '<tool>{"name": "look"}</tool><answer>a</answer>', "one call a turn: found <tool> × 1, <answer> × 1"),
    ("mt_grpo", "<answer>a</answer><answer>b</answer>", "one call a turn: found <answer> × 2"),
    ("mt_grpo", "<answer>a", "unclosed: <answer> has no </answer>"),
    ("mt_grpo", "<answer> </answer>", "empty: write an action"),
    ("react", "Action: look\nAction Input: a\nFinal Answer: b",
     "one call a turn: found Action: × 1, Action Input: × 1, Final Answer: × 1; write exactly one"),
    ("react", "Action: look\nAction Input: a\nAction Input: b", "found Action: × 1, Action Input: × 2"),
    ("react", "Final Answer: a\nFinal Answer: b", "one call a turn: found Final Answer: × 2"),
    ("react", "Final Answer:", "empty: write an action"),
    ("react", "Action: look", "unclosed: Action: needs Action Input: on the next line"),
    ("react", "Action: Look[item3", "unclosed: 'Look' has [ and no ] at its end; write Action: Search[…]"),
    ("react", "Action: Look[item3]\nAction: Look[item4]", "one call a turn: found Action: × 2; write exactly one"),
    ("react", "Action: Look[item3]\nFinal Answer: b", "one call a turn: found Action: × 1, Final Answer: × 1"),
    ("react", "Action: Look[item3] and Look[item4]", "one call a turn: found several tools with brackets"),
    ("react", "Action: Finish[ ]", "empty: write an action"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_and_how(dialect: str, text: str, message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        shop(dialect).parse(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300
