"""The dialogue worlds in both views, and how an episode is played in each."""

from importlib import import_module

import gymnasium

from agentgym.envs.pettingzoo import WORLDS


def module(name):
    return import_module(f"agentgym.envs.pettingzoo.{name}")


def hashes(info):
    return info["state_hash"], info["anchor_hash"], info["history_hash"]


def action_of(world, state, turn, seed):
    """Return the expert's action, but senseless ones in some turns, and at last only such, of every other seed."""
    if seed % 2 and (turn % 5 == 3 or turn > 12 or (seed % 4 == 3 and turn > 2)):
        return ("Have a nice day.", "", '<tool_call>{"name": "nothing"}</tool_call>', "Is it raining?")[turn % 4]
    return world.advice(state)


def play_gymnasium(name, seed, **arguments):
    """Return what each turn of an episode gives in the world itself, one row a turn."""
    env = gymnasium.make(WORLDS[name], disable_env_checker=True, **arguments).unwrapped
    text, info = env.reset(seed=seed)
    rows, over = [(text, 0.0, False, False, info)], False
    while not over:
        action = action_of(env, env.state, info["turn"], seed)
        text, reward, terminated, truncated, info = env.step(action)
        rows.append((text, reward, terminated, truncated, info))
        over = terminated or truncated
    return rows


def play_aec(env, seed, words=lambda seen: ""):
    """Return the same rows of an episode with two agents: agent_0 as above, user_0 by `words` of its observation."""
    env.reset(seed=seed)
    raw = env.unwrapped
    rows, turns = [(raw.observe("agent_0")["text"], 0.0, False, False, raw.infos["agent_0"])], 1
    for agent in env.agent_iter():
        seen, _, over, cut, info = env.last()
        if over or cut:
            env.step(None)
            continue
        action = words(seen) if agent == "user_0" else action_of(raw.world, raw.world.state, info["turn"], seed)
        env.step(action)
        if raw.infos["agent_0"]["turn"] == turns:
            turns += 1
            ended = raw.terminations["agent_0"], raw.truncations["agent_0"]
            rows.append((raw.observe("agent_0")["text"], raw.rewards["agent_0"], *ended, raw.infos["agent_0"]))
    return rows
