"""A small coverage-guided fuzzer: bytes that reach new lines are kept and changed further.

It needs nothing but Python: lines are counted by `sys.settrace`, in the modules of this package alone. Equal seeds and
corpora give equal runs, so a failure is the same everywhere.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from types import CodeType, FrameType
from typing import Any

from agentgym import TurnRng

ROOT = Path(__file__).parents[2]
OURS = tuple(str(ROOT / part) for part in ("agentgym", "envs", "wrappers", "baselines"))
LONGEST = 16_384
"""Bytes of an input; what grows beyond is cut."""
SLOW = 2.0
"""Seconds of one run, tracing included, from which on it is a failure."""

Edge = tuple[CodeType, int, int]


@dataclass(frozen=True)
class Target:
    """What is fuzzed.

    Attributes:
        run: takes the bytes; raises nothing but `allowed`.
        allowed: the errors that stand for a refusal.
        seeds: inputs to begin with.
        words: pieces that inputs are put together from.
        json: whether inputs are JSON, or lines of it, whose values are changed too.
    """

    run: Callable[[bytes], object]
    allowed: tuple[type[Exception], ...] = ()
    seeds: Sequence[bytes] = (b"",)
    words: Sequence[bytes] = ()
    json: bool = False


@dataclass
class Found:
    """What a run of the fuzzer came to.

    Attributes:
        runs: how many inputs were tried.
        kept: those that reached new lines, in order, the seeds' among them.
        edges: pairs of lines that were reached.
        failures: (input, what was raised) of those that broke the target.
    """

    runs: int = 0
    kept: list[bytes] = field(default_factory=list)
    edges: set[Edge] = field(default_factory=set)
    failures: list[tuple[bytes, str]] = field(default_factory=list)


class Tracer:
    """Collects pairs of lines that follow each other in one function of this package."""

    def __init__(self) -> None:
        self.edges: set[Edge] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        last, edges, code = 0, self.edges, frame.f_code

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "line":
                edges.add((code, last, frame.f_lineno))
                last = frame.f_lineno
            return line

        return line


def tried(target: Target, data: bytes) -> tuple[set[Edge], str]:
    """Run a target on an input; return what was reached and what went wrong, "" for nothing."""
    tracer, before, wrong = Tracer(), sys.gettrace(), ""
    begin = monotonic()
    sys.settrace(tracer)
    try:
        target.run(data)
    except target.allowed:
        pass
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        wrong = f"{type(error).__name__}: {error}"[:300]
    finally:
        sys.settrace(before)
    seconds = monotonic() - begin
    if not wrong and seconds > SLOW:
        wrong = f"it took {seconds:.1f} s"
    return tracer.edges, wrong


def fuzz(target: Target, corpus: Sequence[bytes], *, runs: int = 0, seconds: float = 0.0, seed: int = 0) -> Found:
    """Try the corpus, then changes of what reached new lines, for so many runs or seconds, whichever is given."""
    found, rng = Found(), TurnRng(seed, stream="fuzz")
    begin = monotonic()
    for data in dict.fromkeys((*target.seeds, *corpus)):
        _take(found, target, data)
    while found.runs < runs or (seconds and monotonic() - begin < seconds):
        kept = found.kept or [b""]
        shaped = target.json and rng.random() < 0.6
        _take(found, target, reshaped(kept, rng) if shaped else changed(kept, target.words, rng))
    return found


def _take(found: Found, target: Target, data: bytes) -> None:
    edges, wrong = tried(target, data)
    found.runs += 1
    if wrong:
        found.failures.append((data, wrong))
    elif not edges <= found.edges:
        found.kept.append(data)
    found.edges |= edges


def changed(kept: Sequence[bytes], words: Sequence[bytes], rng: TurnRng) -> bytes:
    """Return one of the inputs with one to four changes; late ones, which reached rarer lines, are taken more often."""
    at = max(rng.integers(len(kept)), rng.integers(len(kept)))
    data = bytearray(kept[at])
    for _ in range(1 + rng.integers(4)):
        place, end = sorted((rng.integers(len(data) + 1), rng.integers(len(data) + 1)))
        end = min(end, place + 1 + rng.integers(32))
        what = rng.integers(8)
        if what == 0 and data:
            data[min(place, len(data) - 1)] ^= 1 << rng.integers(8)
        elif what == 1:
            data[place:place] = bytes([rng.integers(256)])
        elif what == 2:
            del data[place:end]
        elif what == 3:
            data[place:place] = data[place:end]
        elif what == 4 and words:
            data[place:place] = rng.choice(words)
        elif what == 5 and words:
            data[place:end] = rng.choice(words)
        elif what == 6:
            other = kept[rng.integers(len(kept))]
            begin = rng.integers(len(other) + 1)
            data[place:place] = other[begin : begin + rng.integers(64)]
        else:
            data[place:end] = bytes(data[place:end])[::-1]
    return bytes(data[:LONGEST])


ODD: Sequence[Any] = (
    None, True, False, 0, -1, 2**63, 10**40, 0.5, -0.0, 1e308, "", "a", "\ud800", "x" * 200, [], {}, [[]], [None],
    [0, 1], {"": ""}, {"a": 1}, [["a", 0]], "null", "1",
)  # fmt: skip
"""What a value is changed into."""


def reshaped(kept: Sequence[bytes], rng: TurnRng) -> bytes:
    """Return an input of JSON, or of lines of it, with one to three of its values changed, moved, doubled or lost."""
    lines = kept[max(rng.integers(len(kept)), rng.integers(len(kept)))].split(b"\n")
    at = rng.choice([number for number, line in enumerate(lines) if line] or [0])
    try:
        held: list[Any] = [json.loads(lines[at])]
    except (ValueError, RecursionError):
        return changed(kept, (), rng)
    for _ in range(1 + rng.integers(3)):
        places = list(_places(held, held))[1:]
        if not places:
            break
        inside, key = rng.choice(places)
        what = rng.integers(5)
        if what == 0:
            del inside[key]
        elif what == 1:
            other, there = rng.choice(places)
            with suppress(LookupError):
                inside[key] = other[there]
        elif what == 2 and isinstance(inside, list):
            inside.insert(key, inside[key])
        elif what == 3 and isinstance(inside, dict):
            inside[rng.choice([*inside, "", "a"])] = inside.pop(key)
        else:
            inside[key] = rng.choice(ODD)
    try:
        lines[at] = json.dumps(held[0] if held else None).encode()
    except (ValueError, RecursionError):  # a value that was moved into itself
        return changed(kept, (), rng)
    return b"\n".join(lines)[:LONGEST]


def _places(inside: Any, root: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of every value, the outermost first."""
    keys = list(inside) if isinstance(inside, dict) else range(len(inside)) if isinstance(inside, list) else ()
    for key in keys:
        yield inside, key
        if depth < 8:
            yield from _places(inside[key], root, depth + 1)


def stored(folder: Path) -> list[bytes]:
    """Return the inputs of a folder, by name."""
    return [path.read_bytes() for path in sorted(folder.glob("*"))] if folder.is_dir() else []


def store(folder: Path, inputs: Sequence[bytes]) -> int:
    """Write inputs into a folder, each under its hash; return how many were new."""
    folder.mkdir(parents=True, exist_ok=True)
    new = 0
    for data in inputs:
        place = folder / blake2b(data, digest_size=6).hexdigest()
        if not place.exists():
            place.write_bytes(data)
            new += 1
    return new
