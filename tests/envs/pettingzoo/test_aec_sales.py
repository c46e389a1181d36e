"""A buyer with a mind of its own: what it may choose, and what the choice is worth to either side."""

import pytest

pytest.importorskip("pettingzoo")

from agentgym import ToolCall
from agentgym.envs.pettingzoo import sales_v0
from agentgym.envs.sales import value


def at_the_decision(seed, act):
    """Return an environment whose user_0 is to say a draft with this act, or None where none comes up."""
    env = sales_v0.raw_env()
    env.reset(seed=seed)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        if env.agent_selection == "agent_0":
            env.step(env.world.expert(env.world.state))
        elif env.infos["user_0"]["act"] == act:
            return env
        else:
            env.step("")
    return None


def decisions(act, n=3):
    found = (at_the_decision(seed, act) for seed in range(60))
    envs = [env for env, _ in zip((env for env in found if env is not None), range(n), strict=False)]
    assert len(envs) == n
    return envs


def test_a_buyer_who_takes_the_offer_is_paid_what_it_gains() -> None:
    for env in decisions("accepts"):
        assert env.observe("user_0")["choices"] == "declines leaves"
        env.step("")
        assert env.infos["agent_0"]["end_reason"] == "solved"
        state = env.world.state
        gained, price = value.gained(state.case, state.product, state.price), state.case.prices[state.product]
        assert gained >= 0
        assert env.rewards["user_0"] == pytest.approx(min(gained / (price / 5), 1.0))
        # half for the sale, a quarter each for the margin and for what the buyer has of it
        margin = env.infos["agent_0"]["metrics"]["margin"]
        assert env.rewards["agent_0"] == pytest.approx(0.5 + 0.25 * margin + 0.25 * env.rewards["user_0"])


def test_a_buyer_may_decline_or_leave_instead() -> None:
    for env in decisions("accepts"):
        (other,) = env.fork(1)
        env.step("[declines] I want to think about it.")
        assert env.agent_selection == "agent_0" and not any(env.terminations.values())
        assert env.rewards == {"agent_0": 0.0, "user_0": 0.0}
        assert env.observe("agent_0") == {"text": "I want to think about it."}
        other.step("[leaves] No, thank you.")
        assert other.infos["agent_0"]["end_reason"] == "user_left"
        assert other.rewards == {"agent_0": 0.0, "user_0": 0.0}


def test_a_buyer_may_take_what_does_it_no_good_and_both_pay_for_it() -> None:
    env = sales_v0.raw_env()
    worse = 0
    for seed in range(40):
        env.reset(seed=seed)
        name = env.world.state.case.shelf[0].name
        for action in (f"Take the {name}.", ToolCall("close", {})):
            if env.agent_selection == "agent_0":
                env.step(action)
            while env.agent_selection == "user_0":
                env.step("[accepts] Done!" if "accepts" in env.infos["user_0"]["choices"] else "")
        if env.infos["agent_0"]["end_detail"] == "sold, but the buyer is worse off":
            worse += 1
            assert env.rewards["agent_0"] == 0.0 > env.rewards["user_0"] >= -1.0
    assert worse > 5


def test_what_is_quoted_is_heard_and_what_is_looked_up_is_not() -> None:
    env = sales_v0.raw_env()
    env.reset(seed=0)
    name = env.world.state.case.shelf[0].name
    env.step(ToolCall("lookup", {"product": name}))
    assert env.agent_selection == "agent_0"
    sheet = env.observe("agent_0")["text"]
    env.step(f"May I tell you about the {name}?")
    env.step("Please do.")
    price = env.world.state.case.prices[0] / 100
    env.step(ToolCall("quote", {"price": price}))
    assert env.agent_selection == "user_0"
    seen = env.observe("user_0")
    assert "offers" in seen["heard"] and name in seen["heard"]
    assert sheet not in f"{seen} {env.infos['user_0']}"
    assert seen["card"] not in f"{env.observe('agent_0')} {env.infos['agent_0']}"
