"""Token in, token out: what is trained on is what was sampled, at the place where it was sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import data  # noqa: E402
from agentgym.baselines.grpo.config import Config, TrainError  # noqa: E402
from agentgym.baselines.grpo.engine import Request, Sample  # noqa: E402
from agentgym.baselines.grpo.hindsight import with_hindsight  # noqa: E402
from agentgym.baselines.grpo.prepare import prepare  # noqa: E402
from agentgym.baselines.grpo.rollout import Played, finished, play, start  # noqa: E402
from agentgym.baselines.grpo.tokens import WordTokens  # noqa: E402
from agentgym.rollout import build  # noqa: E402


class Scripted:
    """An engine that answers with given texts in turn, spelt in characters, so that re-tokenising would differ."""

    def __init__(self, tokens: Any, texts: Sequence[str], end: bool = True) -> None:
        self.tokens, self.texts, self.end = tokens, texts, end
        self.prompts: dict[Any, list[list[int]]] = {}

    def generate(self, requests: Sequence[Request]) -> list[Sample]:
        out = []
        for request in requests:
            asked = self.prompts.setdefault(request.key, [])
            text = self.texts[len(asked) % len(self.texts)]
            ids = [number for char in text for number in self.tokens.encode(char)] + [self.tokens.end] * self.end
            asked.append(list(request.ids))
            out.append(Sample(ids, [-0.1 * (k + 1) for k in range(len(ids))], list(request.ids)))
        return out

    def score(self, rows: Sequence[Sequence[int]]) -> list[Any]:
        self.scored = [self.tokens.decode(row) for row in rows]
        return [np.array([float(number) for number in row]) for row in rows]

    def changed(self) -> None:
        pass


def played(texts: Sequence[str] = ("go on",), *, end: bool = True, group_size: int = 2, **changes: Any) -> Any:
    made, config = grpo_world.parts(**changes)
    engine = Scripted(made.tokens, texts, end)
    tasks = [made.world.panel.task("to-3-0"), made.world.panel.task("to-2-0")]
    found = play(made.world, engine, made.tokens, config, tasks, group_size=group_size, seed=5)
    return found, engine, made, config


def test_the_segments_equal_what_the_engine_saw() -> None:
    """Every prompt of a rollout is its transcript up to the reply: opening, replies and news joined, nothing else."""
    found, engine, made, _ = played(("go on", "oops", "go back"))
    assert found.batch.num_rollouts == 4
    for trajectory, script in found.transcripts.items():
        prompts = engine.prompts[trajectory]
        assert len(prompts) == len(script.spans)
        for prompt, (begin, _) in zip(prompts, script.spans, strict=True):
            assert prompt == script.ids[:begin]
        for one, other in zip(prompts, prompts[1:], strict=False):
            assert other[: len(one)] == one
    assert len(made.tokens.encode("go on")) == 2  # but five ids were sampled, and they are what is kept
    assert found.batch.token_ids[0].tolist() == [*(made.tokens.encode(c)[0] for c in "go on"), made.tokens.end]


def test_an_engine_that_saw_other_ids_is_refused() -> None:
    """A mismatch is found in the turn in which it happens."""
    made, config = grpo_world.parts()

    class Retokenised(Scripted):
        def generate(self, requests: Sequence[Request]) -> list[Sample]:
            return [replace(s, seen=[*s.seen[:2], 99, *s.seen[3:]]) for s in super().generate(requests)]

    with pytest.raises(TrainError, match=r"answered to other ids than those of rollout 'to-1-0#0/0' \(first at 2;"):
        play(made.world, Retokenised(made.tokens, ["go on"]), made.tokens, config, made.train[:1], group_size=1, seed=0)


def test_the_record_is_the_one_that_collect_would_make() -> None:
    found, _, _, _ = played(("go on",))
    batch = found.batch
    assert batch.meta["group_size"] == 2
    assert list(batch.trajectory[:3]) == ["to-3-0#5/0"] * 3
    assert np.asarray(batch.success).all()
    assert batch.tokens.tolist() == [6] * len(batch)
    assert batch.logprob[0] == pytest.approx(-0.35)  # the mean of −0.1 … −0.6
    assert batch.group[-1] == "to-2-0#6"


def test_members_of_a_group_start_equal() -> None:
    found, _, _, _ = played(("go on",))
    batch = found.batch
    first = batch.order[batch.starts]
    assert batch.state[first[0]] == batch.state[first[1]] != batch.state[first[2]]


def test_credit_lands_on_the_ids_of_its_turn_and_nowhere_else() -> None:
    """Turn k's advantage is k + 1: it must stand on turn k's ids; prompts and the world's words have 0 and mask 0."""
    found, _, _, _ = played(("go on", "what?"))
    batch = found.batch
    made_credit = credit.estimate(lambda rows: np.asarray(rows.turn) + 1.0, batch)
    rows = data.sequences(batch, made_credit, found.transcripts)
    order = [batch.trajectory[row] for row in batch.order[batch.starts]]
    for number, trajectory in enumerate(order):
        script = found.transcripts[trajectory]
        expected = np.zeros(len(script.ids))
        for turn, (begin, end) in enumerate(script.spans):
            expected[begin:end] = turn + 1.0
        assert rows.advantage[number] == expected.tolist()
        assert rows.mask[number] == (expected > 0).astype(float).tolist()
        assert len(rows.ids[number]) == len(rows.mask[number]) == len(rows.old[number])
        assert all(
            (value != 0.0) == (seat == 1.0) for value, seat in zip(rows.old[number], rows.mask[number], strict=True)
        )
        assert rows.mask[number][: script.opening] == [0.0] * script.opening  # the prompt is never trained on


def test_the_last_reward_is_on_the_model_s_own_last_token() -> None:
    """A reward once landed on the tool output: the last counted position is the end token that the policy sampled."""
    found, _, made, _ = played(("go on",))
    made_credit = credit.estimate(lambda rows: np.asarray(rows.outcome_reward), found.batch)
    rows = data.sequences(found.batch, made_credit, found.transcripts)
    place = max(t for t, value in enumerate(rows.advantage[0]) if value)
    assert rows.ids[0][place] == made.tokens.end
    assert place == len(rows.ids[0]) - 1


def test_stored_rollouts_do_not_change_when_one_goes_on() -> None:
    """Lists extended in place once corrupted stored rollouts: the record keeps copies of the sampled ids."""
    found, _, _, _ = played(("go on",))
    before = found.batch.token_ids[0].tolist()
    script = found.transcripts["to-3-0#5/0"]
    script.read([1, 2, 3])
    script.ids[script.spans[0][0]] = 0
    assert found.batch.token_ids[0].tolist() == before


def test_a_record_of_other_ids_is_refused() -> None:
    found, _, _, _ = played(("go on",))
    found.transcripts["to-3-0#5/0"].ids[-1] = 0
    made_credit = credit.estimate("grpo", found.batch)
    with pytest.raises(TrainError, match="holds other ids than the transcript"):
        data.sequences(found.batch, made_credit, found.transcripts)


def test_a_flat_rollout_is_not_live_unless_a_divergence_acts_on_it() -> None:
    found, _, _, _ = played(("go on",))
    flat = credit.estimate("grpo", found.batch)
    assert not flat.total.any()  # all members of a group did the same
    assert data.sequences(found.batch, flat, found.transcripts).live == [False] * 4
    assert data.sequences(found.batch, flat, found.transcripts, all_live=True).live == [True] * 4


def test_a_full_context_ends_the_rollout_after_a_whole_turn() -> None:
    """Walking on the spot («oops» is invalid) until the context is full: truncated, with its reason, nothing cut."""
    found, _, made, config = played(("oops",), context=60)
    batch = found.batch
    last = batch.order[batch.starts + batch.lengths - 1]
    assert found.cut == 4
    assert [batch.end_reason[row] for row in last] == ["token_limit"] * 4
    assert np.asarray(batch.truncated)[last].all()
    assert not np.asarray(batch.terminated).any()
    assert not np.asarray(batch.success).any()
    assert (batch.lengths < made.world.max_turns).all()
    for script in found.transcripts.values():
        assert len(script.ids) <= config.context
        assert script.ids[-1] == made.tokens.end
        news = made.tokens.following([{"role": "user", "content": "say go on or go back"}], True)
        assert len(script.ids) + config.max_new_tokens + 1 > config.context - len(news)


def test_a_cut_rollout_can_be_left_out_of_the_loss() -> None:
    found, _, _, _ = played(("oops",), context=60)
    made_credit = credit.estimate(lambda rows: np.ones(len(rows)), found.batch)
    assert data.sequences(found.batch, made_credit, found.transcripts).live == [True] * 4
    assert data.sequences(found.batch, made_credit, found.transcripts, mask_cut=True).live == [False] * 4


def test_a_first_prompt_that_does_not_fit_is_refused_before_any_rollout() -> None:
    with pytest.raises(TrainError, match=r"the first prompt of task 'to-1-0' has \d+ tokens.*raise context from 8"):
        prepare(grpo_world.config(context=8, max_new_tokens=4))


@pytest.mark.parametrize(
    ("changes", "first"),
    [({}, "Question: "), ({"system": True}, '[{"type": '), ({"model": "some/model"}, '[{"type": ')],
)
def test_the_list_of_tools_is_for_who_does_not_learn_from_the_expert(changes: dict[str, Any], first: str) -> None:
    """In TextToSQL the list has more characters than question and tables; the small model reads it in every turn."""
    world = build("agentgym/TextToSQL-v0", {"panel": "easy"})
    config = Config("agentgym/TextToSQL-v0", context=100_000, **changes)
    tokens = WordTokens(())  # every character a token, so lengths are those of the text
    script = start(world, tokens, config, world.panel["train"][0], 0, 0).transcript
    assert tokens.decode(script.ids).startswith(first)
    assert bool(script.tools) == (first != "Question: ")  # what hindsight's prompt is rendered from


def test_a_reply_without_its_end_is_closed_and_counted() -> None:
    """max_new_tokens ran out: the end that the template adds is not trained on."""
    found, _, made, _ = played(("go on",), end=False)
    assert found.unfinished == len(found.batch)
    script = found.transcripts["to-3-0#5/0"]
    begin, end = script.spans[0]
    assert script.ids[end] == made.tokens.end
    assert made.tokens.end not in script.ids[begin:end]
    assert script.logprobs[end] == 0.0


def test_hindsight_scores_the_same_ids_under_the_note() -> None:
    """Scripted scores are the ids themselves, so a turn's score is the mean of its ids wherever the note moved them."""
    found, engine, made, _ = played(("go on",))
    batch = with_hindsight(found, engine, made.tokens)
    assert batch.hindsight_logprob == pytest.approx([float(np.mean(ids)) for ids in batch.token_ids])
    assert engine.scored[0].startswith("walk to 3\nIn the end the goal is reached.go onat 1")
    lost, engine, made, _ = played(("go back",))
    with_hindsight(lost, engine, made.tokens)
    assert engine.scored[0].startswith("walk to 3\nIn the end the goal is not reached.go back")


def test_lost_rollouts_are_left_out_and_too_many_stop_the_run() -> None:
    """Infrastructure errors are no reward of 0: 1 of 8 lost is left out; 2 of 8, above a fifth, stop the run."""
    made, config = grpo_world.parts()

    def ended(count: int) -> Played:
        episodes = []
        for member in range(8):
            episode = start(made.world, made.tokens, config, made.train[0], 0, member)
            episode.take("go on", [1], [0.0])
            if member < count:
                episode.info = {**episode.info, "end_reason": "infra_error", "end_detail": "503"}
            episodes.append(episode)
        return finished(episodes, {"env": made.world.spec_dict()})

    one = ended(1)
    assert one.batch.num_rollouts == 7
    assert np.asarray(one.batch.success).mean() == 1.0
    with pytest.raises(TrainError, match=r"2 of 8 rollouts ended with an infrastructure error \(the last: '503'\)"):
        ended(2)
