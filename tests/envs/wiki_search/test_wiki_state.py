"""States: what counts and what does not, hashes, snapshots here and in another process."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from wiki_small import PAGES, TASKS, corpus, world

from agentgym import TurnRng
from agentgym.digest import decode, encode
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.library import Hit, Local, known, make_known
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.errors import SnapshotError

ROOT = Path(__file__).resolve().parents[3]
QUERIES = ("Orla Bridge", "Mara Venn", "Tamsin river")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


def after(env: WikiSearchEnv, *actions: str) -> dict[str, Any]:
    env.reset(seed=0, options={"task": "designer"})
    infos = [env.step(action)[-1] for action in actions]
    return dict(infos[-1])


def test_the_order_of_searches_does_not_count(folder: Path) -> None:
    env = world(folder)
    orders = [after(env, *(f"<search>{query}</search>" for query in order)) for order in permutations(QUERIES)]
    assert len({info["state_hash"] for info in orders}) == len({info["anchor_hash"] for info in orders}) == 1
    assert len({info["history_hash"] for info in orders}) == 6
    again = after(env, *(f"<search>{query}</search>" for query in (*QUERIES, *QUERIES)))
    assert again["state_hash"] == orders[0]["state_hash"]


def test_where_turns_are_read_their_order_counts(folder: Path) -> None:
    for given in ({"scoring": "slate"}, {"scoring": "mt_grpo", "codec": "search_r1"}, {"signals": ("novelty",)}):
        env = world(folder, **given)  # type: ignore[arg-type]
        one = after(env, "<search>Orla Bridge</search>", "<search>Mara Venn</search>")
        other = after(env, "<search>Mara Venn</search>", "<search>Orla Bridge</search>")
        assert one["state_hash"] != other["state_hash"] and one["anchor_hash"] != other["anchor_hash"]


def test_the_open_page_and_the_answer_are_part_of_the_state(folder: Path) -> None:
    env = world(folder)
    hashes = [
        after(env, *actions)["state_hash"]
        for actions in (
            ["<open>Orla</open>", "<open>Tamsin</open>"],
            ["<open>Tamsin</open>", "<open>Orla</open>"],
            ["<open>Tamsin</open>", "<open>Orla</open>", "<answer>a</answer>"],
            ["<open>Tamsin</open>", "<open>Orla</open>", "<answer>b</answer>"],
        )
    ]
    assert len(set(hashes)) == 4


def test_the_anchor_knows_nothing_of_gold_and_answers(folder: Path) -> None:
    """Two questions of one text, with other answers: equal to look at, but not the same."""
    data = next(task for task in TASKS if task.id == "designer").data
    found = []
    for answers in (["Oldhaven"], ["Sallow"]):
        env = world(folder, tasks=[type(TASKS[0])("designer", {**data, "answers": answers})])
        found.append(after(env, "<search>Orla Bridge</search>"))
    assert found[0]["anchor_hash"] == found[1]["anchor_hash"] and found[0]["state_hash"] != found[1]["state_hash"]


def test_hashes_know_library_and_rules(folder: Path, tmp_path: Path) -> None:
    worlds = [world(folder), world(corpus(tmp_path, {"More": "A page more."})), world(folder, k=4)]
    worlds.append(world(folder, scoring="f1"))
    hashes = {env.reset(seed=0, options={"task": "designer"})[1]["state_hash"] for env in worlds}
    assert len(hashes) == 4


@pytest.mark.parametrize("given", [{}, {"scoring": "mt_grpo", "codec": "tags"}, {"signals": ("novelty",)}])
def test_packed_states_come_back(folder: Path, given: dict[str, Any]) -> None:
    env = world(folder, **given)
    after(env, '<search>{"query": "Orla Bridge"}</search>', "<open>Tamsin</open>", "<plan>go on</plan>")
    packed = env.pack(env.state)
    assert env.unpack(decode(encode(packed))) == env.state


def test_states_hold_no_library(folder: Path) -> None:
    env = world(folder)
    env.reset(seed=0)
    state = env.state
    assert state.question.library is env._library
    with pytest.raises(KeyError, match="no library of the content 0123 is open in this process"):
        known("0123")
    library = Local(env._library.store, env._library.searcher)  # type: ignore[attr-defined]
    library.content = "fleeting"
    assert make_known(library) == "fleeting" and known("fleeting") is library
    del library
    gc.collect()
    with pytest.raises(KeyError):
        known("fleeting")


class Far:
    """A library that knows what it has shown, as one behind a server does."""

    lasting, size, content = False, 0, "far"

    def __init__(self) -> None:
        self.shown: dict[int, Passage] = {}

    def search(self, query: str, k: int) -> list[Hit]:
        found = [Passage(title, text) for title, text in PAGES.items() if query in text][:k]
        self.keep(found)
        return [Hit(key_of(passage), 1.0, passage) for passage in found]

    def titled(self, title: str) -> list[Hit]:
        return [hit for hit in self.search(PAGES.get(title, "?")[:30], 1) if hit.passage.title == title]

    def passage(self, key: int) -> Passage:
        return self.shown[key]

    def keep(self, passages: Any) -> None:
        self.shown.update((key_of(passage), passage) for passage in passages)


def key_of(passage: Passage) -> int:
    return int(passage_key(passage)[:15], 16)


def test_snapshots_carry_passages_that_a_library_may_not_know(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import agentgym.envs.wiki_search.tasks as module

    libraries = [Far(), Far()]
    monkeypatch.setattr(module, "open_library", lambda *given: libraries.pop(0))
    here, there = world(folder), world(folder)
    info = after(here, "<search>Mara Venn</search>", "<open>Orla Bridge</open>")
    saved = here.snapshot().to_bytes()
    here._library.shown.clear()  # type: ignore[attr-defined]
    make_known(there._library)
    assert there.restore(saved)[1] == info
    assert "designed by Mara Venn and opened in 1842" in there.describe(there.state)
    assert there.step("<lookup>iron</lookup>")[0].endswith("The Orla Bridge is an iron bridge in Brenford.")


def test_a_snapshot_goes_on_in_another_process(folder: Path, tmp_path: Path) -> None:
    env = world(folder, signals=("novelty", "hops", "describe", "expert"), scoring="slate")
    after(env, "<think>Bridge</think><search>Orla Bridge</search>", "<open>Mara Venn</open>")
    (tmp_path / "moment").write_bytes(env.snapshot().to_bytes())
    actions = ["<search>Orla Bridge</search>", "<lookup>born</lookup>", "<answer>Oldhaven</answer>"]
    here = [env.step(action) for action in actions]
    code = (
        "import json, pathlib, sys\n"
        "from wiki_small import world\n"
        "env = world(sys.argv[1], signals=('novelty', 'hops', 'describe', 'expert'), scoring='slate')\n"
        "env.restore(pathlib.Path(sys.argv[2]).read_bytes())\n"
        "print(json.dumps([env.step(action) for action in json.loads(sys.argv[3])]))\n"
    )
    given = [sys.executable, "-c", code, str(folder), str(tmp_path / "moment"), json.dumps(actions)]
    paths = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "7"}
    done = subprocess.run(given, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(here))


def test_a_snapshot_of_another_corpus_is_refused(folder: Path, tmp_path: Path) -> None:
    env, other = world(folder), world(corpus(tmp_path, {"More": "A page more."}))
    after(env, "<search>Orla Bridge</search>")
    with pytest.raises(SnapshotError):
        other.restore(env.snapshot().to_bytes())


def test_describe_tells_what_was_seen_whatever_the_order(folder: Path) -> None:
    env = world(folder)
    after(env, "<open>Tamsin</open>", "<open>Orla</open>")
    told = env.describe(env.state)
    assert told.split("\n") == [
        "Question: Where was the designer of the Orla Bridge born?",
        "Passages seen: 2",
        f"(Title: Orla) {PAGES['Orla']}",  # in the order of the corpus
        f"(Title: Tamsin) {PAGES['Tamsin']}",
        "Open page: Orla",
    ]
    after(env, "<answer>a <b> c</answer>")
    assert env.describe(env.state).endswith("Passages seen: 0\nAnswered: a &lt;b> c")


def test_describe_is_cut_where_much_was_seen(tmp_path: Path) -> None:
    """61 pages more than 60: the last is counted; each text of 305 characters loses 5."""
    more = {f"Page {number:03}": "common " + "x" * 298 for number in range(61)}
    env = world(corpus(tmp_path, more), max_turns=100)
    after(env, *(f"<open>{title}</open>" for title in more))
    lines = env.describe(env.state).split("\n")
    assert lines[1] == "Passages seen: 61" and lines[-2:] == ["… 1 more", "Open page: Page 060"]
    assert len(lines) == 2 + 60 + 2 and lines[2] == f"(Title: Page 000) common {'x' * 293}… (5 more characters)"


def test_what_is_privileged(folder: Path) -> None:
    env = world(folder, privileged=True)
    _, info = env.reset(seed=0, options={"task": "designer"})
    assert json.loads(info["privileged"]) == {
        "answers": ["an accepted answer: Oldhaven"],
        "gold": ["a gold page: Orla Bridge", "a gold page: Mara Venn"],
        "hops": ["a step: Who designed the Orla Bridge? -> Mara Venn", "a step: Where was #1 born? -> Oldhaven"],
    }


def test_openings_are_shared_by_the_members_of_a_group(folder: Path) -> None:
    env = world(folder)
    assert env.initial(TASKS[0], TurnRng(1)) is env.initial(TASKS[0], TurnRng(2))
