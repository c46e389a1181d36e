import copy
import gc
import math
import multiprocessing
import pickle
import threading
import time
import timeit
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.envs.wiki_search import bm25, bm25_build, sealed
from agentgym.envs.wiki_search.passages import Passage, Store
from agentgym.envs.wiki_search.tokens import tokens
from agentgym.errors import DataError
from tests.corpora import SMALL, Words, store
from tests.corpora import word as nth_word


def index(made: Store) -> bm25.Index:
    folder = made.folder.parent / "bm25"
    bm25.build(made, folder)
    return bm25.open_index(folder, made)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, bm25.Index]:
    """6,000 passages: the commonest words have more postings than are added one by one."""
    made = store(tmp_path_factory.mktemp("large"), Words(3_000, shift=2.0).passages(6_000, 25))
    return made, index(made)


WAYS: dict[str, dict[str, float]] = {
    "sorted": {"_FEW": 1 << 30, "_PART": 0.001},
    "all": {"_FEW": 0, "_SMALL": 1 << 30},
    "added": {"_FEW": 0, "_SMALL": 0},
    "looked up": {"_FEW": 0, "_SMALL": 0, "_SHORT": 600, "_SHARE": 1 << 30, "_LANES": 64},
    "rows only": {"_FEW": 0, "_SMALL": 0, "_SHORT": 0, "_SHARE": 1 << 30, "_LANES": 8},
}
"""Constants that lead every query one way, long lists of postings being added up or looked up in rows."""


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(bm25, name, value)
    return str(request.param)


def plain(made: Store, query: str, k: int) -> list[tuple[int, float]]:
    """Return the ranking by the formula, passage by passage."""
    documents = [tokens(f"{p.title} {p.text}") for p in made]
    mean = sum(map(len, documents)) / len(documents)
    scores = [0.0] * len(documents)
    for word in tokens(query):
        holders = sum(word in document for document in documents)
        idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        for place, document in enumerate(documents):
            times = document.count(word)
            share = times / (times + 1.5 * (1 - 0.75 + 0.75 * len(document) / mean)) if times else 0.0
            scores[place] += float(np.float32(idf * share))  # an index keeps 4 bytes of it
    ranked = sorted(((-round(score, 6), place) for place, score in enumerate(scores) if score > 0))
    return [(place, -score) for score, place in ranked[:k]]


def test_scores_by_hand(tmp_path: Path) -> None:
    # Words: "red fox", "red", "red fox fox dog", so N = 3 and the mean length is (2 + 1 + 4) / 3 = 7 / 3.
    made = index(store(tmp_path, [Passage("red", "fox"), Passage("", "red"), Passage("red", "fox fox dog")]))
    # fox: in 2 of 3, idf = ln(1 + 1.5 / 2.5) = ln 1.6 = 0.470004.
    # passage 0: 1 / (1 + 1.5 · (0.25 + 0.75 · 2 · 3 / 7)) = 1 / 2.339286 = 0.427481; · idf = 0.200918
    # passage 2: 2 / (2 + 1.5 · (0.25 + 0.75 · 4 · 3 / 7)) = 2 / 4.303571 = 0.464730; · idf = 0.218425
    assert made.search("fox") == [(2, pytest.approx(0.218425, abs=1e-6)), (0, pytest.approx(0.200918, abs=1e-6))]
    # a word of the query that stands there twice counts twice: 0.436850, 0.401836
    assert made.search("Fox, fox!") == [(2, pytest.approx(0.436850, abs=2e-6)), (0, pytest.approx(0.401836, abs=2e-6))]


def test_titles_count_and_words_that_are_nowhere_do_not(tmp_path: Path) -> None:
    made = index(store(tmp_path))
    assert [found for found, _ in made.search("river Porto")] == [2, 3, 1]
    assert made.search("unicorn") == made.search("of the") == made.search("") == []
    assert made.search("Lisbon unicorn") == made.search("Lisbon")


def test_equal_scores_stand_in_the_order_of_ids(tmp_path: Path) -> None:
    same = [Passage(f"p{number % 7}", f"apple {number:04}") for number in range(3_000)]  # equally long, one apple each
    made = index(store(tmp_path, same))
    found = made.search("apple", 5)
    assert [place for place, _ in found] == [0, 1, 2, 3, 4]
    assert len({score for _, score in found}) == 1
    assert [place for place, _ in made.search("apple p3", 4)] == [3, 10, 17, 24]
    assert [place for place, _ in made.search("p3 apple", 500)[426:431]] == [2985, 2992, 2999, 0, 1]  # 3 + 7 · 428


def test_there_may_be_fewer_than_k(tmp_path: Path) -> None:
    made = index(store(tmp_path))
    assert len(made.search("Madrid", 100)) == 1
    assert made.search("capital Spain", 1) == made.search("capital Spain", 3)[:1]


@pytest.mark.parametrize("k", [1, 2, 10, 100, 10_000])
@pytest.mark.usefixtures("way")
def test_the_ranking_is_that_of_every_score(large: tuple[Store, bm25.Index], k: int) -> None:
    made, held = large
    words = Words(3_000, shift=2.0, seed=1)
    queries = [words.text(length) for length in (1, 2, 2, 3, 5, 8, 8, 12)]
    rare, common = made[5].text.split()[0], Words(1, shift=1).text(1)
    queries += [common, f"{common} {common} {rare}", f"{rare} {common}"]
    documents = {place: set(tokens(f"{p.title} {p.text}")) for place, p in enumerate(made)}
    for query in queries:
        found = held.search(query, k)
        touched = sum(not documents[place].isdisjoint(tokens(query)) for place in documents)
        assert len(found) == min(k, touched)
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
        assert found == full(held, query)[:k], query


def full(held: bm25.Index, query: str) -> list[tuple[int, float]]:
    """Return the ranking of all passages that share a word with the query, by adding all postings."""
    scores = np.zeros(len(held))
    for word in tokens(query):
        if term := held._term(word):
            scores[term.ids] += term.values
    rounded = np.round(scores, 6)
    order = np.lexsort((np.arange(len(held)), -rounded))
    return [(int(place), float(rounded[place])) for place in order if scores[place] > 0]


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_small_corpus_ranks_by_the_formula(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    some = st.lists(st.sampled_from(["ab", "cd", "ef", "gh", "the", "x"]), max_size=6).map(" ".join)
    passages = data.draw(st.lists(st.builds(Passage, some, some), min_size=1, max_size=8))
    if not any(p.text.strip() for p in passages):
        return
    made = store(tmp_path_factory.mktemp("any"), passages)
    held, query, k = index(made), data.draw(some), data.draw(st.integers(1, 9))
    expected = plain(made, query, 99)
    found = held.search(query, k)
    assert [place for place, _ in found] == [place for place, _ in expected[:k]]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected[:k]], abs=1e-6)


@pytest.mark.usefixtures("way")
def test_the_ranking_stays_where_many_are_equal(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Passages of 6 words out of 40: few lengths and few counts, so that hundreds share a score; with rows of terms that
    # 30 passages hold, few values each, and with one that is held to be common by nobody (it has too many values).
    monkeypatch.setattr(bm25_build, "FEWEST", 30)
    monkeypatch.setattr(bm25_build, "COMMON", 40)
    monkeypatch.setattr(bm25_build, "VALUES", 6)
    draw = np.random.Generator(np.random.PCG64(5))
    some = [" ".join(f"w{n}" for n in np.minimum(draw.geometric(0.08, draw.integers(4, 8)), 40)) for _ in range(1_500)]
    made = store(tmp_path_factory.mktemp("ties"), [Passage(str(place), text) for place, text in enumerate(some)])
    held = index(made)
    terms = [term for number in range(1, 41) if (term := held._term(f"w{number}"))]
    assert {term.row is None for term in terms} == {True, False}
    ties = 0
    for _ in range(150):
        words = np.minimum(draw.geometric(draw.choice([0.05, 0.1, 0.3]), draw.integers(1, 12)), 41).tolist()
        query, k = " ".join(f"w{number}" for number in words), int(draw.choice([1, 2, 5, 10, 40, 700, 2_000]))
        expected = full(held, query)
        assert held.search(query, k) == expected[:k], (query, k)
        ties += len(expected) > k and expected[k - 1][1] == expected[k][1]
        assert all(not scratch.scores.any() for scratch in held._scratch)
    assert ties > 20  # the end of a ranking often falls among equal scores


def test_a_row_gives_the_values_of_the_postings(large: tuple[Store, bm25.Index]) -> None:
    made, held = large
    rows = 0
    for number in range(400):
        term = held._term(nth_word(number))
        if term is None or term.row is None:
            continue
        rows += 1
        shares = term.shares(np.arange(len(made)))
        expected = np.zeros(len(made))
        expected[term.ids] = term.values
        assert shares.tolist() == expected.tolist()
        assert term.repeated(3).shares(term.ids).tolist() == (term.values.astype(np.float64) * 3).tolist()
    assert rows == len(held._common) > 20


def test_the_same_as_bm25s(large: tuple[Store, bm25.Index]) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed here")
    made, held = large
    theirs = bm25s.BM25()
    theirs.index(bm25s.tokenize([f"{p.title} {p.text}" for p in made], show_progress=False), show_progress=False)
    words = Words(3_000, shift=2.0, seed=2)
    for query in [words.text(length) for length in (1, 2, 3, 4, 5, 6, 8, 10) * 4]:
        scores = theirs.get_scores(tokens(query)).astype(np.float64)
        found = held.search(query, 10)
        assert [score for _, score in found] == pytest.approx(np.sort(scores)[::-1][:10].tolist(), abs=1e-5)
        assert [score for _, score in found] == pytest.approx(scores[[place for place, _ in found]].tolist(), abs=1e-5)
        best = np.argsort(-scores, kind="stable")[:10].tolist()  # theirs has 4-byte sums: near ties may change places
        apart = [a for a, b in zip(found, best, strict=True) if a[0] != b]
        assert all(abs(score - scores[best[found.index((place, score))]]) < 1e-5 for place, score in apart)


def test_what_is_no_query_is_a_callers_error(tmp_path: Path) -> None:
    made = index(store(tmp_path))
    with pytest.raises(TypeError, match="a query is a str, not NoneType"):
        made.search(None)  # type: ignore[arg-type]
    for k in (0, -1, True, 2.0, "3"):
        with pytest.raises(ValueError, match="k must be an int of at least 1, not"):
            made.search("Lisbon", k)  # type: ignore[arg-type]
    assert made.search("\ud800 Lisbon \x00") == made.search("Lisbon")


def test_one_open_index_a_path_and_its_store_is_checked(tmp_path: Path) -> None:
    made = store(tmp_path)
    held = index(made)
    assert bm25.open_index(tmp_path / "bm25") is held
    assert copy.deepcopy(held) is held
    assert pickle.loads(pickle.dumps(held)) is held
    other = store(tmp_path / "other", SMALL[:3])
    with pytest.raises(DataError, match=r"bm25 is no index of the passages in .*other/passages: build it anew with"):
        bm25.open_index(tmp_path / "bm25", other)
    bm25.build(other, tmp_path / "bm25")
    assert bm25.open_index(tmp_path / "bm25", other) is not held
    assert [place for place, _ in held.search("Madrid")] == [4]  # the old one still reads what it had


def test_a_query_takes_no_longer_where_only_other_passages_are_more(tmp_path: Path) -> None:
    times = []
    for count in (500, 5_000):
        made = store(tmp_path / str(count), [*SMALL, *Words(500).passages(count, 12)])
        held = index(made)
        assert sorted(place for place, _ in held.search("capital Portugal")) == [0, 2, 3, 4, 5]
        asked = timeit.Timer(lambda held=held: held.search("capital Portugal"), timer=time.process_time)
        times.append(min(asked.repeat(repeat=9, number=100)))
    assert times[1] < 3 * times[0]  # scoring every passage would take ten times as long


def test_threads_and_forked_processes_search_one_index(large: tuple[Store, bm25.Index]) -> None:
    made, held = large
    queries = [made[place].text[:60] for place in range(0, 6_000, 150)]
    expected = [held.search(query) for query in queries]
    results: dict[int, list[object]] = {}

    def work(number: int) -> None:
        results[number] = [held.search(query) for query in queries]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == expected for number in range(4))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(held.search, queries) == expected


def test_a_damaged_posting_is_named_by_the_query_that_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25_build, "FEWEST", 1)  # so that there are rows
    made = store(tmp_path)
    bm25.build(made, tmp_path / "bm25")
    for name in sorted(path.name for path in (tmp_path / "bm25").glob("*.array")):
        raw = (tmp_path / "bm25" / name).read_bytes()
        (tmp_path / "bm25" / name).write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
        with pytest.raises(DataError, match=rf"{name} is damaged .*: build it anew with agentgym data index"):
            bm25.Index(tmp_path / "bm25").search("Lisbon")
        (tmp_path / "bm25" / name).write_bytes(raw[:-1])
        with pytest.raises(DataError, match=rf"{name} has {len(raw) - 1} bytes instead of {len(raw)}: build it anew"):
            bm25.Index(tmp_path / "bm25")
        (tmp_path / "bm25" / name).write_bytes(raw)
    assert bm25.Index(tmp_path / "bm25").search("Madrid")[0][0] == 4


def test_opening_reads_no_posting(tmp_path: Path) -> None:
    made = store(tmp_path)
    bm25.build(made, tmp_path / "bm25")
    for name in ("docs.array", "scores.array", "terms.array", "hashes.array"):
        raw = (tmp_path / "bm25" / name).read_bytes()
        (tmp_path / "bm25" / name).write_bytes(bytes(len(raw)))
    held = bm25.Index(tmp_path / "bm25")  # so it did not see them
    with pytest.raises(DataError, match="is damaged"):
        held.search("Lisbon")


def test_an_index_of_the_old_layout_is_refused_by_name(tmp_path: Path) -> None:
    made = store(tmp_path)
    bm25.build(made, tmp_path / "bm25")
    arrays = {name: dtype for name, dtype in bm25_build.ARRAYS.items() if name not in bm25_build.ROWS}
    sealed.seal(tmp_path / "bm25", "bm25", {"passages": made.content, "count": 6}, arrays)
    expected = r"bm25 holds 'bm25' of format 1, not 'bm25 with rows' of format 1: build it anew with agentgym data"
    with pytest.raises(DataError, match=expected):
        bm25.open_index(tmp_path / "bm25", made)


def test_terms_with_equal_hashes_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bm25, bm25.build.__globals__):
        monkeypatch.setitem(vars(module) if module is bm25 else module, "term_hash", lambda term: len(term))
    made = store(tmp_path)
    held = index(made)
    assert [held.search(query, 3) for query in ("Porto", "Tagus river", "Spain", "nowhere")] == [
        plain_places(made, query) for query in ("Porto", "Tagus river", "Spain", "nowhere")
    ]


def plain_places(made: Store, query: str) -> list[tuple[int, float]]:
    return [(place, pytest.approx(score, abs=1e-6)) for place, score in plain(made, query, 3)]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system does not tell the open files of a process")
def test_an_index_that_nobody_holds_leaves_no_file_open(tmp_path: Path) -> None:
    """Files are closed with the last reference, not when the garbage collector comes by: a process may have 1,024."""
    made = store(tmp_path, SMALL)
    index(made)

    def opened() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    gc.collect()
    gc.disable()
    try:
        before = opened()
        for _ in range(20):
            held = bm25.Index(tmp_path / "bm25")
            held.search("river", 3)
            assert opened() > before
            del held
        assert opened() == before
    finally:
        gc.enable()
