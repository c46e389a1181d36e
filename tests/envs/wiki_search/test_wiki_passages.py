import copy
import multiprocessing
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.wiki_search.passages import Passage, Store, build_store, open_store
from agentgym.errors import DataError
from tests.corpora import SMALL, store
from tests.processes import run_python


def test_passages_are_read_back_in_their_order(tmp_path: Path) -> None:
    made = store(tmp_path)
    assert len(made) == 6
    assert tuple(made) == SMALL
    assert made[4] == Passage("Madrid", "Madrid is the capital of Spain.")


@pytest.mark.parametrize("passage", [6, -1])
def test_an_id_that_is_not_there_is_named(tmp_path: Path, passage: int) -> None:
    with pytest.raises(IndexError, match=f"no passage {passage}: there are 6, from 0 on"):
        store(tmp_path)[passage]


def test_equal_and_empty_passages_are_left_out_and_counted(tmp_path: Path) -> None:
    made = store(
        tmp_path,
        [
            Passage("a", "one"),
            Passage("a", ""),
            Passage("a", "two"),  # same title, another text: kept
            Passage("b", "one"),  # same text, another title: kept
            Passage("a", "one"),
            Passage("c", " \n"),
            Passage("a", "one"),
        ],
    )
    assert [(p.title, p.text) for p in made] == [("a", "one"), ("a", "two"), ("b", "one")]
    assert (made.empty, made.repeated) == (2, 2)


def test_title_and_text_cannot_run_into_each_other(tmp_path: Path) -> None:
    made = store(tmp_path, [Passage("ab", "c"), Passage("a", "bc"), Passage("", "abc")])
    assert (len(made), made.repeated) == (3, 0)
    assert [p.title for p in made] == ["ab", "a", ""]


def test_titles_are_looked_up_to_the_letter_then_without_case_and_blanks(tmp_path: Path) -> None:
    made = store(tmp_path, [*SMALL, Passage("New  York", "A city."), Passage("lisbon", "In lower case.")])
    assert made.titled("Lisbon") == (0, 5)
    assert made.titled("lisbon") == (7,)
    assert made.titled("LISBON") == (0, 5, 7)
    assert made.titled(" new york ") == (6,)
    assert made.titled("York") == ()


@given(passages=st.lists(st.builds(Passage, st.text(max_size=5), st.text(max_size=5)), min_size=1, max_size=12))
def test_any_passages_come_back(tmp_path_factory: pytest.TempPathFactory, passages: list[Passage]) -> None:
    kept = list(dict.fromkeys(p for p in passages if p.text.strip()))
    folder = tmp_path_factory.mktemp("any")
    if not kept:
        with pytest.raises(DataError, match=f"no passage to keep, {len(passages)} were empty"):
            build_store(passages, folder)
        return
    made = build_store(passages, folder)
    assert list(made) == kept
    for passage in kept:
        assert passage in [made[found] for found in made.titled(passage.title)]


def test_half_characters_become_question_marks(tmp_path: Path) -> None:
    assert store(tmp_path, [Passage("a\ud800", "b\udfff")])[0] == Passage("a?", "b?")


def test_no_passages_at_all_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no passage to keep, there were none at all: give at least one with a text"):
        build_store([], tmp_path)


def test_the_content_hash_is_that_of_the_passages_in_their_order(tmp_path: Path) -> None:
    first = store(tmp_path / "1")
    assert store(tmp_path / "2", [*SMALL, SMALL[0], Passage("x", "")]).content == first.content  # what is left out
    assert store(tmp_path / "3", SMALL[::-1]).content != first.content
    assert store(tmp_path / "4", SMALL[:5]).content != first.content


def test_every_process_builds_the_same_bytes(tmp_path: Path) -> None:
    code = "import pathlib, sys; from tests.corpora import store; print(store(pathlib.Path(sys.argv[1])).content)"
    made = {run_python(code, str(tmp_path / seed), PYTHONHASHSEED=seed).strip() for seed in ("1", "2")}
    assert made == {store(tmp_path).content}
    for name in sorted(path.name for path in (tmp_path / "passages").glob("*.array")):
        assert (tmp_path / "1" / "passages" / name).read_bytes() == (tmp_path / "2" / "passages" / name).read_bytes()


def test_one_open_store_a_path_and_a_new_one_when_it_was_built_anew(tmp_path: Path) -> None:
    first = store(tmp_path)
    assert open_store(tmp_path / "passages") is first
    assert open_store(os.path.relpath(tmp_path / "passages")) is first
    assert copy.deepcopy(first) is first
    assert pickle.loads(pickle.dumps(first)) is first
    second = store(tmp_path, SMALL[:2])
    assert open_store(tmp_path / "passages") is second
    assert (len(second), len(first)) == (2, 6)
    assert tuple(first) == SMALL  # whoever holds the old one still reads it


def test_a_forked_process_reads_the_same_passages(tmp_path: Path) -> None:
    made = store(tmp_path)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(made.titled, ("Lisbon",)) == (0, 5)
        assert pool.apply(_sixth, (str(tmp_path / "passages"),)) == SMALL[5]


def _sixth(folder: str) -> Passage:
    return open_store(folder)[5]


def test_progress_tells_how_many_were_read(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    made = build_store((Passage("t", str(n)) for n in range(9000)), tmp_path, lambda *step: told.append(step), "here")
    assert told == [(4096, 0), (8192, 0)]
    assert made.source == "here"


def test_a_source_that_fails_leaves_nothing_that_opens(tmp_path: Path) -> None:
    def broken() -> Iterator[Passage]:
        yield SMALL[0]
        raise RuntimeError("the disk is gone")

    store(tmp_path)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        store(tmp_path, broken())
    with pytest.raises(DataError, match=r"passages is half-written: it has no manifest.json: build it anew with"):
        Store(tmp_path / "passages")
    assert len(store(tmp_path)) == 6
