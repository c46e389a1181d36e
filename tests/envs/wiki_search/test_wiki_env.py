"""The world as it is played: calls, what is shown, outcomes, ends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from wiki_small import PAGES, TASKS, corpus, world

from agentgym import EndReason, Task, TaskPanel, ToolCall
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.library import Local, RetrieverError
from agentgym.envs.wiki_search.passages import Passage, open_store
from agentgym.errors import DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("corpus"))


def started(folder: Path, task: str, **arguments: Any) -> WikiSearchEnv:
    env = world(folder, **arguments)
    env.reset(seed=0, options={"task": task})
    return env


def line(number: int, title: str) -> str:
    return f"Doc {number} (Title: {title}) {PAGES[title]}"


def test_an_episode_from_question_to_answer(folder: Path) -> None:
    env = world(folder, signals=("critique", "potential", "hops"))
    observation, info = env.reset(seed=0, options={"task": "designer"})
    assert observation == "Question: Where was the designer of the Orla Bridge born?"
    system = info["messages"][0]["content"]
    assert "an encyclopedia of 30 passages" in system and "12 turns" in system and "3 if you give no k" in system

    observation, reward, _, _, info = env.step("Let me see. <search>Orla Bridge designed by</search>")
    assert observation.split("\n")[0] == line(1, "Orla Bridge") and observation.count("\n") == 2
    assert info["tag"] == "search" and info["tool_result"] is True and reward == 0.0
    # the search shows the bridge and whoever designed it: both gold pages at once
    assert info["metrics"] == {"shown": 3.0, "new_gold": 2.0, "recall": 1.0, "hops_resolved": 2.0}
    assert info["components"] == {"progress": 1.0} and info["step_score"] == info["potential"] == 1.0
    assert (info["critique"], info["subgoal"], info["switch"]) == (1.0, "step 1", True)

    observation, reward, terminated, truncated, info = env.step("<answer>oldhaven.</answer>")
    assert (observation, reward, terminated, truncated) == ("The answer is right.", 1.0, True, False)
    assert info["success"] and info["end_reason"] == "solved" and info["tag"] == info["end_detail"] == "right"
    assert (info["critique"], info["subgoal"], info["switch"]) == (1.0, "answer", True)


def test_a_search_that_shows_nothing_new(folder: Path) -> None:
    env = started(folder, "length", signals=("critique",))
    first = env.step("<search>Tamsin</search>")[-1]
    again = env.step("<search>the TAMSIN!</search>")[-1]
    assert (first["tag"], again["tag"], again["critique"], again["components"]) == ("search", "duplicate", -1.0, {})
    assert first["state_hash"] == again["state_hash"] and again["metrics"]["shown"] == 3.0


@pytest.mark.parametrize("query", ["the of and", "", "zzzz", "?!", "日本"])
def test_an_empty_result_is_a_valid_observation(folder: Path, query: str) -> None:
    env = started(folder, "length", signals=("critique",))
    observation, reward, terminated, _, info = env.step(ToolCall("search", {"query": query}))
    assert observation == "Nothing was found. Try other words." and not terminated and reward == 0.0
    assert (info["valid"], info["tag"], info["tool_result"], info["critique"]) == (True, "empty", False, -1.0)


def test_k_lies_between_1_and_20(folder: Path) -> None:
    env = started(folder, "length")
    for k, valid in ((0, False), (1, True), (20, True), (21, False), (-1, False)):
        observation, _, _, _, info = env.step(ToolCall("search", {"query": "Oldhaven", "k": k}))
        assert info["valid"] is valid
        if not valid:
            assert observation == f"args: search.k must lie between 1 and 20, not {k}"
    assert env.step('<search>{"query": "Oldhaven", "k": 1}</search>')[0] == line(1, "Oldhaven")
    assert "k must be of type integer" in env.step('<search>{"query": "Oldhaven", "k": "2"}</search>')[0]


def test_the_default_of_k_is_an_argument(folder: Path) -> None:
    env = started(folder, "length", k=5)
    schema = next(tool["function"] for tool in env.tool_schemas if tool["function"]["name"] == "search")
    assert schema["parameters"]["properties"]["k"]["default"] == 5
    assert env.step("<search>was born in</search>")[0].count("Doc ") == 5
    assert env.step('<search>{"query": "was born in", "k": 2}</search>')[0].count("Doc ") == 2
    assert WikiSearchEnv._tools["search"].parameters["properties"]["k"]["default"] == 3
    for wrong in (0, 21, "3", True, None):
        with pytest.raises(ValueError, match="k must be an int from 1 to 20"):
            world(folder, k=wrong)


def test_a_long_query_is_cut(folder: Path) -> None:
    env = started(folder, "length")
    observation, _, _, _, info = env.step(ToolCall("search", {"query": "Tamsin " + "x" * 2000}))
    assert observation.endswith("\n(Only the first 1,000 characters of the query were read.)") and info["valid"]
    # what lies behind the thousandth character is not read
    observation = env.step(ToolCall("search", {"query": "y" * 1000 + " Tamsin"}))[0]
    assert observation.startswith("Nothing was found.")
    env = started(folder, "length")
    info = env.step(ToolCall("search", {"query": "w" * 100_000}))[-1]
    assert not info["valid"] and info["error"].startswith("too_long")


def test_open_shows_a_page_and_lookup_its_sentences(folder: Path) -> None:
    env = started(folder, "mayor", signals=("critique",))
    observation, *_, info = env.step("<lookup>mayor</lookup>")
    assert observation == "lookup: no page is open; open one by its title first" and not info["valid"]
    observation, *_, info = env.step("<open>oldhaven</open>")
    assert observation == f"(Title: Oldhaven) {PAGES['Oldhaven']}" and info["tag"] == "open"
    assert info["metrics"] == {"shown": 1.0, "new_gold": 1.0, "recall": 0.25} and info["critique"] == 1.0
    observation, *_, info = env.step("<lookup>MAYOR is</lookup>")
    assert observation == "(Title: Oldhaven, result 1 of 1) Its mayor is Ines Tarn."
    assert (info["tag"], info["critique"]) == ("lookup", 0.0)
    observation, *_, info = env.step("<lookup>bridge</lookup>")
    assert observation == "(Title: Oldhaven) No sentence of this page holds that text."
    assert (info["tag"], info["critique"], info["valid"]) == ("missing", -1.0, True)
    assert env.step("<open>Oldhaven</open>")[-1]["tag"] == "duplicate"
    assert env.step("<lookup></lookup>")[-1]["tag"] == "missing"


def test_a_title_that_no_page_has_offers_the_nearest(folder: Path) -> None:
    env = started(folder, "length")
    before = env.state
    observation, *_, info = env.step("<open>Orla Brigde</open>")
    assert observation.split("\n")[:2] == ["There is no page with this title. The nearest ones:", "- Orla"]
    assert info["valid"] and info["tag"] == "missing" and env.state is before  # titles alone are no passages
    assert env.step("<open>xyzzy</open>")[0] == "There is no page with this title. Search for it."


@pytest.mark.parametrize(
    "title", ["../../etc/passwd", "/etc/passwd", "http://localhost/", "file:///etc/hosts", "C:\\x", "\0"]
)
def test_a_path_or_an_address_is_only_a_text(folder: Path, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins
    import socket

    env = started(folder, "length")
    env.step("<search>warm up</search>")

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"touched {args}")

    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr(socket, "socket", refuse)
    info = env.step(ToolCall("open", {"title": title}))[-1]
    assert info["valid"] and info["tag"] == "missing"


def test_titles_that_differ_in_case_are_offered(tmp_path: Path) -> None:
    env = started(corpus(tmp_path, {"ABBA": "A band.", "Abba": "A title of bishops."}), "length")
    assert env.step("<open>ABBA</open>")[0] == "(Title: ABBA) A band."
    observation, *_, info = env.step("<open>abba</open>")
    assert observation == "Several pages have this title. Open one of them:\n- ABBA\n- Abba"
    assert info["tag"] == "missing" and info["valid"]


def test_a_page_in_parts_is_shown_as_far_as_there_is_room(tmp_path: Path) -> None:
    """Six parts of some 4,000 characters: five make 20,000 and more with their headings, so four are shown."""
    parts = [Passage("Long", f"Part{number} " + "word " * 800 + f"end{number}.") for number in range(6)]
    env = started(corpus(tmp_path, parts), "length")
    observation, *_, info = env.step("<open>Long</open>")
    lines = observation.split("\n")
    assert lines[0].startswith("(Title: Long, part 1 of 6) Part0 word") and lines[3].endswith("end3.")
    assert lines[4:] == ["… 2 more parts: search for what you need"] and info["metrics"]["shown"] == 4.0
    assert len(env.state.seen) == 4
    observation, *_, info = env.step("<lookup>end5</lookup>")  # a part that was not shown
    assert observation.startswith("(Title: Long, result 1 of 1) Part5 word") and len(env.state.seen) == 5
    assert observation.endswith("… (3,011 more characters)")  # 5 of "Part5", 801 blanks, 3,200 of "word", 5 of "end5."


def test_long_texts_and_titles_are_cut_visibly(tmp_path: Path) -> None:
    """A text of 1,003 characters loses 3 in a search and none on its page; a title of 250 loses 50 everywhere."""
    title, text = "T" * 249 + "z", "cutme " + "a" * 997
    env = started(corpus(tmp_path, {title: text}), "length")
    shown = f"(Title: {'T' * 200}… (50 more characters)) "
    assert env.step("<search>cutme</search>")[0] == f"Doc 1 {shown}{text[:1000]}… (3 more characters)"
    assert env.step(f"<open>{title}</open>")[0] == shown + text


def test_the_outcome_follows_the_scoring(folder: Path) -> None:
    """«Oldhaven town» has two words, one of them right: precision ½, recall 1, F1 ⅔; it contains the answer."""
    for scoring, worth, success in (
        ("em", 0.0, False), ("f1", 2 / 3, False), ("f1_squad2", 2 / 3, False), ("sub_em", 1.0, True),
    ):  # fmt: skip
        env = started(folder, "designer", scoring=scoring)
        _, reward, terminated, _, info = env.step("<answer>Oldhaven town</answer>")
        assert (reward, terminated, info["success"]) == (pytest.approx(worth), True, success)
        assert info["end_reason"] == ("solved" if success else "failed")
    with pytest.raises(ValueError, match="unknown scoring 'exact'"):
        world(folder, scoring="exact")


def test_an_empty_answer_is_no_answer(folder: Path) -> None:
    env = started(folder, "designer")
    info = env.step("<answer>  </answer>")[-1]
    assert not info["valid"] and info["error"] == "answer: it is empty; write what the question asks for"


def test_doing_nothing_is_worth_nothing(folder: Path) -> None:
    for scoring in ("em", "f1", "mt_grpo", "slate"):
        env = started(folder, "designer", scoring=scoring, reward="dense", max_turns=3)
        steps = [env.step("") for _ in range(3)]
        assert [step[1] for step in steps] == [0.0] * 3 and steps[-1][3]
        assert steps[-1][-1]["end_reason"] == EndReason.TURN_LIMIT


def test_without_accepted_answers_the_evidence_is_judged(folder: Path) -> None:
    data = {"question": "Rivers?", "gold": [{"title": "Orla"}, {"title": "Tamsin"}]}
    env = world(folder, tasks=[Task("evidence", data)])
    _, info = env.reset(seed=0)
    assert "what counts is to have seen the passages" in info["messages"][0]["content"]
    env.step("<open>Orla</open>")
    _, reward, _, _, info = env.step("<answer>done</answer>")
    assert (reward, info["success"]) == (0.5, False)
    env.reset(seed=0)
    env.step("<open>Orla</open>")
    env.step("<open>Tamsin</open>")
    _, reward, _, _, info = env.step("<answer>done</answer>")
    assert (reward, info["success"]) == (1.0, True)


class Failing:
    """A searcher that fails on some queries."""

    content = "failing"

    def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
        if "fail" in query:
            raise RetrieverError("the server did not answer")
        if "damaged" in query:
            raise DataError("a block is damaged")
        return [(0, 1.0)]


@pytest.mark.parametrize("query, why", [("fail now", "the server did not answer"), ("damaged", "a block is damaged")])
def test_a_failure_of_the_retriever_is_no_fault_of_the_agent(folder: Path, query: str, why: str) -> None:
    env = started(folder, "designer", retriever=Failing())
    assert env.step("<search>ok</search>")[-1]["tag"] == "search"
    observation, reward, terminated, truncated, info = env.step(f"<search>{query}</search>")
    assert (observation, reward, terminated, truncated) == ("The search engine failed.", 0.0, False, True)
    assert (info["end_reason"], info["end_detail"], info["tag"]) == ("infra_error", why, "infra")


class Broken(Failing):
    content = "broken"

    def search(self, query: str, k: int = 10) -> list[tuple[int, float]]:
        raise RetrieverError("the server is gone")


def test_hooks_of_a_world_whose_retriever_fails_lead_to_the_end(folder: Path) -> None:
    env = world(folder, retriever=Broken(), signals=("expert", "menu", "describe", "potential"))
    _, info = env.reset(seed=0, options={"task": "designer"})
    assert [info["expert"]] == info["menu"] == ["<search>Where was the designer of the Orla Bridge born?</search>"]
    info = env.step(info["expert"])[-1]
    assert (info["end_reason"], info["end_detail"]) == ("infra_error", "the server is gone")


def test_arguments_that_contradict_each_other(folder: Path) -> None:
    with pytest.raises(ValueError, match="tasks= and panel= each say which tasks there are"):
        world(folder, panel="all")
    with pytest.raises(ValueError, match="unknown panel 'bridges' of wiki_search; did you mean 'bridge'"):
        WikiSearchEnv(panel="bridges", corpus=folder)
    with pytest.raises(ValueError, match="unknown retriever 'bm52'; did you mean 'bm25'"):
        world(folder, retriever="bm52")
    with pytest.raises(ValueError, match="'dense' needs an encoder of queries"):
        world(folder, retriever="dense")
    with pytest.raises(ValueError, match="'bm25' uses no encoder"):
        world(folder, encoder=type("Encoder", (), {"encode": len})())
    with pytest.raises(DataError, match="is no folder"):
        world(folder / "nowhere")


def test_worlds_of_a_process_share_one_library(folder: Path) -> None:
    one, other = world(folder), world(folder)
    assert isinstance(one._library, Local) and one._library is other._library
    assert one.base_hash == other.base_hash != world(folder, retriever=Failing()).base_hash
    assert one._library.store is open_store(folder / "passages")
    assert one.fork(1)[0]._library is one._library if one.reset(seed=0) else False


def test_scoring_and_k_are_part_of_the_panel(folder: Path) -> None:
    hashes = {world(folder, **given).panel.hash for given in ({}, {"scoring": "f1"}, {"k": 4})}
    assert len(hashes) == 3
    assert world(folder, tasks=TaskPanel("WikiSearchEnv", {"train": TASKS})).panel.hash in hashes


def test_the_registered_id(folder: Path) -> None:
    env = gymnasium.make("agentgym:agentgym/WikiSearch-v0", tasks=TASKS, corpus=str(folder))
    assert env.reset(seed=3)[0].startswith("Question: ")
    assert env.unwrapped.spec_dict()["id"] == "agentgym/WikiSearch-v0"  # type: ignore[attr-defined]


def test_instructions_show_searches_as_bare_text(folder: Path) -> None:
    told = world(folder).instructions
    assert "<search>…</search>" in told and re.search(r"k \(integer, default 3\): how many passages", told)
    assert told.endswith("Every turn needs a call here, or a plan: other text is an invalid action.")


def test_the_list_of_worlds_goes_on_where_shipped_files_are_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from agentgym import cli
    from agentgym.envs.wiki_search import tasks
    from agentgym.envs.wiki_search.shipped import panels

    monkeypatch.setattr(cli, "_worlds", lambda: ["agentgym/TextToSQL-v0", "agentgym/WikiSearch-v0"])
    monkeypatch.setattr(panels, "QUESTIONS", "nowhere.json.gz")
    panels.entries.cache_clear()
    tasks.panel.cache_clear()
    assert cli.main(["list"]) == 1
    told = capsys.readouterr().out
    assert "agentgym/TextToSQL-v0  (version 1)" in told
    (mine,) = (line for line in told.splitlines() if line.startswith("agentgym/WikiSearch-v0"))
    assert "nowhere.json.gz is missing: install agentgym anew" in mine
    assert cli.main(["list", "--env", "agentgym/WikiSearch-v0"]) == 1
    assert "nowhere.json.gz is missing" in capsys.readouterr().err
