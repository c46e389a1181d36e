"""What the agent reads, text by text."""

from __future__ import annotations

import pytest

from agentgym.envs.wiki_search import text
from agentgym.envs.wiki_search.library import Hit
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.state import Rules, SearchQuestion


class Shelf:
    """A library of some size."""

    content, lasting = "shelf", True

    def __init__(self, size: int) -> None:
        self.size = size


def told(scoring: str, answers: tuple[str, ...] = ("x",), size: int = 0, k: int = 3) -> str:
    from agentgym.envs.wiki_search.library import make_known

    shelf = Shelf(size)
    make_known(shelf)  # type: ignore[arg-type]
    return text.system(SearchQuestion("t", "Who?", answers, (), (), "", "", "shelf", Rules(scoring, k)), 7)


@pytest.mark.parametrize(
    ("scoring", "said"),
    [
        ("em", "an answer is right if it equals an accepted answer, but for case, punctuation and articles."),
        ("mt_grpo", "an answer is right if it equals an accepted answer"),
        ("slate", "an answer is right if it equals an accepted answer"),
        ("sub_em", "an answer is right if it contains an accepted answer."),
        ("f1", "an answer is worth more the more of its words are those of an accepted answer."),
        ("f1_hotpot", "an answer is worth more the more of its words"),
    ],
)
def test_the_rules_say_when_an_answer_is_right(scoring: str, said: str) -> None:
    assert said in told(scoring)
    assert "an answer is not compared with anything here; what counts is to have seen" in told(scoring, ())


def test_the_rules_name_size_k_and_turns() -> None:
    assert told("em").startswith("You answer a question by searching an encyclopedia.\n")
    assert told("em", size=21015324).startswith(
        "You answer a question by searching an encyclopedia of 21,015,324 passages.\n"
    )
    assert "the k passages that fit a query best, 5 if you give no k, at most 20." in told("em", k=5)
    assert told("em").endswith("You have 7 turns.")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (" a \n\t b\u2028c\x0b ", "a b c"),
        ("a < b, 3 <4 and <3", "a < b, 3 <4 and <3"),  # no tag begins so
        ("a <b>c</b> <!-- --> <?x?> <|end|>", "a &lt;b>c&lt;/b> &lt;!-- --> &lt;?x?> &lt;|end|>"),
        ("<<a", "<&lt;a"),
        ("", ""),
    ],
)
def test_texts_of_strangers_become_one_line_without_tags(given: str, shown: str) -> None:
    assert text.plain(given) == shown


def test_cuts_say_how_much_is_missing() -> None:
    assert text.cut("abc", 3) == "abc" and text.cut("abcd", 3) == "abc… (1 more characters)"
    assert text.cut("x" * 2000, 500) == "x" * 500 + "… (1,500 more characters)"


def test_a_lookup_shows_the_first_five_of_all_sentences() -> None:
    page = Passage("Hens", "One hen. Two HENS! Three\nhens? A hen 4. Hen 5. Hen 6. No bird. Hen 7.")
    found = [sentence for _, sentence in text.sentences([Hit(0, 0.0, page)], " hen ")]
    assert found == ["One hen.", "Two HENS!", "Three hens?", "A hen 4.", "Hen 5.", "Hen 6.", "Hen 7."]
    lines = text.looked_up(found, "Hens").split("\n")
    assert lines[0] == "(Title: Hens, result 1 of 7) One hen." and lines[4] == "(Title: Hens, result 5 of 7) Hen 5."
    assert len(lines) == 5 and text.sentences([Hit(0, 0.0, page)], " ") == []
    assert text.sentences([Hit(0, 0.0, page)], "two hens! three")[:1] == []  # across sentences


def test_a_lookup_takes_a_text_as_it_was_shown() -> None:
    page = [Hit(0, 0.0, Passage("Signs", "A mark <b>bold</b> is one. A mark &lt;i> is another."))]
    for wanted, found in (
        ("<B>bold", "A mark <b>bold</b> is one."),
        ("&lt;b>bold&lt;/b> is", "A mark <b>bold</b> is one."),
        ("&lt;i>", "A mark &lt;i> is another."),
    ):
        assert [sentence for _, sentence in text.sentences(page, wanted)] == [found]


def test_one_part_of_a_page_is_no_part() -> None:
    one, other = Hit(0, 0.0, Passage("A", "x")), Hit(1, 0.0, Passage("A", "y"))
    assert text.page([one]) == ("(Title: A) x", 1)
    assert text.page([one, other]) == ("(Title: A, part 1 of 2) x\n(Title: A, part 2 of 2) y", 2)
    long = Hit(2, 0.0, Passage("A", "z" * 30_000))
    said, count = text.page([long, one])
    assert count == 1 and said.endswith("… (10,000 more characters)\n… 1 more part: search for what you need")


def test_offered_titles_are_cut_and_escaped() -> None:
    assert text.several(["<b>", "B" * 201]).split("\n")[1:] == ["- &lt;b>", f"- {'B' * 200}… (1 more characters)"]
    assert text.missing([]) == "There is no page with this title. Search for it."
