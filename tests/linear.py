"""Whether a parser takes linear time, measured so that a disturbed machine does not fail it."""

import contextlib
import gc
import math
import time
from collections.abc import Callable
from typing import Any

from agentgym import InvalidAction


def seconds(parse: Callable[[str], Any], text: str, times: int = 7) -> float:
    """Return the least process time of so many readings of a text; refusals count as readings.

    Without the garbage collector, whose rounds grow with all that the process holds, as timeit does it.
    """
    best = math.inf
    gc.disable()
    try:
        for _ in range(times):
            start = time.process_time()
            with contextlib.suppress(InvalidAction):
                parse(text)
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


def ratios(parse: Callable[[str], Any], make: Callable[[int], str], size: int, times: int = 7) -> list[float]:
    """Return how many times longer the text of `size` takes than that of a tenth; up to three tries, the last is best.

    What takes under 1 ms for the long text is linear enough and too short to be measured: 0. Quadratic time is 100.
    """
    found: list[float] = []
    while not found or (found[-1] > 15 and len(found) < 3):
        long, short = seconds(parse, make(size), times), seconds(parse, make(size // 10), times)
        found.append(0.0 if long < 0.001 else long / short)
    return found
