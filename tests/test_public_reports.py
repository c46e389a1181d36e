"""Faults that were reported in public, of other projects: for each a small input that would show the same fault here.

Every test names the thread, owner/repository#number. Some are the plainest case of what other tests look at in depth.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import gymnasium
import pytest
from broken_envs.determinism import Corridor
from processes import run_python
from worlds import WORLDS, Shop

from agentgym import (
    AgentEnv,
    EndReason,
    GroupVectorEnv,
    Opening,
    Outcome,
    SlotError,
    StepAfterEnd,
    Task,
    TaskPanel,
    ToolCall,
    Turn,
    TurnBatch,
    TurnRng,
    collect,
    credit,
)
from agentgym._vector_errors import WorkerLost
from agentgym.baselines.exploits import measure
from agentgym.batch import BatchError
from agentgym.check import check
from agentgym.codec import CODECS
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.tasks import MIXED
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.tasks import DOMAINS
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.rollout import build

NOISE = iter(range(1, 10**9))
"""What a broken world takes its noise from: no seed reaches it."""


class Late(Corridor):
    """Follows something outside from a turn on."""

    since: ClassVar[int] = 2

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        turn = super().transition(state, action, rng)
        if rng.turn + 1 >= self.since:
            turn.observation += f" {next(NOISE)}"
        return turn


class VeryLate(Late):
    since = 29


@pytest.mark.parametrize("world", [Late, VeryLate])
def test_1_a_world_that_is_random_from_a_later_turn_on(world: type[Late]) -> None:
    """Farama-Foundation/PettingZoo#1437: a seed test that stopped after one step passed such a world."""
    assert "deterministic" not in check(Corridor, rules=["deterministic"]).broken
    report = check(world, rules=["deterministic"])
    assert "deterministic" in report.broken
    assert f"turn {world.since}" in report.results[-1].note


SHIPPED = sorted(name for name, spec in gymnasium.registry.items() if spec.namespace == "agentgym")
SMALL = [f"test/{name}-v0" for name in WORLDS]


@pytest.mark.parametrize("name", [*SHIPPED, *SMALL])
def test_2_a_reset_without_a_seed_follows_from_the_one_before(name: str) -> None:
    """Farama-Foundation/Gymnasium#1084: reset(seed=1) and reset() twice; the second episodes differed."""
    env = build(name)

    def second(seed: int) -> Any:
        env.reset(seed=seed)
        return env.reset(), env.step("hello")

    assert second(1) == second(1)
    assert second(1)[0][1]["seed"] != second(2)[0][1]["seed"]


@dataclass(frozen=True)
class Step:
    number: int = 0


class Fails(AgentEnv[Step]):
    """Raises in its third turn upon «raise»."""

    panel = (Task("only"),)
    max_turns = 9

    def initial(self, task: Task, rng: TurnRng) -> Opening[Step]:
        return Opening(Step(), "Go on.")

    def transition(self, state: Step, action: Any, rng: TurnRng) -> Turn[Step]:
        if action.text == "raise" and state.number == 2:
            raise RuntimeError("a fault of the world")
        return Turn(Step(state.number + 1), f"{action.text} {state.number + 1}")


@pytest.mark.parametrize("workers", [None, "threads", "processes"])
def test_3_one_of_eight_raises_in_turn_3(workers: str | None) -> None:
    """Farama-Foundation/Gymnasium#177: one failing world took the vector, and all other results, with it."""
    envs = GroupVectorEnv(Fails, 8, workers=workers, num_workers=None if workers is None else 2)
    try:
        envs.reset(seed=0)
        for turn in range(1, 3):
            assert envs.step(["go"] * 8)[0] == (f"go {turn}",) * 8
        with pytest.raises(SlotError, match="slot 5") as caught:
            envs.step(["go"] * 5 + ["raise"] + ["go"] * 2)
        assert [*caught.value.errors] == [5]
        texts = caught.value.result[0]
        assert [text for slot, text in enumerate(texts) if slot != 5] == ["go 3"] * 7
        assert envs.step(["go"] * 8)[0] == ("go 4",) * 5 + ("go 3",) + ("go 4",) * 2  # slot 5 is where it was
    finally:
        envs.close()


class Dies(Fails):
    """Kills its own process upon «die»."""

    def transition(self, state: Step, action: Any, rng: TurnRng) -> Turn[Step]:
        if action.text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().transition(state, action, rng)


def test_4_a_killed_worker_does_not_hang_close() -> None:
    """openai/gym#3281: after kill −9 of a worker step raised a bare EOFError and close() waited for ever."""
    envs = GroupVectorEnv(Dies, 4, workers="processes", num_workers=2)
    envs.reset(seed=7)
    begin = time.monotonic()
    with pytest.raises(WorkerLost, match=r"worker 1 .*SIGKILL.*seed 1\d, turn 0, action 'die'") as caught:
        envs.step(["go", "go", "go", "die"])
    assert time.monotonic() - begin < 2.0
    assert caught.value.slots == (2, 3)
    assert envs.incomplete.tolist() == [False, False, True, True]
    begin = time.monotonic()
    envs.close()
    assert time.monotonic() - begin < 5.0


TEXTS = """
import json
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.tasks import MIXED
env = BabyAIEnv(level=next(iter(MIXED)))
print(json.dumps([env.reset(seed=seed)[0] for seed in range(12)]))
"""


def test_5_a_world_of_mixed_tasks_draws_its_task_by_the_seed() -> None:
    """flowersteam/Grounding_LLMs_with_online_RL#33, balrog-ai/BALROG#56: the task of a mixed world was not seeded."""
    one, other = (json.loads(run_python(TEXTS, PYTHONHASHSEED=seed)) for seed in ("0", "1"))
    assert one == other == [BabyAIEnv(level=next(iter(MIXED))).reset(seed=seed)[0] for seed in range(12)]
    assert len(set(one)) > 6  # and seeds matter


PLAYED = """
import json, sys
from agentgym.rollout import build

def played(name):
    world = build(name)
    return [world.reset(seed=seed) + world.step(world.expert(world.state)) for seed in (3, 4)]

if sys.argv[1:]:
    print(json.dumps({name: played(name) for name in sys.argv[1:]}))
"""


def test_6_hash_seeds_of_processes_change_nothing() -> None:
    """Farama-Foundation/PettingZoo#241: worlds passed the seed test and differed between processes, by hash order."""
    here: dict[str, Any] = {"__name__": "played"}
    exec(PLAYED.replace("sys.argv", "[]"), here)
    there = json.loads(run_python(PLAYED, *SHIPPED, PYTHONHASHSEED="1"))  # here it is another one, or none
    assert set(there) == set(SHIPPED)
    assert {name: json.loads(json.dumps(here["played"](name))) for name in SHIPPED} == there


@pytest.mark.parametrize("resets", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_7_many_draws_of_a_task(resets: int) -> None:
    """sierra-research/tau-bench#74: a random index that could be len(tasks) failed about 1 % of all resets."""

    class Three(Fails):
        panel = TaskPanel("three", {"train": [Task("a"), Task("b"), Task("c")]})

    env = Three()
    env.reset(seed=0)
    found = dict.fromkeys("abc", 0)
    for _ in range(resets):
        found[env.reset()[1]["task"]] += 1
    # each has a third of the draws; five standard deviations of n draws are 5·√(n·1/3·2/3)
    assert all(abs(times - resets / 3) < 5 * (resets * 2 / 9) ** 0.5 for times in found.values()), found


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("splits", [("dev",), pytest.param(("train", "test"), marks=pytest.mark.slow)])
def test_8_doing_nothing_succeeds_at_no_task_of_customer_service(domain: str, splits: Sequence[str]) -> None:
    """sierra-research/tau2-bench#384 and #129: 72 of 114 tasks passed a check that had nothing to check."""
    world = CustomerServiceEnv(domain=domain)
    played = [line for split in splits for line in measure(world, split=split, names=["noop", "repeat-observation"])]
    assert sum(line.episodes for line in played) == 2 * sum(len(world.panel[split]) for split in splits)
    assert [line.success for line in played] == [0.0] * len(played)


@pytest.mark.parametrize("domain", DOMAINS)
def test_9_a_customer_who_agrees_stays_until_it_is_done(domain: str) -> None:
    """sierra-research/tau2-bench#184: the simulated user stopped in the turn in which it agreed, before the write."""
    env = CustomerServiceEnv(domain=domain)
    families: dict[str, Task] = {}
    for task in env.panel["dev"]:
        families.setdefault(task.data["family"], task)
    writes = 0
    for task in families.values():
        env.reset(seed=0, options={"task": task.id})
        over, info = False, {}
        while not over:
            acted = env.parse(env.expert(env.state))
            write = isinstance(acted, ToolCall)
            _, _, terminated, truncated, info = env.step(env.expert(env.state))
            over = terminated or truncated
            writes += write
            assert not (write and over), (task.id, acted)  # no call is the last thing: the agent may say what it did
        assert info["success"], task.id
    assert writes > len(families)


CALL = '<tool_call>\n{"name": "look", "arguments": {"key": "item3"}}\n</tool_call>'


def test_10_a_cut_call_after_many_whole_ones() -> None:
    """huggingface/trl#5415: 22 complete tool calls and one cut in the middle; the parser dropped some of them."""
    sent = "\n".join([CALL] * 22) + "\n" + CALL[: len(CALL) // 2]
    env = Shop(codec="hermes")
    _, before = env.reset(seed=0)
    observation, _, terminated, truncated, info = env.step(sent)
    assert (info["valid"], terminated, truncated) == (False, False, False)
    assert info["state_hash"] == before["state_hash"]  # none was done
    assert "one call a turn" in observation
    assert env.step(CALL)[4]["valid"]
    cut = env.step(CALL[: len(CALL) // 2])[4]
    assert not cut["valid"] and "unclosed" in cut["error"]
    (batch,) = [TurnBatch.from_messages([[{"role": "user", "content": "x"}, {"role": "assistant", "content": sent}]])]
    assert batch.action[0] == sent


@pytest.mark.parametrize("dialect", CODECS)
def test_10_in_every_dialect_a_cut_text_is_no_call(dialect: str) -> None:
    env = Shop(codec=dialect)
    if dialect == "plain":
        pytest.skip("plain text holds no calls")
    env.reset(seed=0)
    whole = env._codec.render(ToolCall("look", {"key": "item3"}), env._tools)  # type: ignore[attr-defined]
    assert env.step(whole)[4]["valid"]
    before = env.step("")[4]["state_hash"]
    for end in range(1, len(whole)):
        info = env.step(whole[:end])[4] if not env._over else env.reset(seed=0)[1]
        assert not info["valid"] or info["kind"] in ("say", "") or whole[end:].strip() == "", whole[:end]
        assert info["state_hash"] == before


def test_11_ids_and_what_belongs_to_them_are_equally_many() -> None:
    """huggingface/trl#5144: a text encoded again had fewer ids than its mask; such a record is refused here."""
    rows = [{"group": 0, "trajectory": 0, "turn": 0, "action": "ab", "tokens": 2, "token_ids": [5, 6],
             "token_logprobs": [-1.0, -2.0], "token_mask": [True, True]}]  # fmt: skip
    assert TurnBatch.from_rows(rows).token_ids[0].tolist() == [5, 6]
    for name, shorter in (("token_ids", [7]), ("token_logprobs", [-1.0]), ("token_mask", [True])):
        with pytest.raises(BatchError, match=r"row 0"):
            TurnBatch.from_rows([{**rows[0], name: shorter}])


def test_11_the_trainer_never_encodes_a_reply_again() -> None:
    """The same: a reply that was sampled letter by letter stays so, though its text has a shorter spelling."""
    pytest.importorskip("torch", reason="the trainer needs torch")
    from agentgym.baselines.grpo.rollout import start
    from tests.baselines.grpo.grpo_world import parts

    made, config = parts()
    episode = start(made.world, made.tokens, config, made.train[0], 0, 0)
    letters = [*(made.tokens._ids[char] for char in "go on"), made.tokens.end]  # type: ignore[attr-defined]
    assert len(made.tokens.encode("go on")) + 1 < len(letters)
    episode.take(made.tokens.decode(letters), letters, [-1.0] * len(letters))
    episode.go_on(made.tokens, config)
    script = episode.transcript
    assert script.ids[slice(*script.spans[0])] == letters
    assert len(script.ids) == len(script.logprobs)
    assert episode.info["valid"]


def test_12_an_end_token_that_is_the_padding_too() -> None:
    """huggingface/trl#4974: with pad = eos the mask was made of ids, and the last end token was never trained on."""
    torch = pytest.importorskip("torch", reason="the trainer needs torch")
    from agentgym.baselines.grpo import loss
    from agentgym.baselines.grpo.engine import padded

    end = 2
    ids, present = padded([[5, end], [5, 6, 7, end]], end, "cpu")
    assert ids.tolist() == [[5, end, end, end], [5, 6, 7, end]]
    assert present.tolist() == [[1, 1, 0, 0], [1, 1, 1, 1]]
    weights = loss.token_weights(torch.tensor([[0.0, 1, 0, 0], [0, 1, 1, 1]]), torch.tensor([True, True]), "token_mean")
    assert weights.tolist() == [[0.0, 0.25, 0.0, 0.0], [0.0, 0.25, 0.25, 0.25]]  # the end counts, the padding does not


def test_13_the_tools_output_is_not_the_agents_answer() -> None:
    """verl-project/verl#6392: a reward function read tool output as the model's words, and found the gold in it."""
    env = WikiSearchEnv(privileged=True)
    for task in env.panel["test"][:12]:
        observation, info = env.reset(seed=0, options={"task": task.id})
        seen = ""
        while not (action := env.expert(env.state)).startswith("<answer>"):
            observation, _, terminated, truncated, info = env.step(action)
            seen += observation
            assert not (terminated or truncated)
        gold = action.removeprefix("<answer>").removesuffix("</answer>")
        *_, info = env.step("<answer>That I cannot say.</answer>")
        assert info["outcome_reward"] == 0.0 and not info["success"], (task.id, gold in seen)


def test_13_credit_lands_on_the_policys_own_tokens_alone() -> None:
    """The same thread: the reward was put on the last token of the tool's output."""
    rows = [
        {"group": 0, "trajectory": k, "turn": t, "turn_reward": 0.0, "outcome_reward": float(k and t == 1), "tokens": 3}
        for k in range(2) for t in range(2)
    ]  # fmt: skip
    batch = TurnBatch.from_rows(rows)
    values = credit.estimate("grpo", batch).to_tokens(batch)
    assert [len(row) for row in values] == [3, 3, 3, 3]  # a turn's values are one a sampled token, and no others


SLOW = 10
"""How many times slower the machine's clock says that everything is."""


def test_14_the_verdict_of_a_gold_does_not_depend_on_the_machines_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """bird-bench/mini_dev#43: golds of 192 s and 39 s; a time limit made the ceiling depend on the machine."""
    env = TextToSQLEnv()
    tasks = env.panel["test"][::25]

    def verdicts() -> list[Any]:
        found = []
        for task in tasks:
            env.reset(seed=0, options={"task": task.id})
            over, steps = False, []
            while not over:
                steps.append(env.step(env.expert(env.state)))
                over = steps[-1][2] or steps[-1][3]
            found.append(steps)
        return found

    quick = verdicts()
    assert all(steps[-1][4]["success"] for steps in quick)
    for name in ("monotonic", "perf_counter", "time", "process_time"):
        real = getattr(time, name)
        monkeypatch.setattr(time, name, partial(lambda real: SLOW * real(), real))
    assert verdicts() == quick


@pytest.mark.parametrize(
    "gold, fault",
    [
        ("SELECT name FROM t ORDER BY age LIMIT 1", "a tie across the end of LIMIT"),
        ("SELECT name FROM t WHERE born < CURRENT_DATE", "reads the clock"),
        ("SELECT name FROM t WHERE born < date('now')", "reads the clock"),
    ],
)
def test_14_a_gold_that_is_luck_is_no_question(gold: str, fault: str) -> None:
    """bird-bench/mini_dev#49 (golds with LIMIT through a tie), bird-bench/BIRD-Interact#12 (CURRENT_DATE: empty)."""
    import sqlite3

    from agentgym.envs.text_to_sql.shipped import checks
    from agentgym.envs.text_to_sql.shipped.families import Question

    fillings = []
    for rows in ([("a", 1, "1990-01-01"), ("b", 1, "1991-01-01")], [("c", 2, "1992-01-01"), ("d", 2, "1980-01-01")]):
        fillings.append(sqlite3.connect(":memory:"))
        fillings[-1].execute("CREATE TABLE t (name TEXT, age INTEGER, born TEXT)")
        fillings[-1].executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    found = checks.faults(Question("toy/q/1", "toy", "easy", "Who is the youngest?", "", gold), fillings)
    for filling in fillings:
        filling.close()
    assert any(fault in line for line in found), found


def test_15_a_delete_behind_a_with_changes_nothing() -> None:
    """ruc-datalab/DeepAnalyze#114, sqlite-explorer-fastmcp-mcp-server#13: WITH … DELETE passed a filter of keywords."""
    env = TextToSQLEnv()
    for task in env.panel["test"][:3]:
        env.reset(seed=0, options={"task": task.id})
        table = ""
        while not (action := env.expert(env.state)).startswith("<sql>"):
            table = action.removeprefix("<schema>").removesuffix("</schema>")
            env.step(action)
        answer = env.step(action)[0]
        state = env.state
        *_, info = env.step(f"<sql>WITH x AS (SELECT 1) DELETE FROM {table}</sql>")
        assert info["tag"] == "sql_denied", info["messages"]
        assert env.step(action)[0] == answer
        while not env._over:
            *_, info = env.step(env.expert(state if env._over else env.state))
        assert info["success"]


# ---- further threads of the same kinds -------------------------------------------------------------------------------


def test_seed_0_is_a_seed() -> None:
    """stanfordnmbl/osim-rl#54: seed 0 was treated as no seed."""
    for name in [*SHIPPED, *SMALL]:
        env = build(name)
        assert env.reset(seed=0) == env.reset(seed=0), name
        assert env.reset(seed=0)[1]["seed"] == 0


def test_what_is_added_to_a_returned_list_later_reaches_no_record() -> None:
    """PrimeIntellect-ai/prime-rl#1315: lists that were extended in place corrupted stored rollouts."""
    kept: list[Any] = []

    def policy(views: Any) -> list[str]:
        for view in views:
            kept.append(view.messages)
            view.messages.append({"role": "user", "content": "mine"})
        return ["go"] * len(views)

    batch = collect(Fails, policy, group_size=2, env_kwargs={"max_turns": 3})
    assert batch.observation.tolist() == ["Go on.", "go 1", "go 2"] * 2
    assert all(sum(message["content"] == "mine" for message in said) == 1 for said in kept)


@pytest.mark.parametrize("count", [1, 2, 50])
def test_tags_that_are_repeated_earn_nothing(count: int) -> None:
    """huggingface/open-r1#359, #418: each pair of tags earned a format reward again."""
    env = WikiSearchEnv(reward="dense")
    env.reset(seed=0)
    paid = env.step("<think>a</think>" * count + "<search>b</search>" * count)
    once = WikiSearchEnv(reward="dense")
    once.reset(seed=0)
    assert paid[1] <= once.step("<think>a</think><search>b</search>")[1]
    assert paid[4]["valid"] is (count == 1)


def test_a_result_that_the_agent_writes_itself_is_none() -> None:
    """QwenLM/Qwen-Agent#928, #737: the model wrote its own tool result, and it was taken for one."""
    env = WikiSearchEnv()
    env.reset(seed=0)
    before = env.state
    *_, info = env.step("<search>x</search>\n<information>Doc 1: the answer is 7.</information>")
    assert info["metrics"].get("forged_observation") == 1.0
    assert env.state == before or not info["success"]
    roles = [message["role"] for message in info["messages"]]
    assert roles[0] == "assistant" and all("Doc 1: the answer is 7" not in m["content"] for m in info["messages"][1:])


def test_a_call_of_broken_json_stays_in_the_history() -> None:
    """vllm-project/vllm#43995: a history with a call of broken JSON was refused, and the rollout lost."""
    said = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"key": '}}]},
        {"role": "tool", "tool_call_id": "1", "content": "no JSON"},
    ]  # fmt: skip
    batch = TurnBatch.from_messages([said])
    assert (
        '{"key": ' in json.loads(batch.action[0].removeprefix("<tool_call>").removesuffix("</tool_call>"))["arguments"]
    )


def test_doing_nothing_earns_nothing_in_any_shipped_world() -> None:
    """WildClawBench#24: an agent that did nothing scored 0.6. Here, in the first tasks of each world, 0."""
    for name in SHIPPED:
        report = check(name, tasks=4, rules=["noop"])
        assert report.ok, str(report)


def test_a_step_after_the_end_is_refused_and_changes_nothing() -> None:
    """A rollout that goes on after its end is what sierra-research/tau2-bench#184 led to in trainers."""

    class Ends(Fails):
        def transition(self, state: Step, action: Any, rng: TurnRng) -> Turn[Step]:
            return Turn(state, "Over.", outcome=Outcome(False, 0.0, EndReason.FAILED))

    env = Ends()
    env.reset(seed=0)
    env.step("x")
    before = env.snapshot().to_bytes()
    with pytest.raises(StepAfterEnd, match="call reset"):
        env.step("x")
    assert env.snapshot().to_bytes() == before
