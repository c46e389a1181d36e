"""Rows of emotional_support: steps of whole talks, messages heard before and never heard, resets, moments, hashes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from agentgym import TurnRng
from agentgym.digest import state_hash
from agentgym.envs.emotional_support import hearing
from agentgym.envs.emotional_support.analyser import analyse
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost

SEED = 7

Talk = tuple[str, tuple[str, ...]]
"""A task, and what the expert says in it."""


@lru_cache(maxsize=2)
def talks(number: int) -> Sequence[Talk]:
    """Return so many talks that the expert leads, of stories far apart."""
    env = EmotionalSupportEnv()
    every = env.panel["train"]
    found = []
    for task in every[:: max(1, len(every) // number)][:number]:
        state, said = env.initial(task, TurnRng(SEED)).state, []
        for turn in range(env.max_turns):
            said.append(env.advice(state))
            made = env.apply(state, said[-1], TurnRng(SEED, 0, turn))[0]
            if made.outcome is not None:
                break
            state = made.state
        found.append((task.id, tuple(said)))
    return found


def forget() -> None:
    """Forget all readings of whole messages; words, cues and stories stay known."""
    hearing._read.cache_clear()


def steps(clock: Clock, setting: Setting) -> Iterator[Line]:
    played, env = talks(setting.episodes), EmotionalSupportEnv()
    units = sum(len(said) for _, said in played)

    def begun() -> list[EmotionalSupportEnv]:
        worlds = []
        for task, _ in played:
            env.reset(seed=SEED, options={"task": task})
            worlds.append(env.copy())
        return worlds

    def new() -> list[EmotionalSupportEnv]:
        forget()
        return begun()

    def play(worlds: list[EmotionalSupportEnv]) -> None:
        for world, (_, said) in zip(worlds, played, strict=True):
            for text in said:
                world.step(text)

    def reset(_: None) -> None:
        for task, _said in played:
            env.reset(seed=SEED, options={"task": task})

    def read(contexts: list[tuple[str, object]]) -> None:
        for text, context in contexts:
            analyse(text, context)  # type: ignore[arg-type]

    heard = moments(played)
    contexts = [(text, world.state.context()) for world, text in heard]
    works = {
        "before": Work(play, units, begun),
        "never": Work(play, units, new),
        "reading": Work(lambda _: read(contexts), len(contexts)),  # type: ignore[arg-type]
        "reset": Work(reset, len(played)),
        "calibration": calibration(),
    }
    times = clock.alternate(setting, works)
    of = times["calibration"]
    yield cost("emotional_support: step, a message heard before", "step", times["before"], of, 100e-6)
    yield cost("emotional_support: step, a message never heard", "step", times["never"], of)
    yield cost("emotional_support: the reading of a message", "message", times["reading"], of)
    yield cost("emotional_support: reset", "reset", times["reset"], of, 20e-6)


def moments(played: Sequence[Talk]) -> list[tuple[EmotionalSupportEnv, str]]:
    """Return each talk halfway, and what is said next."""
    found = []
    for task, said in played:
        env = EmotionalSupportEnv()
        env.reset(seed=SEED, options={"task": task})
        for text in said[: len(said) // 2]:
            env.step(text)
        found.append((env, said[len(said) // 2]))
    return found


def keeping(clock: Clock, setting: Setting) -> Iterator[Line]:
    halfway = [world for world, _ in moments(talks(setting.episodes))]
    saved = [(world, world.snapshot()) for world in halfway]
    n = len(halfway)
    works = {
        "fork": Work(lambda _: [world.fork() for world in halfway], n),
        "restore": Work(lambda _: [world.restore(moment) for world, moment in saved], n),
        "state hash": Work(lambda _: [state_hash(world.canonical(world.state)) for world in halfway], n),
        "calibration": calibration(),
    }
    times = clock.alternate(setting, works)
    for name, target in (("fork", 20e-6), ("restore", 20e-6), ("state hash", 10e-6)):
        unit = "hash" if name == "state hash" else name
        yield cost(f"emotional_support: {name}", unit, times[name], times["calibration"], target)
