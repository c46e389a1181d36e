"""The shell: flags, limits, invalid actions, seeds, rewards, forks of attention; every world plays by the contract."""

import copy
import math
import pickle
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st
from processes import run_python
from worlds import WORLDS, Counter, Dice, Ledger, Shop, Talk, script

from agentgym import (
    AgentEnv,
    EndReason,
    InvalidAction,
    Opening,
    Outcome,
    RewardSpec,
    Say,
    StepAfterEnd,
    Task,
    ToolCall,
    Turn,
    TurnRng,
    WorldError,
    validate_info,
)

names = st.sampled_from(sorted(WORLDS))
seeds = st.integers(0, 2**63 - 1)


def play(env: AgentEnv[Any], actions: list[str]) -> list[Any]:
    """Return what every step until the end returned."""
    out: list[Any] = []
    for action in actions:
        out.append(env.step(action))
        if out[-1][2] or out[-1][3]:
            break
    return out


def chain(env: AgentEnv[Any], seed: int, actions: list[str], **options: Any) -> list[Any]:
    return [env.reset(seed=seed, options=options), *play(env, actions)]


# ---- determinism: P1 to P4, P7, P8 ---------------------------------------------------------------------------------


@given(names, seeds, seeds)
def test_equal_seeds_and_actions_give_equal_chains_in_fresh_and_in_used_worlds(
    name: str, seed: int, other: int
) -> None:
    actions = script(name, seed, 8)
    used = WORLDS[name]()
    for garbage in range(3):
        chain(used, other // (garbage + 1), script(name, other + garbage, 5))
    assert chain(used, seed, actions) == chain(WORLDS[name](), seed, actions)


@given(names, seeds, seeds)
def test_two_worlds_stepped_in_turns_equal_two_alone(name: str, seed: int, other: int) -> None:
    one, two = WORLDS[name](), WORLDS[name]()
    actions, others = script(name, seed, 8), script(name, other, 8)
    alone = chain(one, seed, actions), chain(two, other, others)
    mixed: tuple[list[Any], list[Any]] = ([one.reset(seed=seed)], [two.reset(seed=other)])
    for index in range(8):
        for env, moves, out in ((one, actions, mixed[0]), (two, others, mixed[1])):
            if len(out) == 1 or not (out[-1][2] or out[-1][3]):
                out.append(env.step(moves[index]))
    assert mixed == alone


@given(names, seeds, st.integers(0, 6))
def test_pickled_and_copied_worlds_go_on_alike(name: str, seed: int, turns: int) -> None:
    env = WORLDS[name]()
    actions = script(name, seed, 10)
    past = chain(env, seed, actions[:turns])
    if len(past) > 1 and (past[-1][2] or past[-1][3]):
        return
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env.copy(), *env.fork(2)]
    futures = [play(twin, actions[turns:]) for twin in [env, *twins]]
    assert all(future == futures[0] for future in futures)
    unseeded = {pickle.loads(pickle.dumps(twin)).reset()[1]["seed"] for twin in (env, copy.deepcopy(env))}
    assert len(unseeded) == 1  # np_random travels with a pickle and a deep copy


@given(names, seeds)
def test_rewards_add_up_under_every_spec(name: str, seed: int) -> None:
    own = WORLDS[name].rewards
    some = dict.fromkeys(own.weights, 2.0)
    for reward in ("sparse", "dense", RewardSpec(some, outcome=10.0, invalid=-1.0), some):
        spec = {"sparse": RewardSpec(), "dense": own}.get(reward) if isinstance(reward, str) else reward  # type: ignore[arg-type]
        if not isinstance(spec, RewardSpec):
            spec = RewardSpec(some)
        env = WORLDS[name](reward=reward)  # type: ignore[arg-type]
        env.reset(seed=seed)
        steps = play(env, script(name, seed, 10))
        declared = sum(step[1] for step in steps)
        by_hand = 0.0
        for *_, info in steps:
            for component, value in info["components"].items():
                by_hand += spec.weights.get(component, spec.default) * value
            by_hand += (0.0 if info["valid"] else spec.invalid) + spec.outcome * info["outcome_reward"]
        assert math.isclose(declared, by_hand, abs_tol=1e-9)
        assert all(type(step[1]) is float for step in steps)
        # the record is under the world's own weights whatever `reward` says
        for *_, info in steps:
            paid = sum(own.weights.get(key, own.default) * value for key, value in info["components"].items())
            assert math.isclose(info["turn_reward"], paid + (0.0 if info["valid"] else own.invalid), abs_tol=1e-9)


@given(names, seeds)
def test_an_invalid_action_changes_nothing_but_the_turn_counter(name: str, seed: int) -> None:
    env = WORLDS[name]()
    _, before = env.reset(seed=seed)
    for turn, action in enumerate(script(name, seed, 10)):
        state = env.state
        observation, _, terminated, truncated, info = env.step(action)
        assert info["turn"] == turn + 1
        assert not (terminated and truncated)
        if not info["valid"]:
            assert info["state_hash"] == before["state_hash"]
            assert env.state is state
            assert info["error"] == observation != ""
            assert info["kind"] == "invalid"
            assert not terminated
        if terminated or truncated:
            break
        before = info


# ---- ends ----------------------------------------------------------------------------------------------------------


def ended(*actions: str, world: type[AgentEnv[Any]] = Counter, **options: Any) -> tuple[Any, ...]:
    env = world()
    step = chain(env, 0, list(actions), **options)[-1]
    info = step[4]
    return step[1], step[2], step[3], info["success"], info["end_reason"], info["end_detail"], info["outcome_reward"]


def test_ends() -> None:
    two = {"task": "two"}
    assert ended("up", "up", **two) == (1.0, True, False, True, "solved", "", 1.0)
    assert ended("quit", **two) == (0.0, True, False, False, "gave_up", "by choice", 0.0)
    assert ended(*["stay"] * 5, **two) == (0.0, False, True, False, "turn_limit", "", 0.0)
    # solved on the last allowed turn: terminated, not truncated, and never both
    assert ended("stay", "stay", "stay", "up", "up", **two) == (1.0, True, False, True, "solved", "", 1.0)
    assert ended("up", **two) == (0.0, False, False, False, "", "", 0.0)
    assert ended("SHOUT", world=Talk) == (-1.0, True, False, False, "user_left", "shouted at", -1.0)
    assert ended(*["hello"] * 4, world=Talk) == (0.5, False, True, False, "token_limit", "Ada grew tired", 0.5)
    # an invalid action counts as the last turn too
    assert ended(*["nonsense"] * 5, **two)[1:5] == (False, True, False, "turn_limit")


@pytest.mark.parametrize("reason", list(EndReason))
def test_a_reason_either_terminates_or_truncates(reason: EndReason) -> None:
    class Ends(Counter):
        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            return Turn(state, "", outcome=Outcome(reason is EndReason.SOLVED, 0, reason))

    env = Ends()
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step("x")
    cut = {"turn_limit", "token_limit", "infra_error"}
    assert (terminated, truncated) == (reason.value not in cut, reason.value in cut)
    assert info["end_reason"] == reason.value
    assert type(reward) is type(info["outcome_reward"]) is float
    validate_info(info)


def test_reasons_are_these() -> None:
    assert sorted(EndReason) == sorted(
        ["solved", "failed", "gave_up", "user_left", "violation", "turn_limit", "token_limit", "infra_error"]
    )


def test_stepping_before_the_start_or_after_the_end_is_the_callers_error() -> None:
    env = Counter()
    with pytest.raises(StepAfterEnd, match=r"Counter: the episode is over \(turn 0\); call reset\(\) first"):
        env.step("up")
    env.reset(seed=0, options={"task": "two"})
    env.step("up")
    env.step("up")
    before = env.snapshot().to_bytes()
    with pytest.raises(StepAfterEnd, match=r"turn 2"):
        env.step("up")
    assert env.snapshot().to_bytes() == before


def test_the_turn_limit_of_class_and_argument() -> None:
    assert len(chain(Counter(max_turns=2), 0, ["stay"] * 9)) == 1 + 2
    assert len(chain(Counter(max_turns=np.int64(3)), 0, ["stay"] * 9)) == 1 + 3  # type: ignore[arg-type]
    assert len(chain(Counter(), 0, ["stay"] * 9)) == 1 + 5
    for bad in (0, -1, True, 2.5, math.nan, math.inf, "5", [3]):
        with pytest.raises(ValueError, match="max_turns must be an integer of at least 1, not"):
            Counter(max_turns=bad)  # type: ignore[arg-type]


# ---- arguments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 2**63, 2**70, True, 1.0, "1"])
def test_bad_seeds_are_refused_and_change_nothing(seed: Any) -> None:
    env = Dice()
    env.reset(seed=3)
    before = env.snapshot().to_bytes()
    with pytest.raises(ValueError, match=r"seed must be an integer with 0 <= seed < 2\*\*63"):
        env.reset(seed=seed)
    with pytest.raises(ValueError, match=r"branch must be an integer"):
        env.reset(seed=1, options={"branch": seed})
    assert env.snapshot().to_bytes() == before


@pytest.mark.parametrize("seed", [0, 2**63 - 1, np.int64(5), np.uint32(5)])
def test_good_seeds(seed: int) -> None:
    info = Dice().reset(seed=seed)[1]
    assert info["seed"] == int(seed)
    validate_info(info)


def test_the_seed_that_follows_is_the_next_of_np_random() -> None:
    one, two = Dice(), Dice()
    one.reset(seed=7)
    two.reset(seed=7)
    second = one.reset()[1]["seed"], one.reset()[1]["seed"]
    assert second == (two.reset()[1]["seed"], two.reset()[1]["seed"])
    assert len({7, *second}) == 3
    one.reset(seed=0)  # seed 0 is a seed
    two.reset(seed=0)
    assert one.reset()[1]["seed"] == two.reset()[1]["seed"]


def test_tasks_and_splits() -> None:
    env = Counter(split="test")
    assert {env.reset(seed=seed)[1]["task"] for seed in range(20)} == {"three"}
    assert {Counter().reset(seed=seed)[1]["task"] for seed in range(20)} == {"two", "minus"}
    assert env.reset(seed=0, options={"task": "minus"})[1]["task"] == "minus"
    own = Counter(tasks=[Task("own", {"goal": 4})])
    assert own.reset(seed=0)[0] == "At 0. Reach 4."
    assert own.panel.hash != Counter().panel.hash


def test_unknown_names_are_answered_with_the_nearest() -> None:
    env = Counter()
    with pytest.raises(KeyError, match=r"did you mean 'minus'\?"):
        env.reset(options={"task": "mins"})
    with pytest.raises(ValueError, match=r"unknown reset option 'tusk'; did you mean 'task'\?"):
        env.reset(options={"tusk": "two"})
    for arguments, message in [
        ({"split": "tst"}, r"unknown split of panel 'numbers' 'tst'; did you mean 'test'\?"),
        ({"signals": ["menus"]}, r"unknown signal of Counter 'menus'; did you mean 'menu'\?"),
        ({"reward": "dens"}, r"unknown reward 'dens'; did you mean 'dense'\?"),
        ({"reward": {"progres": 1}}, r"unknown reward component 'progres'; did you mean 'progress'\?"),
        ({"reward": {"progress": math.nan}}, "must be a finite number"),
        ({"codec": "tag"}, r"unknown codec 'tag'; did you mean 'tags'\?"),
        ({"render_mode": "human"}, "unknown render mode 'human'; did you mean 'ansi'"),
        ({"tasks": []}, "holds no task"),
    ]:
        with pytest.raises(ValueError, match=message):
            Counter(**arguments)  # type: ignore[arg-type]
    for wrong in ({"signals": "menu"}, {"reward": 3}, {"codec": 3}, {"tasks": ["a"]}):
        with pytest.raises(TypeError, match=r"signals must be|reward must be|codec must be|not a Task"):
            Counter(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown signal of Dice 'menu'"):
        Dice(signals=["menu"])
    with pytest.raises(ValueError, match=r"Dice has no privileged information: it defines no secrets"):
        Dice(privileged=True)


def test_a_class_without_a_move_is_refused() -> None:
    class Still(AgentEnv[int]):
        panel = (Task("t"),)

    with pytest.raises(TypeError, match=r"Still must define transition\(state, action, rng\)"):
        Still()


# ---- actions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [b"up", None, {"say": "up"}, 3, ["up"], np.array("up")])
def test_what_is_no_text_and_no_call_is_the_callers_error(action: Any) -> None:
    env = Counter()
    env.reset(seed=0)
    before = env.snapshot().to_bytes()
    with pytest.raises(TypeError, match=f"an action is a str or a ToolCall, not {type(action).__name__}"):
        env.step(action)
    assert env.snapshot().to_bytes() == before


def test_numpy_text_is_text() -> None:
    env, twin = Counter(), Counter()
    env.reset(seed=0)
    twin.reset(seed=0)
    assert env.step(np.str_("up")) == twin.step("up")


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("", "empty: write an action"),  # A1
        (" \n\t ", "empty: write an action"),
        ("<think>up</think>", "empty: write an action"),  # A8
        ("<think>up", "empty: write an action"),
        (" " * 1_000_000, "too_long: 1000000 characters; at most 16384 are read"),  # A2
        ("a" * 10_000_000, "too_long: 10000000 characters; at most 16384 are read"),  # A3
        ("```\n" + " " * 4000, "unknown word"),  # A5
        ("up\ndown", "unknown word"),
        ("\ufeffup", "unknown word"),  # A23
        ("up\x00", "unknown word"),
        ("u\u2028p\x0b", "unknown word"),
        ("\ud800", "unknown word '?'"),
        ("²", "unknown word"),  # A24
        ("\x1b[31mup", "unknown word"),  # A42
    ],
    ids=range(14),
)
def test_hostile_text_is_an_invalid_turn(action: str, error: str) -> None:
    env = Counter()
    _, before = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(action)
    assert observation.startswith(error)
    assert (reward, terminated, truncated, info["valid"], info["turn"]) == (0.0, False, False, False, 1)
    assert info["state_hash"] == before["state_hash"]
    assert len(info["messages"][0]["content"]) <= env.max_action
    validate_info(info)
    "".join(message["content"] for message in info["messages"]).encode("utf-8")
    assert not any(ord(char) < 32 and char not in "\n\t" for char in env.render())


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (ToolCall("gett", {}), "unknown tool 'gett'"),  # A28
        (ToolCall("__class__", {}), "unknown tool '__class__'"),
        (ToolCall("reset", {}), "unknown tool 'reset'"),
        (ToolCall("x" * 16_000, {}), "unknown tool 'xxx"),
        (ToolCall("look", {"key": "item3", "self": 1}), "args: look has no argument 'self'"),  # A29
        (ToolCall("look", {}), "args: look needs the argument 'key'"),
        (ToolCall("look", {"key": 3}), "args: look.key must be of type string"),
        (ToolCall("sell", {"key": "item4", "price": math.nan}), "number: NaN"),
        (ToolCall("sell", {"key": "item4", "count": 10**5000}), "json: "),
        (ToolCall("look", None), "json: arguments must be"),  # type: ignore[arg-type]
        (ToolCall(None, {}), "call: name and id must be text"),  # type: ignore[arg-type]
        ("<look>item3</look><look>item4</look>", "one call a turn"),  # A6
        ("<look>" * 2000, "unclosed"),  # A4
        ("<look>\x1b[31m</look>", "there is no"),
        ("<look>{{7*7}} %s {0}</look>", "there is no '{{7*7}} %s {0}'"),  # A41
        ('<sell>{"key": "\\ud800"}</sell>', "cannot sell 1 of '?'"),
        ("hello", "no tool was called; call one of: look, sell"),
        ("</look>", "no tool was called"),
        ("<gett>x</gett>", "no tool was called"),
    ],
    ids=range(19),
)
def test_hostile_calls_are_invalid_turns(action: Any, error: str) -> None:
    env = Shop()
    _, before = env.reset(seed=0)
    observation, _, terminated, truncated, info = env.step(action)
    assert observation.startswith(error)
    assert (terminated, truncated, info["valid"], info["turn"]) == (False, False, False, 1)
    assert info["state_hash"] == before["state_hash"]
    validate_info(info)
    env.restore(env.snapshot().to_bytes())


def test_text_and_typed_calls_do_the_same() -> None:
    texts, calls = Shop(), Shop()
    texts.reset(seed=0)
    calls.reset(seed=0)
    one = texts.step('Now. <think>hm</think> <sell>{"key": "item4", "count": 2}</sell>')
    two = calls.step(ToolCall("sell", {"key": "item4", "count": 2}))
    assert one[:4] == two[:4]
    for key in ("action", "kind", "state_hash", "history_hash", "components"):
        assert one[4][key] == two[4][key]
    assert one[4]["action"] == '{"tool": "sell", "arguments": {"key": "item4", "count": 2}}'


def test_think_text_never_reaches_the_world() -> None:
    env = Talk()
    env.reset(seed=0)
    env.step("<think>ANGRY SECRET</think>hello")
    env.step("I ask <think>BYE</think> nicely</think>kindly")
    assert env.state.heard == ("hello", "kindly")


def test_codecs() -> None:
    assert Shop(codec="plain").parse("<look>x</look>") == Say("<look>x</look>")
    assert Shop().parse("<look>x</look>") == ToolCall("look", {"key": "x"})

    def last_word(text: str, tools: Any) -> Say:
        return Say(text.split()[-1])

    env = Counter(codec=last_word)
    env.reset(seed=0, options={"task": "two"})
    assert env.step("I go up")[0] == "At 1."


# ---- worlds that break the contract ---------------------------------------------------------------------------------


class Broken(Counter):
    """Does what `does` says."""

    does: ClassVar[Any] = None

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn: Turn[Any] = type(self).does(state)
        return turn


@pytest.mark.parametrize(
    ("does", "error", "message"),
    [
        (lambda state: 1 / 0, ZeroDivisionError, "division"),
        (lambda state: Turn(state, None), WorldError, "gave an observation of type NoneType, not str"),
        (lambda state: Turn(state, "", {"progress": math.nan}), WorldError, "rewards that are not finite"),
        (lambda state: Turn(state, "", {"unheard": math.inf}), WorldError, "rewards that are not finite"),
        (lambda state: Turn(state, "", {}, Outcome(True, math.inf)), WorldError, "not a finite number"),
        (lambda state: Turn(state, "", {}, Outcome(True, True)), WorldError, "not a finite number"),
        (lambda state: Turn(state, "", {}, Outcome(False, 0.0)), WorldError, "contradict each other"),
        (lambda state: Turn(state, "", {}, Outcome(True, 0.0, EndReason.FAILED)), WorldError, "contradict"),
        (lambda state: Turn(state, "", {}, Outcome(True, 0.0, "won")), WorldError, "not an EndReason"),
        (lambda state: Turn(object(), ""), TypeError, "cannot encode a builtins.object"),
        (lambda state: Turn((math.nan,), ""), ValueError, "cannot encode nan"),
    ],
)
def test_faults_of_a_world_name_the_turn_and_leave_the_episode_as_it_was(does: Any, error: Any, message: str) -> None:
    class Fault(Broken):
        pass

    Fault.does = staticmethod(lambda state: Turn(state, "fine"))
    env = Fault()
    env.reset(seed=5, options={"task": "two"})
    env.step("x")
    before = env.snapshot().to_bytes()
    Fault.does = staticmethod(does)
    with pytest.raises(error, match=message) as caught:
        env.step("the action")
    assert "in step of Fault, task 'two', seed 5, branch 0, turn 1, action 'the action'" in caught.value.__notes__
    assert env.snapshot().to_bytes() == before
    Fault.does = staticmethod(lambda state: Turn(state, "fine"))
    assert env.step("x")[4]["turn"] == 2


@pytest.mark.parametrize(
    "bad",
    [{"metrics": {"a": math.nan}}, {"rubrics": {"a": math.inf}}, {"step_score": math.nan}, {"critique": math.nan}],
)
def test_numbers_of_a_world_are_finite(bad: Any) -> None:
    class Fault(Broken):
        does = staticmethod(lambda state: Turn(state, "", **bad))

    env = Fault(signals=("potential",))
    env.reset(seed=0)
    before = env.snapshot().to_bytes()
    with pytest.raises(WorldError, match="every number in info is finite"):
        env.step("x")
    assert env.snapshot().to_bytes() == before
    with pytest.raises(WorldError, match="the world gave potential = inf"):
        type("Far", (Counter,), {"potential": lambda self, state: math.inf})(signals=("potential",)).reset(seed=0)


def test_a_failed_reset_changes_nothing() -> None:
    class Fault(Counter):
        def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
            if task.id == "minus":
                raise OSError("no such level")
            return super().initial(task, rng)

    env = Fault()
    env.reset(seed=1, options={"task": "two"})
    env.step("up")
    before = env.snapshot().to_bytes()
    with pytest.raises(OSError, match="no such level"):
        env.reset(seed=2, options={"task": "minus"})
    assert env.snapshot().to_bytes() == before


def test_an_invalid_action_without_words_still_says_something() -> None:
    class Mute(Counter):
        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            raise InvalidAction

    env = Mute()
    env.reset(seed=0)
    validate_info(env.step("x")[4])


# ---- observations, messages, signals --------------------------------------------------------------------------------


def test_observations_are_cut_and_encodable() -> None:
    class Long(Counter):
        max_observation = 100

        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            return Turn(state, "é\ud800" * 500)

    env = Long()
    env.reset(seed=0)
    observation, *_, info = env.step("x")
    assert observation == "é?" * 50
    assert observation in env.observation_space
    assert info["messages"][1]["content"] == observation


def test_messages() -> None:
    env = Counter()
    observation, info = env.reset(seed=0, options={"task": "two"})
    assert info["messages"] == [
        {"role": "system", "content": "Say up, down or stay."},
        {"role": "user", "content": "At 0. Reach 2."},
    ]
    assert observation == "At 0. Reach 2."
    text = "<think>hm</think> up "
    assert env.step(text)[4]["messages"] == [
        {"role": "assistant", "content": text},
        {"role": "user", "content": "At 1."},
    ]
    assert "tools" not in info
    assert [message["role"] for message in Dice().reset(seed=0)[1]["messages"]] == ["user"]


def test_messages_of_calls_carry_ids() -> None:
    env = Shop()
    _, info = env.reset(seed=0)
    assert [schema["function"]["name"] for schema in info["tools"]] == ["look", "sell"]
    asked, answer = env.step(ToolCall("look", {"key": "item3"}, "abc"))[4]["messages"]
    function = {"name": "look", "arguments": '{"key": "item3"}'}
    assert asked == {
        "role": "assistant", "content": "", "tool_calls": [{"id": "abc", "type": "function", "function": function}]
    }  # fmt: skip
    assert answer == {"role": "tool", "tool_call_id": "abc", "content": "item3: 3"}
    # without an id of its own the call gets one that no other turn has
    ids = [env.step(ToolCall("look", {"key": "item3"}))[4]["messages"][1]["tool_call_id"] for _ in range(2)]
    assert ids == ["call_2", "call_3"]


def test_signals_come_when_asked_for_and_only_then() -> None:
    keys = {"menu", "potential", "expert", "describe", "privileged"}
    assert not keys & set(Counter().reset(seed=0)[1])
    env = Counter(signals=("menu", "potential", "expert", "describe"), privileged=True)
    _, info = env.reset(seed=0, options={"task": "two"})
    assert sorted(info["menu"]) == ["down", "stay", "up"]
    assert (info["potential"], info["expert"], info["describe"]) == (-2.0, "up", "You are at 0 and want 2.")
    assert info["privileged"] == '{"goal": 2}'
    info = env.step("up")[4]
    assert (info["potential"], info["expert"], info["describe"]) == (-1.0, "up", "You are at 1 and want 2.")
    info = env.step("up")[4]  # the end: nothing more to choose
    assert keys & set(info) == {"potential", "describe", "privileged"}
    validate_info(info)


def test_menus_are_shuffled_by_seed_and_turn_alone() -> None:
    def menus(seed: int, branch: int, action: str) -> list[list[str]]:
        env = Counter(signals=("menu",))
        out = [env.reset(seed=seed, options={"task": "two", "branch": branch})[1]["menu"]]
        return [*out, *(env.step(action)[4]["menu"] for _ in range(3))]

    assert menus(1, 0, "stay") == menus(1, 9, "down")
    assert len({tuple(menu) for seed in range(30) for menu in menus(seed, 0, "stay")}) == 6  # all orders come up


def test_signals_are_computed_once_a_turn() -> None:
    calls = []

    class Dear(Counter):
        def expert(self, state: Any) -> str:
            calls.append(state)
            return super().expert(state)

    env = Dear(signals=("expert",))
    env.reset(seed=0, options={"task": "two"})
    env.step("up")
    env.snapshot()
    env.fork(3)[0].snapshot()
    assert calls == [(0, 2), (1, 2)]


def test_a_state_that_did_not_change_is_not_hashed_again() -> None:
    hashed = []

    class Spied(Counter):
        def canonical(self, state: Any) -> Any:
            hashed.append(state)
            return state

    env = Spied()
    env.reset(seed=0, options={"task": "two"})
    for action in ("stay", "nonsense", "up", "stay"):
        env.step(action)
    assert hashed == [(0, 2), (1, 2)]


def test_hashes() -> None:
    env = Dice()
    _, first = env.reset(seed=0)
    info = env.step("pass")[4]
    assert info["state_hash"] == first["state_hash"]  # the turn counter is not part of it
    assert info["history_hash"] != first["history_hash"]
    assert info["state_hash"] != info["anchor_hash"]
    assert Counter().reset(seed=0)[1]["anchor_hash"] == Counter().reset(seed=0)[1]["state_hash"]
    # two ways to one sum: equal anchors, other states
    anchors = {}
    for seed in range(40):
        _, info = env.reset(seed=seed)
        anchors.setdefault(env.state[0], set()).add(info["anchor_hash"])
    assert all(len(found) == 1 for found in anchors.values())


def test_histories_differ_by_what_was_said_and_seen() -> None:
    def history(*actions: str) -> str:
        return str(chain(Counter(), 0, list(actions), task="two")[-1][-1]["history_hash"])

    assert history("stay") == history(" stay ")
    assert len({history("stay"), history("stay", "stay"), history("stays"), history("up", "down")}) == 4


def test_draws_are_of_seed_branch_and_turn() -> None:
    env = Dice()
    env.reset(seed=11)
    first = env.state[0]
    assert first == TurnRng(11).integers(1, 7)
    env.step("pass")
    env.step("roll")
    assert env.state[1] == TurnRng(11, 0, 1).integers(1, 7)  # one turn had been taken
    rolls = set()
    for branch in range(20):
        env.reset(seed=11, options={"branch": branch})
        assert env.state == (first,)  # members of a group start equal ...
        env.step("roll")
        rolls.add(env.state[1])
    assert rolls == {1, 2, 3, 4, 5, 6}  # ... and go on with draws of their own


# ---- Gymnasium -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_gymnasiums_checker_finds_nothing(name: str) -> None:
    env = gymnasium.make(f"test/{name}-v0", render_mode="ansi")
    check_env(env.unwrapped)
    assert env.unwrapped.env_id == f"test/{name}-v0"  # type: ignore[attr-defined]
    env.reset(seed=1)
    env.step("x")
    env.close()


def test_gymnasiums_checker_runs_on_the_world_as_a_user_makes_it() -> None:
    # -W error in another process: any warning of make, of its wrappers or of the checker ends it
    code = """
import gymnasium, worlds
from gymnasium.utils.env_checker import check_env
for name in worlds.WORLDS:
    env = gymnasium.make(f"worlds:test/{name}-v0", render_mode="ansi")
    check_env(env.unwrapped)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.render()
"""
    assert run_python(code) == ""


def test_rendering_is_the_last_observation_without_control_characters() -> None:
    env = Talk(render_mode="ansi")
    assert env.render() == ""
    env.reset(seed=0)
    assert env.render() == "Ada: good morning!"
    env.step("\x1b[31mred\r\n\u202etxt")
    assert env.render() == "Ada: �[31mred�\n�txt?"


def test_spaces_belong_to_one_world_and_stay_the_same_object() -> None:
    env = Counter()
    space = env.action_space
    env.reset(seed=0)
    copies = [env.copy(), *env.fork(2)]
    assert env.action_space is space
    assert len({id(one.action_space) for one in [env, *copies]}) == 4
    assert len({id(one.observation_space) for one in [env, *copies]}) == 4
    space.seed(1)
    before = copy.deepcopy(space)
    copies[0].action_space.seed(2)
    copies[0].action_space.sample()
    assert space.sample() == before.sample()


def test_mutable_worlds_share_nothing_between_copies() -> None:
    env = Ledger()
    env.reset(seed=0)
    env.step("one")
    twin, fork = env.copy(), env.fork()[0]
    moment = env.snapshot()
    env.step("two")
    twin.step("zwei")
    assert (env.state.entries, twin.state.entries, fork.state.entries) == (["one", "two"], ["one", "zwei"], ["one"])
    env.restore(moment)
    env.step("deux")
    fork.restore(moment)
    assert fork.state.entries == ["one"]


def test_the_pure_core_gives_what_step_gives() -> None:
    for name, world in WORLDS.items():
        env = world()
        env.reset(seed=3)
        opening = env.initial(env.panel.task(env.reset(seed=3)[1]["task"]), TurnRng(3))
        state = opening.state
        for turn, action in enumerate(script(name, 3, 10)):
            after, valid, _ = env.apply(env.copy_state(state), action, TurnRng(3, 0, turn))
            observation, _, terminated, truncated, info = env.step(action)
            assert (after.observation.replace("\ud800", "?"), valid) == (observation, info["valid"])
            state = after.state
            if terminated or truncated:
                break


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for name, world in WORLDS.items():
        chain(world(), 1, script(name, 1, 9))
    assert capsys.readouterr() == ("", "")
