"""What is fuzzed by coverage: the parsers, the digests, the readers of files, the loaders of public data."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from guided import Target
from worlds import Shop

from agentgym import BatchError, InvalidAction, Snapshot, SnapshotError, TurnBatch, canary, data
from agentgym.action import clean, strip_think
from agentgym.codec import CODECS
from agentgym.digest import decode, encode
from agentgym.errors import LogError
from agentgym.llm.endpoint import read_completion
from agentgym.log.lines import read_lines
from agentgym.snapshot import _MAGIC as MAGIC


def pieces(text: str) -> list[bytes]:
    """Return the words of a text as bytes."""
    return [word.encode() for word in text.split()]


JSON = [
    *pieces('{ } [ ] : , " \\ null true false 0 -1 1e400 NaN "a" \\ud800 1.5 {} [] {"a":'),
    b" ", b"\n", b"\xc3\xa9", b"\xff", b"9" * 40, b"[" * 40,
]  # fmt: skip
TAGS = [
    *pieces("<look> </look> <sell> </sell> <think> </think> <tool_call> </tool_call> <search> </search>"),
    *pieces('<answer> </answer> <information> Observation: Thought: ``` {"name": "arguments": look item3 Action:'),
    b"Action Input:", b"Final Answer:",
]  # fmt: skip


def text_of(raw: bytes) -> str:
    """Return bytes as a text that may hold anything, lone surrogates among it."""
    return raw.decode("utf-8", "surrogateescape").replace("\udcff", "\ud800")


@cache
def shop(dialect: str) -> Shop:
    return Shop(codec=dialect)


def parsed(dialect: str) -> Callable[[bytes], None]:
    """Parse a text; what is an action can be written and is read back as the same action."""

    def run(raw: bytes) -> None:
        env = shop(dialect)
        action = env.parse(text_of(raw)[: env.max_action])
        codec: Any = env._codec
        try:
            written = codec.render(action, env._tools)
        except ValueError:  # some texts have no form in some dialects
            return
        assert env.parse(written) == action, (written, action)

    return run


def thought(raw: bytes) -> None:
    text = text_of(raw)
    once = strip_think(clean(text))
    assert strip_think(once) == once
    clean(text).encode()


def arguments(raw: bytes) -> None:
    given = json.loads(raw)
    if not isinstance(given, dict):
        raise ValueError("no object")
    for spec in shop("tags")._tools.values():
        with suppress(InvalidAction):
            spec.check(given)


def decoded(raw: bytes) -> None:
    value = decode(raw)
    assert encode(value) == raw or decode(encode(value)) == value


def moment(raw: bytes) -> None:
    env = Shop()
    env.restore(Snapshot.from_bytes(raw))


def forged(raw: bytes) -> None:
    """Restore from bytes whose digest agrees with them, whatever they are."""
    moment(MAGIC + blake2b(raw, digest_size=16).digest() + raw)


def body() -> bytes:
    return saved()[len(MAGIC) + 16 :]


@cache
def folder() -> Path:
    keep = tempfile.TemporaryDirectory(prefix="fuzz-")
    KEPT.append(keep)
    return Path(keep.name)


KEPT: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that go when the process ends."""


def file_of(raw: bytes, name: str) -> Path:
    path = folder() / name
    path.write_bytes(raw)
    return path


def jsonl(raw: bytes) -> None:
    batch = TurnBatch.from_jsonl(file_of(raw, "batch.jsonl"))
    again = folder() / "again.jsonl"
    batch.to_jsonl(again)
    assert TurnBatch.from_jsonl(again) == batch


def npz(raw: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy warns of headers that Python 2 might have written
        TurnBatch.from_npz(file_of(raw, "batch.npz"))


@cache
def archive() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(written("npz"))) as held:
        return {name: held.read(name) for name in held.namelist()}


def header() -> bytes:
    """Return the member of an archive that says what it holds."""
    return next(iter(archive().values()))


def members(raw: bytes) -> None:
    """Read an archive in which one member, that of the first byte's number, holds the other bytes."""
    names = list(archive())
    wrong = names[(raw[0] if raw else 0) % len(names)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made_again:
        for name, held in archive().items():
            made_again.writestr(name, raw[1:] if name == wrong else held)
    npz(out.getvalue())


def parquet(raw: bytes) -> None:
    TurnBatch.from_parquet(file_of(raw, "batch.parquet"))


def messages(raw: bytes) -> None:
    given = json.loads(raw)
    TurnBatch.from_messages(given)


def judged(raw: bytes) -> None:
    canary.judge(json.loads(raw))


def log(raw: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a line that is cut
        list(read_lines(file_of(raw, "log.jsonl")))


def completion(raw: bytes) -> None:
    read_completion(raw, {"model": "m", "messages": []})


def loaded(kind: str, name: str, others: Mapping[str, bytes] = {}) -> Callable[[bytes], None]:
    """Read a folder of a public set, one of whose files holds the bytes."""

    def run(raw: bytes) -> None:
        place = folder() / kind
        for file, held in {**others, name: raw}.items():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_bytes(held)
        data.read(kind, place)

    return run


def small_batch() -> TurnBatch:
    rows = [
        {"group": "g", "trajectory": k, "turn": t, "turn_reward": 0.5, "outcome_reward": float(t), "action": "a",
         "token_ids": [1, 2], "components": {"x": 1.0}, "menu": ["a", "b"], "menu_logprobs": [-0.1, -2.3]}
        for k in range(2) for t in range(2)
    ]  # fmt: skip
    return TurnBatch.from_rows(rows)


def written(suffix: str) -> bytes:
    path = folder() / f"seed.{suffix}"
    getattr(small_batch(), f"to_{suffix}")(path)
    return path.read_bytes()


def logged() -> bytes:
    from agentgym import collect

    path = folder() / "seed-log.jsonl"
    path.unlink(missing_ok=True)
    collect(Shop, lambda views: ["<look>item3</look>"] * len(views), group_size=1, log=path)
    return path.read_bytes()


def saved() -> bytes:
    env = Shop()
    env.reset(seed=0)
    env.step('<sell>{"key": "item4", "count": 2}</sell>')
    return env.snapshot().to_bytes()


CALL = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TALK = [
    [
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "x"}]},
        {"role": "assistant", "content": "a"},
    ]
]  # fmt: skip
NAMES = (
    "role content user assistant system tool tool_calls function name arguments id type text tool_use tool_result from "
    "value human gpt messages conversations rewards outcome success group task trajectory input tool_use_id refusal"
)
MESSAGE_WORDS = [*JSON, *(b'"%b"' % word for word in pieces(NAMES))]
PLAYED = [{"role": "user", "content": "Wages game 5: Your move."}, {"role": "assistant", "content": "amber"}]
CANARY = [
    {
        "messages": PLAYED, "reward": 0.0, "group": 1, "ids": [1, 2], "pieces": ["a", "amber"], "mask": [0, 1],
        "sampled": [[2]], "logprobs": [0, -1], "rescored": [0, -1], "advantages": [0, 0.5], "truncated": False,
    }
]  # fmt: skip
HOTPOT = [
    {
        "_id": "a", "question": "Who?", "answer": "Ann", "type": "bridge", "level": "easy",
        "supporting_facts": [["A", 0]], "context": [["A", ["Ann is."]], ["B", ["Bob is."]]],
    }
]  # fmt: skip
MUSIQUE = {
    "id": "2hop__1_2", "question": "Who?", "answer": "Ann", "answer_aliases": [], "answerable": True,
    "paragraphs": [{"idx": 0, "title": "A", "paragraph_text": "Ann.", "is_supporting": True}],
    "question_decomposition": [{"id": 1, "question": "q", "answer": "Ann", "paragraph_support_idx": 0}],
}  # fmt: skip
COMPLETION = {
    "choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 2},
}  # fmt: skip
FELT = {"emotion1": "Sad", "emotion2": "Glad", "emotion1_score": 3, "emotion2_score": 4}
EQ = {
    "1": {"prompt": "A: hi\n\nA would feel:\nSad\nGlad", "reference_answer": FELT, "reference_answer_fullscale": FELT}
}
EMO = {
    "qid": 1, "language": "en", "scenario": "s", "subject": "A", "choices": ["a", "b"], "label": "a",
    "emotion_label": "a", "cause_label": "b", "emotion_choices": ["a", "b"], "cause_choices": ["a", "b"],
    "coarse_category": "c",
}  # fmt: skip
SPIDER = [{"db_id": "d", "question": "q", "query": "SELECT 1"}]
ENCODED = (None, True, -7, 1.5, "ü", b"\x00", (1, "a"), [1, {2}], {"a": (1.0, {"b"})})


def made(value: Any) -> bytes:
    return json.dumps(value).encode()


def targets() -> dict[str, Target]:
    """Return every target by name; those whose library is absent are left out."""
    found = {
        f"codec-{name}": Target(parsed(name), (InvalidAction,), (b"<look>item3</look>", b"hello"), (*TAGS, *JSON))
        for name in CODECS
    }
    sets = (
        ("hotpotqa", "hotpot_dev_distractor_v1.json", HOTPOT), ("musique", "musique_ans_v1.0_dev.jsonl", MUSIQUE),
        ("eq-bench", "eq_bench_v2_questions_171.json", EQ), ("emobench", "EU.jsonl", EMO),
        ("spider", "dev.json", SPIDER),
    )  # fmt: skip
    for kind, name, held in sets:
        found[kind] = Target(loaded(kind, name), (data.DataError,), (made(held) + b"\n",), JSON, json=True)
    no_json = (ValueError, RecursionError)
    codes = pieces("( ) [ ] { } i s f N T F")
    found |= {
        "think": Target(thought, (), (b"<think>a</think>b",), TAGS),
        "arguments": Target(arguments, no_json, (b'{"key": "item3", "count": 1}',), JSON, json=True),
        "digest": Target(decoded, (ValueError, TypeError), tuple(map(encode, ENCODED)), codes),
        "snapshot": Target(moment, (SnapshotError,), (saved(),)),
        "snapshot-forged": Target(forged, (SnapshotError,), (body(),), codes),
        "jsonl": Target(
            jsonl, (BatchError,), (written("jsonl"),), (*JSON, *pieces("$tuple $utf8 $items $shape")), json=True
        ),
        "npz": Target(npz, (BatchError,), (written("npz"),)),
        "npz-members": Target(members, (BatchError,), (b"\x00" + header(), b"\x01\x93NUMPY"), JSON),
        "messages": Target(messages, (BatchError, *no_json), (made(TALK),), MESSAGE_WORDS, json=True),
        "canary": Target(judged, (BatchError, *no_json, TypeError), (made(CANARY),), MESSAGE_WORDS, json=True),
        "log": Target(log, (LogError,), (logged(),), JSON, json=True),
        "completion": Target(completion, (ValueError,), (made(COMPLETION),), JSON, json=True),
    }
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return found
    return {**found, "parquet": Target(parquet, (BatchError,), (written("parquet"),))}
