import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.score import added, mt_grpo_rewards
from tests.agentgym import credit_oracles as oracles

CALL = {"role": "assistant", "content": "<reasoning>look</reasoning>\n<tool>{}</tool>"}
FOUND = {"role": "user", "content": "<result>\nThe Seine flows through PARIS.\n</result>"}
ERROR = {"role": "user", "content": "<result>\nError: no such tool\n</result>"}
ANSWER = {"role": "assistant", "content": "<reasoning>read</reasoning>\n<answer> Paris </answer>"}


def test_a_perfect_dialogue_earns_everything():
    got = mt_grpo_rewards([CALL, FOUND, ANSWER], ["paris"])
    wanted = {"tool_execution": 0.2, "answer_in_result": 0.5, "answer_present": 0.5, "exact_match": 1.0}
    # format: (0.4·2/2 + 0.2 + 0.2 + 0.2)·0.2 = 0.2; xml: every tag once: 0.2.
    wanted |= {"format": 0.2, "xml": 0.2, "turn": 0.7, "outcome": 1.9}
    assert got == pytest.approx(wanted)


def test_calls_that_fail_or_are_not_answered_count_as_attempts():
    # One of three succeeds; the last has no reply.
    got = mt_grpo_rewards([CALL, ERROR, CALL, FOUND, CALL], [])
    assert got["tool_execution"] == pytest.approx(0.2 / 3)
    # A reply that is the agent's own, or stands outside a result, is none.
    assert mt_grpo_rewards([CALL, {**FOUND, "role": "assistant"}], [])["tool_execution"] == 0.0
    assert mt_grpo_rewards([CALL, {"role": "user", "content": "Paris"}], [])["tool_execution"] == 0.0


def test_only_the_first_result_counts():
    assert mt_grpo_rewards([CALL, ERROR, CALL, FOUND], ["paris"])["answer_in_result"] == 0.0


def test_an_answer_may_contain_an_alias_or_equal_one():
    loose = {"role": "assistant", "content": "<answer>the city of Paris</answer>"}
    got = mt_grpo_rewards([loose], ["Paris", "Lutetia"])
    assert (got["answer_present"], got["exact_match"]) == (0.5, 0.0)
    assert mt_grpo_rewards([loose], ["", "  "])["answer_present"] == 0.0
    assert mt_grpo_rewards([loose, ANSWER], ["paris"])["exact_match"] == 1.0  # the last one is the answer


def test_format_by_hand():
    # "hi": 0.2 for being there. "<tool>x</tool>": one of two field sets 0.2, + 0.2, ends well 0.2: 0.6. Mean 0.4.
    said = [{"role": "assistant", "content": text} for text in ("hi", " <tool>x</tool>\n")]
    assert mt_grpo_rewards(said, [])["format"] == pytest.approx(0.2 * 0.4)


def test_xml_by_hand():
    # <tool> three times, </tool> once: (1 - 2 + 1)/2 = 0. <answer> five times, never closed: (1 - 4 + 0)/2 = -1.5 < 0.
    # <reasoning> once each way and <answer> open twice: (1 + 1 + 0 + 0)/4 = 0.5.
    for text, xml in (
        ("<tool><tool><tool></tool>", 0.0),
        ("<answer>" * 5, 0.0),
        ("<reasoning></reasoning><answer><answer>", 0.1),
    ):
        assert mt_grpo_rewards([{"role": "assistant", "content": text}], [])["xml"] == pytest.approx(xml)


def test_nothing_said_earns_nothing():
    nothing = dict.fromkeys(mt_grpo_rewards([CALL], []), 0.0)
    assert mt_grpo_rewards([], ["paris"]) == nothing
    assert mt_grpo_rewards([{"role": "system"}, {"role": "user", "content": None}], ["paris"]) == nothing


PIECES = st.sampled_from(
    ["<tool>", "</tool>", "<answer>", "</answer>", "<result>", "</result>", "<reasoning>", "Error", " a", "\ud800"]
)


@given(st.lists(st.tuples(st.sampled_from(["assistant", "user", "tool"]), st.lists(PIECES).map("".join)), max_size=6))
def test_whatever_is_said_stays_in_the_published_ranges(dialogue):
    got = mt_grpo_rewards([{"role": role, "content": text} for role, text in dialogue], ["a"])
    assert 0.0 <= got["turn"] <= 0.7 + 1e-12
    assert 0.0 <= got["outcome"] <= 1.9 + 1e-12


def test_a_million_openers_are_read_once():
    text = "<tool>" * 200_000
    got = mt_grpo_rewards([{"role": "assistant", "content": text}, {"role": "user", "content": text}], ["x"])
    assert got["tool_execution"] == 0.0


@pytest.mark.skipif(
    oracles.REFERENCE is None, reason="AGENTGYM_REFERENCE is unset: the cases are not in the repository"
)
def test_reference_case():
    [case] = [case for case in oracles.read("estimators-a")["cases"] if case["formula_id"] == "mt_grpo.rewards"]
    assert len(case["expected"]) == 5
    for name, wanted in case["expected"].items():
        got = mt_grpo_rewards(case["inputs"][name], case["params"]["gold"])
        assert got == pytest.approx(wanted, abs=1e-6), name


def test_numbers_are_added_from_left_to_right_under_every_python() -> None:
    """Ten tenths, one after the other, are 1 − 2⁻⁵³: `sum` gives that up to Python 3.11, and 1 from 3.12 on."""
    assert added([0.1] * 10) == 1 - 2**-53
    assert added([]) == 0 and added(iter([1, 2])) == 3
    assert type(added([1, 2])) is int
