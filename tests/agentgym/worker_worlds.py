"""A world that dies, hangs and raises where it is told to, for tests of workers; processes import it by name."""

import multiprocessing
import os
import re
import signal
import time
from typing import Any

from agentgym import AgentEnv, Opening, Task, Turn, TurnRng


class Brittle(AgentEnv[int]):
    """Counts turns; an action does what it is called."""

    panel = (Task("a"), Task("b"))
    max_turns = 5

    def __init__(self, *, refuses: str = "", unlike: bool = False, codes: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        home = multiprocessing.parent_process() is None
        if refuses and not home:
            if refuses == "dies":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(f"no {refuses} here")
        if unlike and not home:
            self.version = "other"  # type: ignore[misc]
        self.codes = codes

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        if rng.seed == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        if rng.seed == 14:
            time.sleep(60)
        if rng.seed == 15:
            raise ConnectionError("no answer")
        return Opening(0, f"Begin {task.id}.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        word = action.text.partition(" ")[0]
        if word == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "leave":
            os._exit(7)
        if word == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        if word == "hang":
            time.sleep(60)
        if word == "spin":  # without ever letting another thread of this process run
            re.match(r"(a?){60}a{60}$", "a" * 60)
        if word == "fail":
            raise ConnectionError("no answer")
        if word == "odd":
            raise Odd(1, 2)
        if word == "wait":
            time.sleep(float(action.text.partition(" ")[2]))
        return Turn(state + 1, f"{action.text} {state + 1}")

    def pid(self) -> int:
        """Return the process that this world is in."""
        return os.getpid()


class Odd(Exception):
    """An exception that cannot be read back from a pickle."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two} are odd")
