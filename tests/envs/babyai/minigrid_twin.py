"""minigrid and our kernel side by side: the comparison the differential and the oracle tests share."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agentgym.envs.babyai import kernel, levels, text
from agentgym.envs.babyai.mission import Part, Seq
from agentgym.envs.babyai.state import COLORS, GridState, carried, color_of, objects, type_of


def facts(state: GridState) -> dict[str, Any]:
    """Return a state's facts in the oracle files' form (a, c, d, o, p)."""
    doors = [[*state.level.xy(o.cell), o.color, o.state] for o in objects(state) if o.type == "door"]
    others = [
        [*state.level.xy(o.cell), o.type, o.color, *content(o.type, o.content)]
        for o in objects(state)
        if o.type != "door"
    ]
    hand = carried(state)
    in_hand = None if hand is None else [hand.type, hand.color, *content(hand.type, hand.content)]
    return {"a": [*state.xy, state.dir], "c": in_hand, "d": doors, "o": others, "p": progress(state)}


def content(kind: str, inside: tuple[str, ...]) -> list[Any]:
    return [] if kind != "box" else [list(inside) or None]


def progress(state: GridState, part: Part | None = None) -> list[Any]:
    """Return the instruction as the oracle files write it: [class] or [class, a, b, [a …], [b …]]."""
    part = part or state.level.mission_tree
    if not isinstance(part, Seq):
        return [{"go to": "GoTo", "pick up": "Pickup", "open": "Open", "put next": "PutNext"}[part.verb] + "Instr"]
    marks = ["success" if state.done >> half.node & 1 else "continue" for half in (part.a, part.b)]
    if state.failed and part.order != "and" and not part.strict:
        # A strict deed broke: the half that was being judged says so.
        order = (1, 0) if part.order == "after" else (0, 1)
        marks[next(i for i in order if marks[i] == "continue")] = "failure"
    return [part.order.title() + "Instr", *marks, progress(state, part.a), progress(state, part.b)]


def minigrid_facts(env: Any) -> dict[str, Any]:
    """Return the facts of a minigrid environment, `p` included."""
    doors, others = [], []
    for y in range(env.height):
        for x in range(env.width):
            cell = env.grid.get(x, y)
            if cell is None or cell.type == "wall":
                continue
            if cell.type == "door":
                doors.append([x, y, cell.color, "open" if cell.is_open else "locked" if cell.is_locked else "closed"])
            else:
                others.append([x, y, *_thing(cell)])
    hand = None if env.carrying is None else _thing(env.carrying)
    agent = [int(env.agent_pos[0]), int(env.agent_pos[1]), int(env.agent_dir)]
    return {"a": agent, "c": hand, "d": doors, "o": others, "p": minigrid_progress(env.instrs)}


def _thing(item: Any) -> list[Any]:
    inside = (item.contains.type, item.contains.color) if item.contains is not None else ()
    return [item.type, item.color, *content(item.type, inside)]


def minigrid_progress(instr: Any) -> list[Any]:
    if not hasattr(instr, "instr_a"):
        return [type(instr).__name__]
    halves = [minigrid_progress(instr.instr_a), minigrid_progress(instr.instr_b)]
    marks = [mark or "continue" for mark in (instr.a_done, instr.b_done)]
    # An "and" notes a half's failure and goes on as if nothing had been; a strict sequence can fail in either half,
    # which its verdict tells and our state does not repeat.
    if type(instr).__name__ == "AndInstr" or instr.strict:
        marks = ["continue" if mark == "failure" else mark for mark in marks]
    return [type(instr).__name__, *marks, *halves]


def image(state: GridState) -> list[list[list[int]]]:
    """Return what our view shows as minigrid's 7 x 7 x 3 observation: type, colour, state; zeros where hidden."""
    view = text.look(state)
    seen = text.visible(view)
    columns = [[[0, 0, 0] for _ in range(7)] for _ in range(7)]
    for column in range(7):
        for row in range(7):
            code = state.carry if (column, row) == (3, 6) else view[7 * column + row]
            if seen[row] >> column & 1:
                columns[column][row] = _pixel(state, code)
    return columns


def _pixel(state: GridState, code: int) -> list[int]:
    if code < 2:
        return [[1, 0, 0], [2, 5, 0]][code]  # empty, grey wall
    kind = ("door", "key", "ball", "box").index(type_of(state.level, code))
    color = COLORS.index(color_of(state.level, code))
    return [4 + kind, color, (code - 2) % 3 if kind == 0 else 0]


class Twin:
    """The same world twice; `step` plays an action in both and asserts that they agree in every fact and view."""

    def __init__(self, level: str, seed: int, env: Any = None) -> None:
        self.env = levels.make_minigrid(level) if env is None else env
        with levels._silence():
            self.env.reset(seed=seed)
        self.state = levels.from_minigrid(self.env)
        self.name = f"{level} seed {seed}"
        self.steps = 0
        self.over = False
        assert facts(self.state) == minigrid_facts(self.env), self.name

    def step(self, action: int) -> None:
        """Raises AssertionError, naming level, seed and step, at the first difference."""
        seen, reward, terminated, truncated, _ = self.env.step(action)
        self.state, verdict = kernel.step(self.state, action)
        self.steps += 1
        limit = self.state.level.max_steps
        ours = (
            kernel.reward(self.steps, limit) if verdict == "success" else 0,
            verdict != "continue",
            self.steps >= limit and verdict == "continue",
        )
        # minigrid says terminated and truncated when the last allowed step solves it; terminated is enough.
        theirs = (reward, bool(terminated), bool(truncated) and not terminated)
        assert ours == theirs, f"{self.name} step {self.steps} action {action}: {ours} for {theirs}"
        mine, other = facts(self.state), minigrid_facts(self.env)
        assert mine == other, f"{self.name} step {self.steps} action {action}: {mine} for {other}"
        assert self.env.mission == self.state.level.mission
        assert seen["image"].tolist() == image(self.state), f"{self.name} step {self.steps} action {action}: the view"
        self.over = bool(terminated or truncated)


# minigrid's bot hangs with growing memory on the first and breaks on the others; they are played at random only.
BOTLESS = (
    "BabyAI-UnlockToUnlock-v0",
    "BabyAI-KeyInBox-v0",
    "BabyAI-PutNextS5N2Carrying-v0",
    "BabyAI-PutNextS6N3Carrying-v0",
    "BabyAI-PutNextS7N4Carrying-v0",
)
WEIGHTS = (16, 16, 34, 12, 8, 11, 3)  # of the seven actions in random play


def play_at_random(level: str, seed: int, steps: int) -> Twin:
    """Play up to `steps` random actions in both worlds."""
    twin, draw = Twin(level, seed), random.Random(seed)
    for _ in range(steps):
        if twin.over:
            break
        twin.step(draw.choices(range(7), WEIGHTS)[0])
    return twin


def play_the_bot(level: str, seed: int, steps: int, noise: float = 0.0) -> Twin:
    """Play up to `steps` actions of minigrid's bot, a share of them random, until it ends or gives up."""
    from minigrid.utils.baby_ai_bot import BabyAIBot, DisappearedBoxError

    twin, draw = Twin(level, seed), random.Random(seed)
    bot, action = BabyAIBot(twin.env), None
    for _ in range(steps):
        try:
            with seconds(10):
                wanted = int(bot.replan(action))
        except (AssertionError, TimeoutError, DisappearedBoxError, AttributeError, IndexError, TypeError):
            break  # the bot's own faults; what was played up to here has been compared
        action = draw.randrange(7) if draw.random() < noise else wanted
        twin.step(action)
        if twin.over:
            break
    return twin


@contextmanager
def seconds(limit: float) -> Iterator[None]:
    """Raise TimeoutError in the block after `limit` seconds (main thread only)."""

    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
