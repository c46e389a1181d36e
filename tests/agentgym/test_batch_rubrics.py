"""Rubrics of rollouts, from what a world says of them turn by turn."""

from dataclasses import dataclass, replace

import pytest

from agentgym import AgentEnv, Opening, Outcome, Task, Turn, collect, credit
from agentgym.batch.rubrics import about, final_scores, names_of
from agentgym.rollout import Reply

SAID = [{"asks": 0.5}, {}, {"asks": 1.0, "kind": 0.0}]


@dataclass(frozen=True)
class Heard:
    asked: int = 0
    turns: int = 0


class Interview(AgentEnv[Heard]):
    """Three turns; questions are scored by their share, kindness only where somebody says please."""

    panel = (Task("t", {}),)
    max_turns = 3

    def initial(self, task, rng):
        return Opening(Heard(), "Go on.")

    def transition(self, state, action, rng):
        asks = action.text.endswith("?")
        after = replace(state, asked=state.asked + asks, turns=state.turns + 1)
        rubrics = {"asks": after.asked / 3} if asks else {}
        if "please" in action.text:
            rubrics["kind"] = 1.0
        end = Outcome(True, 1.0) if after.turns == 3 else None
        return Turn(after, "Hm.", rubrics=rubrics, outcome=end)


class Script:
    signals = ()
    markov = False

    def __init__(self, *lines):
        self.lines = lines

    def __call__(self, views):
        return [Reply(self.lines[view.turn % len(self.lines)], **self.ids(view)) for view in views]

    def ids(self, view):
        return {}


class Spoken(Script):
    def ids(self, view):
        count = len(self.lines[view.turn].split())
        return {"token_ids": list(range(count)), "token_logprobs": [-1.0] * count, "logprob": -1.0}


def test_scores_are_those_of_the_last_turn_that_speaks() -> None:
    names = names_of([SAID, [{"brief": 1.0}]])
    assert names == ["asks", "brief", "kind"]
    assert final_scores(SAID, names) == [1.0, 0.0, 0.0]
    assert final_scores(SAID[:2], names) == [0.5, 0.0, 0.0]
    assert [about(said, names) for said in SAID] == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]


def test_collect_fills_the_columns_and_a_turn_of_a_menu_policy_is_one_token() -> None:
    batch = collect(Interview, Script("Why?", "I see.", "And then, please?"), tasks=["t"], group_size=2)
    assert [row.tolist() for row in batch.rubric_scores] == [[pytest.approx(2 / 3), 1.0]] * 6
    assert [row.tolist() for row in list(batch.rubric_relevance)[:3]] == [
        [[1.0], [0.0]],
        [[0.0], [0.0]],
        [[1.0], [1.0]],
    ]
    assert [row.tolist() for row in batch.token_mask] == [[True]] * 6


def test_all_tokens_of_a_turn_matter_alike_and_rtt_pays_the_turns_that_a_rubric_is_about() -> None:
    """z over the six tokens: for asks 2/3·(1, 0, 0, 1, 1, 1) is (½, −√2, −√2, ½ ×3)·√2; so for the one rubric."""
    batch = collect(Interview, Spoken("Why?", "I see.", "And then what?"), tasks=["t"], group_size=1)
    assert [row.tolist() for row in batch.rubric_relevance] == [[[1.0]], [[0.0, 0.0]], [[1.0, 1.0, 1.0]]]
    made = credit.estimate("rtt", batch, eps=0.0)
    root = 2**0.5
    assert made.total.tolist() == pytest.approx([0.25 * root, -0.5 * root, 0.25 * root])


def test_a_world_without_rubrics_has_no_such_columns() -> None:
    batch = collect(Interview, Script("I see."), tasks=["t"], group_size=1)
    assert not {"rubric_scores", "rubric_relevance", "token_mask"} & set(batch.columns)
