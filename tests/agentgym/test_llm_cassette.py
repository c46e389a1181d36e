"""Cassettes: what is recorded comes again to the letter, what is missing is said, what is damaged is refused."""

import json
import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest

from agentgym.llm import Cassette, CassetteError, CassetteMiss, Completion, key_of, open_cassette
from agentgym.llm.cassette import canonical

ONE: dict[str, Any] = {"model": "toy", "messages": [{"role": "user", "content": "Good day"}], "seed": 1}
TWO = {**ONE, "seed": 2}
FINE = Completion("fine\u2028 – ñ", "stop", "", (), (7, 3), "toy-1")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "talk.jsonl")


def recorded(path: str, *requests: dict[str, Any]) -> None:
    cassette = Cassette(path, "toy", "record")
    for request in requests:
        cassette.keep(request, FINE)


def test_a_request_is_known_by_what_it_says_in_whatever_order() -> None:
    turned = {"seed": 1, "messages": [{"content": "Good day", "role": "user"}], "model": "toy"}
    assert canonical(ONE) == canonical(turned) and key_of(ONE) == key_of(turned) != key_of(TWO)
    assert canonical({"b": 1, "a": "ñ"}) == '{"a":"\\u00f1","b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        key_of({"temperature": float("nan")})


def test_what_was_recorded_is_replayed(path: str) -> None:
    recorded(path, ONE)
    head, line = Path(path).read_text("ascii").splitlines()
    assert json.loads(head) == {"schema": "agentgym.Cassette/1", "model": "toy"}
    assert json.loads(line) == {"key": key_of(ONE), "request": ONE, "reply": FINE.packed()}
    again = Cassette(path, "toy")
    assert again.find(ONE) == FINE and again.find(TWO) is None and len(again) == 1
    with pytest.raises(CassetteError, match="only replayed: open it with mode='record'"):
        again.keep(TWO, FINE)


def test_the_first_reply_stands_and_what_is_known_is_not_written_again(path: str) -> None:
    first, second = Cassette(path, "toy", "record"), Cassette(path, "toy", "record")
    assert first.keep(ONE, FINE) == FINE
    assert second.keep(ONE, Completion("other")) == FINE  # it had not read on since it was opened
    assert second.keep(TWO, Completion("two")).text == "two" and first.find(TWO).text == "two"  # type: ignore[union-attr]
    assert len(Path(path).read_bytes().splitlines()) == 3


def test_a_miss_says_what_is_missing_where_it_differs_and_what_to_do(path: str) -> None:
    recorded(path, ONE, {**ONE, "model": "zoo"})
    error = Cassette(path, "toy").miss(TWO)
    assert isinstance(error, CassetteMiss)
    said = str(error)
    assert f"no reply to the request {key_of(TWO)}, whose last message is 'Good day'" in said
    assert "of its 2 requests, in line 2, has" in said and '"seed":1}' in said and '"seed":2}' in said
    assert "mode='record'" in said
    (empty := Path(path).with_name("empty.jsonl")).write_text(
        canonical({"schema": "agentgym.Cassette/1", "model": "toy"}) + "\n"
    )
    assert "it is empty" in str(Cassette(empty, "toy").miss(ONE))


def test_one_of_another_model_is_refused_by_name(path: str) -> None:
    recorded(path)
    for mode in ("replay", "record"):
        with pytest.raises(CassetteError, match="is of the model 'toy', not of 'zoo': name that model"):
            Cassette(path, "zoo", mode)


def test_what_cannot_be_replayed(path: str, tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match=r"there is no cassette .*talk.jsonl: record one"):
        Cassette(path, "toy")
    Path(path).write_text("")
    with pytest.raises(CassetteError, match="is empty, which is no cassette"):
        Cassette(path, "toy")
    for text in ('{"schema": "agentgym.RolloutLog/1"}\n', "[]\n", '{"model": "toy"}\n'):
        Path(path).write_text(text)
        with pytest.raises(CassetteError, match="does not begin as a cassette does"):
            Cassette(path, "toy")
    with pytest.raises(CassetteError, match="cannot read the cassette"):
        Cassette(tmp_path, "toy")
    with pytest.raises(CassetteError, match=r"cannot write the cassette .*No such file"):
        Cassette(tmp_path / "no" / "where.jsonl", "toy", "record")
    with pytest.raises(ValueError, match="unknown mode 'recrod' of a cassette; did you mean 'record'"):
        Cassette(path, "toy", "recrod")


@pytest.mark.parametrize(
    "line", ["{", "3", '{"key": "a"}', '{"key": "a", "request": {}, "reply": 3}', "[" * 100_000, "\ud800"]
)
def test_a_damaged_line_is_named(path: str, line: str) -> None:
    recorded(path, ONE)
    size = len(Path(path).read_bytes())
    with open(path, "ab") as file:
        file.write(line.encode("utf-8", "surrogatepass") + b"\n")
    with pytest.raises(CassetteError, match=rf"line 3 \(byte {size}\): this is no line of a cassette"):
        Cassette(path, "toy")


def test_a_request_changed_by_hand_is_found_out(path: str) -> None:
    recorded(path, ONE)
    Path(path).write_text(Path(path).read_text().replace("Good day", "Good night"))
    with pytest.raises(CassetteError, match=r"line 2 .*changed by hand: record it anew"):
        Cassette(path, "toy")


def test_a_line_cut_at_any_byte_costs_that_line_alone(path: str) -> None:
    recorded(path, ONE, TWO)
    raw = Path(path).read_bytes()
    start = raw.rindex(b"\n", 0, -1) + 1
    for cut in (*range(start + 1, len(raw), 29), len(raw) - 1):
        Path(path).write_bytes(raw[:cut])
        with pytest.warns(UserWarning, match=f"the last {cut - start} bytes, from byte {start} on"):
            left = Cassette(path, "toy")
        assert left.find(ONE) == FINE and left.find(TWO) is None
        with pytest.warns(UserWarning, match=f"cut off {cut - start} bytes of an unfinished line at byte {start}"):
            Cassette(path, "toy", "record").keep(TWO, FINE)
        assert Path(path).read_bytes() == raw


def test_one_whose_head_was_cut_begins_anew(path: str) -> None:
    Path(path).write_bytes(b'{"schema": "agen')
    with pytest.warns(UserWarning, match="cut off 16 bytes of an unfinished line at byte 0"):
        recorded(path, ONE)
    assert Cassette(path, "toy").find(ONE) == FINE


def test_threads_write_whole_lines(path: str) -> None:
    cassette = Cassette(path, "toy", "record")
    requests = [{**ONE, "seed": seed % 40} for seed in range(160)]
    threads = [threading.Thread(target=lambda i=i: [cassette.keep(r, FINE) for r in requests[i::8]]) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Path(path).read_bytes().splitlines()) == 41 and len(Cassette(path, "toy")) == 40


def _record(path: str, name: str) -> None:
    cassette = Cassette(path, "toy", "record")
    for seed in range(30):
        cassette.keep({**ONE, "seed": seed}, Completion(f"{name} {seed}"))


def test_processes_share_a_file_and_each_request_has_one_reply(path: str) -> None:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_record, args=(path, name)) for name in "ab"]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
    assert [other.exitcode for other in others] == [0, 0]
    assert len(Path(path).read_bytes().splitlines()) == 31 and len(Cassette(path, "toy")) == 30


def test_one_object_a_file_while_somebody_holds_it(path: str) -> None:
    first = open_cassette(path, "toy", "record")
    assert open_cassette(Path(path), "toy", "record") is first and open_cassette(path, "toy") is not first
    with pytest.raises(CassetteError, match="is of the model 'toy'"):
        open_cassette(path, "zoo")
    first.keep(ONE, FINE)
    del first
    assert open_cassette(path, "toy", "record").find(ONE) == FINE


def test_one_in_memory_needs_no_file() -> None:
    held = open_cassette("", "toy", "record")
    held.keep(ONE, FINE)
    assert held.find(ONE) == FINE and open_cassette("", "toy", "record").find(ONE) is None
